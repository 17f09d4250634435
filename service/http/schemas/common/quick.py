"""Reading of documents with the same result as their schemas' own, in a fraction of the time, if the document has no
fault.

Each schema is analysed once. The most common fields have a reader here, which converts a value of the usual type as the
field does, and runs the field's own validators. Every other field or value is left to the field itself. If a reader
here finds a fault, the schema reads the document again, and words the answer.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from marshmallow import RAISE, Schema, ValidationError, fields, missing

from service.http.schemas.common.fields import Discriminated, RequestDocument, StrictBool, StrictInt
from service.http.schemas.of_each_game import OfGame

Json = dict[str, Any]
Reader = Callable[[Any], Any]
FieldReader = Callable[[Any, Mapping[str, Any] | None], Any]  # takes a value, and the document that it is in

_AS_THEY_ARE: Final[dict[type, type]] = {fields.String: str, StrictInt: int, StrictBool: bool}
# the hooks that this module knows
_HOOKS: Final = {"pre_load": ["without_nulls"], "post_load": [], "validates": []}


def read(shape: Schema | Discriminated, document: Any) -> Json:
    """The document as the shape loads it: checked, and by a schema also completed with defaults. Raises
    ValidationError.
    """
    try:
        return dict(_reader(shape)(document))
    except ValidationError:
        return dict(shape.load(document))


@lru_cache(maxsize=256)
def _reader(shape: Schema | Discriminated) -> Reader:
    """A reader of the documents of a shape; it raises a ValidationError for a faulty document, with an arbitrary
    message.
    """
    if isinstance(shape, Discriminated):
        return _one_of(shape)
    if isinstance(shape, RequestDocument) and _is_usual(shape):
        return _document(shape)
    return shape.load


def _is_usual(schema: RequestDocument) -> bool:
    """True if the schema reads a document field by field, and then checks it as a whole."""
    hooks = {kind: [name for name, *_ in schema._hooks[kind]] for kind in _HOOKS}  # noqa: SLF001
    kind = type(schema)
    loads = kind.load is Schema.load and kind.handle_error is Schema.handle_error
    return hooks == _HOOKS and loads and schema.unknown == RAISE and not (schema.many or schema.partial)


def _document(schema: RequestDocument) -> Reader:
    members = [
        (field.data_key or name, field.attribute or name, _field(field, field.data_key or name), field)
        for name, field in schema.load_fields.items()
    ]
    names = {name for name, *_ in members}
    checks = [
        (getattr(schema, name), options.get("pass_original", False))
        for name, _, options in schema._hooks["validates_schema"]  # noqa: SLF001
    ]

    def read_document(document: Any) -> Json:
        if type(document) is not dict or not document.keys() <= names:
            raise ValidationError("")
        given = schema.without_nulls(document) if None in document.values() else document
        found = Json()
        for name, key, read_field, field in members:
            if name in given:
                found[key] = read_field(given[name], given)
            elif field.required:
                raise ValidationError("")
            elif (default := field.load_default) is not missing:
                found[key] = default() if callable(default) else default
        for check, sees_original in checks:
            check(found, document) if sees_original else check(found)
        return found

    return read_document


def _one_of(shape: Discriminated) -> Reader:
    def read_one(document: Any) -> Any:
        schema = shape.schema_for(document)
        if schema is None:
            raise ValidationError("")
        _reader(schema)(document)
        return schema.cleared(document)

    return read_one


def _field(field: Any, name: str | None) -> FieldReader:
    usual, convert = _usual(field)
    if usual is None or field.pre_load or field.post_load:
        return lambda value, document: field.deserialize(value, name, document)

    def read_field(value: Any, document: Mapping[str, Any] | None) -> Any:
        if type(value) is not usual:
            return field.deserialize(value, name, document)
        if convert is not None:
            value = convert(value, document)
        for validate in field.validators:
            validate(value)
        return value

    return read_field


def _usual(field: Any) -> tuple[type | None, FieldReader | None]:
    """The usual type of a field's values, and the function that converts them, None if they stay as they are.

    Returns None for a field that is not known here.
    """
    kind = type(field)
    if kind in _AS_THEY_ARE:
        return _AS_THEY_ARE[kind], None
    if kind is fields.List:
        read_item = _field(field.inner, None)
        return list, lambda items, _: [read_item(item, None) for item in items]
    if kind is Discriminated:
        return dict, lambda value, _: _reader(field)(value)
    if kind is fields.Nested and not field.many and field.unknown is None:
        return dict, lambda value, _: _reader(field.schema)(value)
    if kind is OfGame:
        return dict, lambda value, document: _reader(_part(field, document or {}))(value)
    return None, None


def _part(field: OfGame, document: Mapping[str, Any]) -> Schema:
    """The schema of the game that the document is about."""
    schema = field.schema_for(document)
    if schema is None:
        raise ValidationError("")
    return schema
