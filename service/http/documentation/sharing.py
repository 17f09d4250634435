"""Parts that openapi.yaml has only once: parameters of several operations, and members of documents that
others extend.
"""

from collections import Counter
from typing import Any

import orjson

Json = dict[str, Any]


def share_parameters(document: Json) -> None:
    """Make a component of each parameter that several operations have.

    If two different ones have the same name, the one that more operations have becomes the component.
    """
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    found = [parameter for operation in operations for parameter in operation.get("parameters", ())]
    forms = {_form(parameter): parameter for parameter in found}
    shared: dict[str, bytes] = {}
    for form, times in Counter(map(_form, found)).most_common():
        if times > 1:
            shared.setdefault(forms[form]["name"], form)
    for operation in operations:
        for at, parameter in enumerate(operation.get("parameters", ())):
            if shared.get(parameter["name"]) == _form(parameter):
                operation["parameters"][at] = {"$ref": f"#/components/parameters/{parameter['name']}"}
    document["components"].setdefault("parameters", {}).update(
        {name: forms[shared[name]] for name in sorted(shared)}
    )


def _form(parameter: Json) -> bytes:
    return orjson.dumps(parameter, option=orjson.OPT_SORT_KEYS)


def whole(schema: Json, schemas: Json) -> Json:
    """The schema with all its members in one place; a reference is replaced by its schema."""
    if "$ref" in schema:
        return whole(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    parts = [whole(part, schemas) for part in schema.get("allOf", ())]
    if not parts:
        return schema
    properties = {name: member for part in parts for name, member in part.get("properties", {}).items()}
    required = [name for part in parts for name in part.get("required", ())]
    return {"type": "object", "properties": properties, "required": required}
