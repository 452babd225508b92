"""Tools as TypeScript: how harmony's developer message describes functions.

Follows the published template of gpt-oss, its line feeds and spaces included; the tests compare the two on
random schemas. Of a schema it shows types, descriptions, defaults and which properties are required, and
leaves out the rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from verified_tok.errors import InvalidMessage

Schema = Mapping[str, Any]

_NUMBERS = ("number", "integer")
_LONGEST_ITEM = 50
"""Arrays of what is longer are arrays of anything."""


def function_type(tool: object) -> str:
    """The type of a function, from `{"function": {"name": …, "description": …, "parameters": {…}}}`.

    Raises `InvalidMessage` where the published template would fail.

    >>> print(function_type({"function": {"name": "now", "description": "The time."}}))
    // The time.
    type now = () => any;
    """
    function = tool.get("function") if isinstance(tool, Mapping) else None
    if not isinstance(function, Mapping):
        raise InvalidMessage(f"a tool is a mapping with 'function', not {tool!r}")
    head = f"// {_text(function, 'description')}\ntype {_text(function, 'name')} = "
    parameters = _schema(function.get("parameters"))
    properties = _properties(parameters)
    if not properties:
        return f"{head}() => any;"
    required = _list(parameters, "required")
    members = (_member(name, _schema(schema), name in required) for name, schema in properties.items())
    return f"{head}(_: {{\n{''.join(members)}}}) => any;"


def _member(name: str, schema: Schema, required: bool) -> str:
    comment = f"// {_text(schema, 'description')}\n" if schema.get("description") else ""
    default = ""
    if "default" in schema:
        if schema.get("enum"):
            default = f", // default: {_text(schema, 'default')}"
        elif schema.get("oneOf"):
            default = f"// default: {_text(schema, 'default')}"
        else:
            default = f", // default: {_json(schema['default'])}"
    return f"{comment}{name}{'' if required else '?'}: {_type(schema)}{default},\n"


def _type(schema: Schema) -> str:
    kind = schema.get("type")
    null = " | null" if schema.get("nullable") else ""
    if kind == "array":
        return _array(schema.get("items")) + null
    if isinstance(kind, Sequence) and not isinstance(kind, str) and kind:
        return " | ".join(map(str, kind))
    if schema.get("oneOf"):
        return " | \n".join(_variant(_schema(variant)) for variant in _list(schema, "oneOf"))
    if kind == "string":
        values = _list(schema, "enum")
        return " | ".join(f'"{value}"' for value in values) if values else f"string{null}"
    if kind in _NUMBERS:
        return "number"
    if kind == "boolean":
        return "boolean"
    if kind == "object":
        return _object(schema)
    return "any"


def _array(items: object) -> str:
    if not items:
        return "any[]"
    item = _schema(items)
    if item.get("type") in ("string", "boolean"):
        return f"{item['type']}[]"
    if item.get("type") in _NUMBERS:
        return "number[]"
    inner = _type(item)
    return "any[]" if inner == "object | object" or len(inner) > _LONGEST_ITEM else f"{inner}[]"


def _variant(variant: Schema) -> str:
    comment = f"// {_text(variant, 'description')}" if variant.get("description") else ""
    default = f"{' ' * 20}// default: {_json(variant['default'])}" if "default" in variant else ""
    return _type(variant) + comment + default


def _object(schema: Schema) -> str:
    properties, required = _properties(schema), _list(schema, "required")
    if not properties:
        return "object"
    members = (
        f"{name}{'' if name in required else '?'}: \n{' ' * 16}{_type(_schema(member))}"
        for name, member in properties.items()
    )
    return "{\n" + ", ".join(members) + "}"


def _schema(value: object) -> Schema:
    """A schema that is no mapping says nothing."""
    return value if isinstance(value, Mapping) else {}


def _properties(schema: Schema) -> Schema:
    properties = schema.get("properties")
    if properties and not isinstance(properties, Mapping):
        raise InvalidMessage(f"'properties' of a schema must be a mapping, not {properties!r}")
    return properties or {}


def _list(schema: Schema, key: str) -> Sequence[Any]:
    value = schema.get(key)
    if value and not isinstance(value, list):
        raise InvalidMessage(f"{key!r} of a schema must be a list, not {value!r}")
    return value or []


def _text(mapping: Schema, key: str) -> str:
    value = mapping.get(key)
    if not isinstance(value, str):
        raise InvalidMessage(f"{key!r} of a tool must be a string, not {value!r}")
    return value


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
