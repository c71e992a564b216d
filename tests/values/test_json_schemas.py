"""Schemas that are refused, and say where; and those that are read in odd ways."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from kafka_nextgen.errors import JsonSchemaError
from kafka_nextgen.values import Json
from tests.values.decoding import decoded
from tests.values.json_judges import good

STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def of(field: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": field}}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("{", "the schema is not JSON"),
        ("[" * 100_000, "the schema is not JSON"),
        ([], "#: [] does not specify the type of values"),
        (True, "#: True does not specify"),
        ({}, "#: the schema does not specify the type of values"),
        (of({}), "#/properties/a: the schema does not specify"),
        (of({"type": ["string", "integer"]}), "#/properties/a/type: a column can have one type besides null"),
        (of({"type": "text"}), "#/properties/a/type: 'text' is not a type of JSON Schema"),
        (of({"type": {"type": "string"}}), "#/properties/a/type: {'type': 'string'} is not a type"),
        (
            of({"oneOf": [STRING, INTEGER]}),
            "#/properties/a/oneOf: a column needs exactly one schema besides null, not 2",
        ),
        (of({"anyOf": "x"}), "#/properties/a/anyOf: 'x' is not a list"),
        (
            of({"allOf": [STRING, {"type": "null"}]}),
            "#/properties/a/allOf: no value can be null and of another",
        ),
        (of({"type": "string", "contentEncoding": ["base64"]}), "contentEncoding: ['base64'] is not supported"),
        (of({"enum": ["a", 1]}), "#/properties/a: an enum can only be a column if its values are strings"),
        (of({"enum": [None]}), "#/properties/a: an enum can only be a column if its values are strings"),
        (of({"enum": "a"}), "#/properties/a/enum: 'a' is not a list"),
        (of({"const": 5}), "an enum can only be a column if its values are strings"),
        (of({"enum": ["\ud800"]}), "an unpaired surrogate"),
        (of({"type": "array"}), "#/properties/a: the schema does not specify the type of items"),
        (of({"type": "array", "items": [STRING]}), "tuples are not supported"),
        (of({"type": "array", "prefixItems": [STRING]}), "tuples are not supported"),
        (of({"type": "array", "items": {}}), "#/properties/a/items: the schema does not specify"),
        (of({"type": "object"}), "#/properties/a: an object needs properties"),
        (of({"type": "object", "additionalProperties": True}), "#/properties/a: an object needs properties"),
        (of({"type": "object", "additionalProperties": STRING, "patternProperties": {}}), "an object needs properties"),
        (
            of({"type": "string", "contentEncoding": "base32"}),
            "#/properties/a/contentEncoding: 'base32' is not",
        ),
        (of({"$ref": "other.json"}), "#/properties/a/$ref: 'other.json' is neither in this schema nor"),
        (of({"$ref": "#/$defs/A"}), "#/properties/a/$ref: #/$defs/A does not exist"),
        (of({"$ref": "#"}), "# contains itself"),
        ({"$ref": "#"}, "# contains itself"),
        ({"type": "object", "properties": {"a/b~": {}}}, "#/properties/a~1b~0: the schema does not specify"),
        ({"type": "object", "properties": {"a\0": STRING}}, "contains a NUL character"),
        ({"type": "object", "properties": {"\ud800": STRING}}, "an unpaired surrogate"),
        (pa.field("a", pa.int8()), "neither an Arrow schema nor an Arrow type"),
        (pa.schema([("a", pa.float16())]), "a: halffloat can't be read from JSON"),
        (pa.schema([("a", pa.list_(pa.struct([("b", pa.list_view(pa.int8()))])))]), "a[].b: list_view"),
        (pa.schema([("a", pa.map_(pa.int8(), pa.int8()))]), "a: map<int8, int8> can't"),
        (pa.schema([("a", pa.map_(pa.string(), pa.month_day_nano_interval()))]), "a{}: month_day_nano_interval"),
        (pa.schema([("a", pa.dictionary(pa.int8(), pa.int64()))]), "a: dictionary"),
        (pa.schema([("a", pa.sparse_union([pa.field("x", pa.int8())]))]), "a: sparse_union"),
        (pa.schema([("a", pa.int8()), ("a", pa.int8())]), "the schema: 2 fields have the name 'a'"),
        (pa.schema([("a", pa.struct([("b", pa.int8()), ("b", pa.int8())]))]), "a: 2 fields have the name 'b'"),
    ],
)
def test_what_can_not_be_columns_is_refused_and_the_place_is_named(schema: Any, why: str) -> None:
    with pytest.raises(JsonSchemaError) as error:
        Json(schema)
    assert why in str(error.value)


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = INTEGER
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


def test_columns_may_be_so_deep_and_so_many() -> None:
    assert good(nested(62), b"[" * 62 + b"1" + b"]" * 62)[0] != []
    for schema in (nested(63), nested(500), {"type": "object", "properties": {str(n): INTEGER for n in range(20_000)}}):
        with pytest.raises(JsonSchemaError, match="more than"):
            Json(schema).decoder("value", False)
    twice = {"type": "object", "properties": {"a": INTEGER}}
    definitions: dict[str, Any] = {"D0": twice}
    for number in range(30):
        both = {name: {"$ref": f"#/$defs/D{number}"} for name in ("a", "b")}
        definitions[f"D{number + 1}"] = {"type": "object", "properties": both}
    with pytest.raises(JsonSchemaError, match="more than"):
        Json({"$ref": "#/$defs/D30", "$defs": definitions})


def test_references_lead_to_any_place_of_the_schema() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/one~1two"},
            "b": {"$ref": "#/properties/a"},
            "c": {"$ref": "#/$defs/x/anyOf/0"},
        },
        "$defs": {
            "one/two": {"type": "array", "items": {"$ref": "#/$defs/%C3%BC"}},
            "ü": {"type": "integer"},
            "x": {"anyOf": [STRING]},
        },
    }
    assert good(json.dumps(schema), b'{"a":[1],"b":[2],"c":"x"}') == [{"a": [1], "b": [2], "c": "x"}]


def test_a_schema_of_polars_is_taken() -> None:
    import polars as pl

    schema = pl.Schema({"a": pl.Int64(), "l": pl.List(pl.String()), "c": pl.Categorical(), "v": pl.Array(pl.Int8(), 2)})
    batch, bad = decoded(Json(schema), [b'{"a":1,"l":["x"],"c":"y","v":[1,2]}'])
    assert bad == []
    assert pl.from_arrow(batch).schema == schema


def test_any_other_schema_of_arrow_is_taken() -> None:
    class Schema:
        def __arrow_c_schema__(self) -> object:
            return pa.schema([("a", pa.int8())]).__arrow_c_schema__()

    assert good(Schema(), b'{"a":1}') == [{"a": 1}]


def test_another_encoding_of_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="binary must be 'base64' or 'hex', not 'base32'"):
        Json(INTEGER, binary="base32")  # type: ignore[arg-type]


def test_a_json_schema_needs_no_pyarrow() -> None:
    use = "from kafka_nextgen.values import Json; Json('{\"type\": \"integer\"}').decoder('v', True)"
    program = f"import sys; sys.modules['pyarrow'] = None; {use}"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_format_has_one_decoder_for_each_use() -> None:
    form = Json(INTEGER)
    assert form.decoder("value", True) is form.decoder("value", True)
    assert form.decoder("key", False).names == ("key",)
    assert Json(of(INTEGER)).decoder("value", True).names == ("a",)
