"""Field types stricter than marshmallow's own: JSON booleans, whole numbers in queries, unions of documents."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from marshmallow import RAISE, Schema, ValidationError, fields, pre_load, validate

from domain.words.languages import LANGUAGES
from events.log.notation import ONLY_ENGLISH

_DIGITS = re.compile(r"-?[0-9]{1,15}")


class Strict(Schema):
    """A document in which an unknown field is an error."""

    class Meta:
        """Unknown fields are errors."""

        unknown = RAISE

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        known = ", ".join(sorted(field.data_key or name for name, field in self.load_fields.items()))
        self.error_messages = {
            **self.error_messages,
            "unknown": f"Unknown field; there are: {known or 'none'}.",
        }


def invented(**documents: Any) -> Mapping[str, Any]:
    """Examples of a request's document, by name."""
    return documents


class RequestDocument(Strict):
    """A document of a request: null for an optional member is the same as leaving it out.

    A field with `allow_none` takes null as a value of its own. A required member cannot be left out. Of the members in
    `exactly_one`, a document has one; the schema itself refuses others. `examples` are for the OpenAPI
    document.
    """

    exactly_one: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, **kwargs: Any) -> None:
        self._nullable = set[str]()
        super().__init__(**kwargs)

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Let an optional field be null, also in openapi.yaml."""
        super().on_bind_field(field_name, field_obj)
        if not field_obj.required and not field_obj.allow_none:
            self._nullable.add(field_obj.data_key or field_name)
            field_obj.allow_none = True

    @pre_load
    def without_nulls(self, data: Any, **_: Any) -> Any:
        """The document without nulls that mean nothing; the schemas of documents inside it do the same for these."""
        if not isinstance(data, dict):
            return data
        return {
            name: value for name, value in data.items() if value is not None or name not in self._nullable
        }

    def cleared(self, document: dict[str, Any]) -> dict[str, Any]:
        """A document without meaningless nulls, at any depth."""
        inner, members = self._inner, self.without_nulls(document)
        return {
            name: inner[name].cleared(value) if name in inner and isinstance(value, dict) else value
            for name, value in members.items()
        }

    @cached_property
    def _inner(self) -> "dict[str, RequestDocument]":
        """The schemas of documents inside this one."""
        return {
            f.data_key or name: f.schema
            for name, f in self.fields.items()
            if isinstance(f, fields.Nested) and isinstance(f.schema, RequestDocument)
        }


class Matches(validate.Regexp):
    """A validator: the whole text must match the pattern. (With `$` alone, a line end could follow.)"""

    def __call__(self, value: Any) -> Any:
        """The value, or ValidationError."""
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self._format_error(value))
        return value


class Embedded(fields.String):
    """A text that is the JSON of one of several documents; each is given by its schema, or by a field."""

    def __init__(self, *documents: Any, **kwargs: Any) -> None:
        super().__init__(required=True, **kwargs)
        self.documents = documents


class OneOfForms(fields.Field[dict[str, Any]]):
    """A document in one of several forms, for answers: each is given by its schema."""

    def __init__(self, *documents: type[Schema], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.documents = documents


class StrictBool(fields.Boolean):
    """JSON true or false; no number and no string."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> bool:
        if value is True or value is False:
            return bool(value)
        raise self.make_error("invalid", input=value)


class Flag(fields.Boolean):
    """`true` or `false` in a query string."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> bool:
        if value in {"true", "false"}:
            return bool(value == "true")
        raise ValidationError("Must be true or false.")


class StrictInt(fields.Integer):
    """A JSON number without a fraction."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strict=True, **kwargs)


class Digits(fields.Integer):
    """A whole number in a query string: ASCII digits only."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> int:
        if not _DIGITS.fullmatch(value):
            raise self.make_error("invalid", input=value)
        return int(value)


def wait(description: str) -> Digits:
    """The seconds of a long poll."""
    error = "Must be 0 to 30 seconds."
    return Digits(
        load_default=0, validate=validate.Range(0, 30, error=error), metadata={"description": description}
    )


def limit(most: int = 100, default: int = 100) -> Digits:
    """Greatest number of items of a page."""
    return Digits(
        load_default=default,
        validate=validate.Range(1, most, error=f"Must be 1 to {most}."),
        metadata={"description": f"The maximum number of items, up to {most}."},
    )


class Languages(fields.Field[tuple[str, ...]]):
    """Languages of words, with commas between them; loaded in a fixed order, each once."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[str, ...]:
        wanted = set(value.split(","))
        if wanted <= set(LANGUAGES):
            return tuple([language for language in LANGUAGES if language in wanted])
        raise ValidationError(f"Must be some of {', '.join(LANGUAGES)}, with commas between them.")


def languages(what: str, default: tuple[str, ...] = ONLY_ENGLISH) -> Languages:
    """Languages of the words in the answer."""
    one = f"({'|'.join(LANGUAGES)})"
    usual = f"the default is `{','.join(default)}`" if default else "without it there are none"
    return Languages(
        load_default=lambda: default,  # the schema states it in words: a list would be no value of a text
        metadata={
            "description": f"The languages of {what}, with commas between them; {usual}.",
            "type": "string",
            "pattern": f"^{one}(,{one})*$",
            "example": "en,de",
        },
    )


def heartbeats() -> Flag:
    """The parameter by which a caller that cannot see comments asks for heartbeats."""
    return Flag(
        load_default=False,
        metadata={
            "description": "For a stream: send `heartbeat` frames in place of comments, when it begins and after each "
            "silence."
        },
    )


def cursor(of: validate.Validator | None = None) -> fields.String:
    """The beginning of a page."""
    return fields.String(
        validate=of or validate.Length(1, 256),
        metadata={"description": "The value of `next` of the previous page."},
    )


class Discriminated(fields.Field[dict[str, Any]]):
    """One of several documents; the value of one field, the tag, says which."""

    def __init__(self, tag: str, kinds: Mapping[str, RequestDocument], **kwargs: Any) -> None:
        """`tag`: the name of the field; `kinds`: the schema for each of its values."""
        super().__init__(**kwargs)
        self.tag = tag
        self.kinds = dict(kinds)

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> dict[str, Any]:
        return self.load(value)

    def load(self, document: Any) -> dict[str, Any]:
        """The document, without meaningless nulls. ValidationError names every fault."""
        if not isinstance(document, dict):
            raise ValidationError("Must be an object.")
        schema = self.schema_for(document)
        if schema is None:
            known = ", ".join(self.kinds)
            raise ValidationError({self.tag: [f"Must be one of: {known}."]})
        schema.load(document)
        return schema.cleared(document)

    def cleared(self, document: Any) -> dict[str, Any] | None:
        """The same for a document that was not checked; None if its tag names no schema."""
        schema = self.schema_for(document)
        return None if schema is None else schema.cleared(document)

    def schema_for(self, document: Any) -> RequestDocument | None:
        """The schema that the document's tag names; None if there is no such schema or tag."""
        tag = document.get(self.tag) if isinstance(document, dict) else None
        return self.kinds.get(tag) if isinstance(tag, str) else None
