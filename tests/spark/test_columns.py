"""The columns of the data source, and what a schema can select of them."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

import pyarrow as pa
from pyspark.sql.types import StructType

from kafka_nextgen.spark.columns import arrow_schema, schema_with
from kafka_nextgen.spark.errors import SchemaError


def test_the_columns_are_those_of_the_built_in_source() -> None:
    assert schema_with(headers=False).simpleString() == (
        "struct<key:binary,value:binary,topic:string,partition:int,offset:bigint,timestamp:timestamp,timestampType:int>"
    )
    assert schema_with(headers=True)["headers"].dataType.simpleString() == "array<struct<key:string,value:binary>>"


def test_arrow_has_the_types_that_pyspark_checks() -> None:
    schema = arrow_schema(schema_with(headers=True), headers=True)
    assert schema.field("timestamp").type == pa.timestamp("us", tz="UTC")
    assert schema.field("headers").type.value_field.name == "element"


def test_a_schema_selects_columns_in_any_order() -> None:
    selected = StructType().add("offset", "long").add("value", "binary")
    assert arrow_schema(selected, headers=False).names == ["offset", "value"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"vlaue": "binary"}, r"no column vlaue \(the nearest is value\)"),
        ({"value": "string"}, r"value is binary; the schema says string: use cast\(\)"),
        ({"headers": "string"}, "needs the option includeHeaders=true"),
        ({}, "must name columns"),
    ],
)
def test_other_schemas_are_refused(columns: dict[str, str], message: str) -> None:
    schema = StructType()
    for name, kind in columns.items():
        schema.add(name, kind)
    with pytest.raises(SchemaError, match=message):
        arrow_schema(schema, headers=False)


def test_a_column_is_selected_once() -> None:
    twice = StructType().add("value", "binary").add("value", "binary")
    with pytest.raises(SchemaError, match=r"each once, .* it has \['value', 'value'\]"):
        arrow_schema(twice, headers=False)
