"""Changes of an OpenAPI document that would break an earlier client, by the policy of docs/reference/versions.md.

No kept Python library compares OpenAPI 3.1 (oasdiff and openapi-changes are Go programs), so this does, for the words
of JSON Schema that our document uses; a word that it does not know is an error, not a pass.

A schema is compared in one direction: what clients send must still be taken ("sent"), what they read must still be what
they know ("read"), except that members and kinds of documents may be added there.
"""

from collections.abc import Iterator
from typing import Any, Final, Literal

Json = dict[str, Any]
Way = Literal["sent", "read"]

METHODS: Final = ("get", "put", "post", "delete", "patch", "head", "options")
WORDS: Final = {
    "$ref", "additionalProperties", "allOf", "anyOf", "const", "contentMediaType", "contentSchema", "default",
    "description", "discriminator", "enum", "example", "examples", "format", "items", "maxItems", "maxLength",
    "maximum", "maxProperties", "minItems", "minLength",
    "minimum", "oneOf", "pattern", "properties", "propertyNames", "required", "title", "type", "uniqueItems",
    "readOnly", "deprecated",
}  # fmt: skip
LOWER: Final = ("minimum", "minLength", "minItems")
UPPER: Final = ("maximum", "maxLength", "maxItems", "maxProperties")


def breaks(old: Json, new: Json) -> list[str]:
    """Things that a client of the old document cannot do with the service of the new one, a sentence each."""
    return sorted(set(_Comparison(old, new).all()))


class _Comparison:
    def __init__(self, old: Json, new: Json) -> None:
        self._old, self._new = old, new
        self._under_way: set[tuple[str, str, Way]] = set()

    def all(self) -> Iterator[str]:
        for path, operations in self._old["paths"].items():
            for method in METHODS:
                if method in operations:
                    now = self._new["paths"].get(path, {}).get(method)
                    where = f"{method.upper()} {path}"
                    yield from (
                        [f"{where} is gone"]
                        if now is None
                        else self._operation(operations[method], now, where)
                    )

    def _operation(self, old: Json, new: Json, where: str) -> Iterator[str]:
        if old["operationId"] != new["operationId"]:
            yield f"{where}: operationId has changed"
        if {} in old.get("security", [{}]) and {} not in new.get("security", [{}]):
            yield f"{where}: a token is required"
        yield from self._parameters(old, new, where)
        yield from self._body(old.get("requestBody"), new.get("requestBody"), where)
        for status, answer in old["responses"].items():
            now = new["responses"].get(status)
            if now is not None:
                pair = _resolved(answer, self._old), _resolved(now, self._new)
                yield from self._answer(*pair, f"{where}, {status}")
            elif status.startswith("2"):
                yield f"{where}: there is no {status}"
        for status in new["responses"].keys() - old["responses"].keys():
            if not status.startswith(("4", "5")):
                yield f"{where}: {status} is new"

    def _parameters(self, old: Json, new: Json, where: str) -> Iterator[str]:
        before, now = _parameters(old, self._old), _parameters(new, self._new)
        for key, parameter in before.items():
            at = f"{where}, {key[0]} {key[1]}"
            if key not in now:
                yield f"{at} is gone"
                continue
            if now[key].get("required") and not parameter.get("required"):
                yield f"{at} is required"
            yield from self._schema(parameter["schema"], now[key]["schema"], "sent", at)
        for key, parameter in now.items():
            if key not in before and parameter.get("required"):
                yield f"{where}, {key[0]} {key[1]} is new and required"

    def _body(self, old: Json | None, new: Json | None, where: str) -> Iterator[str]:
        if old is None:
            if new is not None and new.get("required"):
                yield f"{where}: a body is required"
            return
        if new is None:
            yield f"{where}: the body is gone"
            return
        if new.get("required") and not old.get("required"):
            yield f"{where}: the body is required"
        yield from self._content(old, new, "sent", f"{where}, body")

    def _answer(self, old: Json, new: Json, where: str) -> Iterator[str]:
        for header in old.get("headers", {}):
            if header not in new.get("headers", {}):
                yield f"{where}: the header {header} is gone"
        yield from self._content(old, new, "read", where)

    def _content(self, old: Json, new: Json, way: Way, where: str) -> Iterator[str]:
        for media_type, content in old.get("content", {}).items():
            now = new.get("content", {}).get(media_type)
            if now is None:
                yield f"{where}: {media_type} is gone"
            elif "schema" in content:
                yield from self._schema(content["schema"], now["schema"], way, where)

    def _schema(self, old: Json, new: Json, way: Way, where: str) -> Iterator[str]:
        key = (old.get("$ref", ""), new.get("$ref", ""), way)
        if key in self._under_way:  # a schema that holds itself
            return
        if all(key[:2]):
            self._under_way.add(key)
        yield from self._resolved_schema(_resolved(old, self._old), _resolved(new, self._new), way, where)
        self._under_way.discard(key)

    def _resolved_schema(self, old: Json, new: Json, way: Way, where: str) -> Iterator[str]:
        unknown = {word for word in old.keys() | new.keys() if not word.startswith("x-")} - WORDS
        assert not unknown, f"{where}: nothing here compares {unknown}"
        before, now = _branches(old), _branches(new)
        if before is None and now is None:
            yield from self._plain(old, new, way, where)
        else:
            yield from self._union(before or [old], now or [new], way, where)

    def _union(self, old: list[Json], new: list[Json], way: Way, where: str) -> Iterator[str]:
        """Sent documents must fit one of the new branches; read ones one of the old, or be of a new kind."""
        for mine in old if way == "sent" else new:
            theirs = new if way == "sent" else old
            document = self._old if way == "sent" else self._new
            name = _name(mine, document)
            same = [other for other in theirs if _name(other, self._other(document)) == name]
            pairs = [(mine, other) if way == "sent" else (other, mine) for other in same or theirs]
            found = [list(self._schema(*pair, way, f"{where}, {name}")) for pair in pairs]
            if same or way == "sent" or "properties" not in _resolved(mine, document):
                yield from min(found, key=len, default=[f"{where}: {name} is gone"])

    def _other(self, document: Json) -> Json:
        return self._new if document is self._old else self._old

    def _plain(self, old: Json, new: Json, way: Way, where: str) -> Iterator[str]:
        narrow, wide = (old, new) if way == "sent" else (new, old)
        if not _types(narrow) <= _types(wide):
            yield f"{where}: the type {_types(old)} became {_types(new)}"
        if way == "sent":
            yield from _narrowed(old, new, where)
        elif old.get("format") != new.get("format") or (_values(old) and not _values(new)):
            yield f"{where}: its form has changed"
        elif isinstance(old.get("const"), str) and old["const"] != new.get("const"):
            yield f"{where}: {old['const']} became another one"
        yield from self._members(old, new, way, where)
        if isinstance(old.get("items"), dict):
            if "items" in new:
                yield from self._schema(old["items"], new["items"], way, f"{where}[]")
            elif way == "read":
                yield f"{where}: what it lists is not said"

    def _members(self, old: Json, new: Json, way: Way, where: str) -> Iterator[str]:
        before, now = old.get("properties", {}), new.get("properties", {})
        required, then = set(old.get("required", [])), set(new.get("required", []))
        for name, schema in before.items():
            if name not in now:
                if way == "read" or new.get("additionalProperties") is False:
                    yield f"{where}.{name} is gone"
                continue
            yield from self._schema(schema, now[name], way, f"{where}.{name}")
        for name in then - required if way == "sent" else (required - then) & now.keys():
            yield f"{where}.{name} is {'required' if way == 'sent' else 'no longer always there'}"
        free, still = old.get("additionalProperties", True), new.get("additionalProperties", True)
        if way == "sent" and free is not False and still is False and "properties" in new:
            yield f"{where} takes no other members"
        if isinstance(free, dict) and isinstance(still, dict):
            yield from self._schema(free, still, way, f"{where}.*")
        if way == "sent":
            yield from _narrowed(
                old.get("propertyNames", {}), new.get("propertyNames", {}), f"{where}, names"
            )


def _parameters(operation: Json, document: Json) -> dict[tuple[str, str], Json]:
    parameters = [_resolved(parameter, document) for parameter in operation.get("parameters", [])]
    return {(parameter["in"], parameter["name"]): parameter for parameter in parameters}


def _resolved(schema: Json, document: Json) -> Json:
    """The part that is referred to, with the members of what it extends."""
    if "$ref" in schema:
        target: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return {**_resolved(target, document), **{k: v for k, v in schema.items() if k != "$ref"}}
    whole = {word: value for word, value in schema.items() if word != "allOf"}
    for extended in schema.get("allOf", []):
        base = _resolved(extended, document)
        properties = base.get("properties", {}) | whole.get("properties", {})
        required = [*base.get("required", []), *whole.get("required", [])]
        whole = base | whole | {"properties": properties, "required": required}
    return whole


def _branches(schema: Json) -> list[Json] | None:
    return schema.get("anyOf") or schema.get("oneOf")


def _name(schema: Json, document: Json) -> str:
    """Mark of a branch among its siblings: the kind of document that it is, or else its type."""
    whole = _resolved(schema, document)
    kinds = {
        name: member.get("const", (member.get("enum") or [None])[0])
        for name, member in whole.get("properties", {}).items()
        if "const" in member or len(member.get("enum", [])) == 1
    }
    named = kinds.get("type") or kinds.get("kind") or kinds.get("game")
    return str(named or schema.get("$ref", "").rpartition("/")[2] or sorted(_types(whole)))


def _types(schema: Json) -> set[str]:
    """JSON types that fit; a whole number is a number."""
    found = schema.get("type", ["array", "boolean", "null", "number", "object", "string"])
    found = {found} if isinstance(found, str) else set(found)
    return found | {"integer"} if "number" in found else found


def _values(schema: Json) -> list[Any]:
    return [schema["const"]] if "const" in schema else schema.get("enum", [])


def _narrowed(old: Json, new: Json, where: str) -> Iterator[str]:
    if _values(new) and (not _values(old) or [value for value in _values(old) if value not in _values(new)]):
        yield f"{where}: not all values are taken any more"
    for word in LOWER:
        if word in new and new[word] > old.get(word, float("-inf")):
            yield f"{where}: {word} is {new[word]}"
    for word in UPPER:
        if word in new and new[word] < old.get(word, float("inf")):
            yield f"{where}: {word} is {new[word]}"
    for word in ("pattern", "format"):
        if word in new and new[word] != old.get(word):
            yield f"{where}: {word} has changed"
