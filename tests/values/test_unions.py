"""Columns of the union of the writers' schemas: what fields become, what has no union, and what comes later."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from kafka_nextgen import Records, TopicPartition
from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values import Avro, SchemaRegistry
from kafka_nextgen.values.avro.parsing import parse
from kafka_nextgen.values.avro.uniting import united
from kafka_nextgen.wire.records import ColumnSlice, NewRecord, RecordLimits, decode_partition, encode_batch
from tests.values.decoding import buffers_of, decoded, encoded, framed


def field(name: str, kind: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, **more}


def record(*fields: dict[str, Any], name: str = "R", **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields), **more}


def enum(*symbols: str, **more: Any) -> dict[str, Any]:
    return {"type": "enum", "name": "E", "symbols": list(symbols), **more}


def items(kind: Any) -> dict[str, Any]:
    return {"type": "array", "items": kind}


def entries(kind: Any) -> dict[str, Any]:
    return {"type": "map", "values": kind}


def logical(kind: str, name: str) -> dict[str, Any]:
    return {"type": kind, "logicalType": name}


OLD = record(field("a", "int"), field("gone", "string"))
NEW = record(field("b", "string", default="none"), field("a", "long"))


def values_of(schemas: dict[int, Any], *values: tuple[int, Any]) -> list[bytes]:
    return [framed(schema_id, encoded(schemas[schema_id], value)) for schema_id, value in values]


def test_the_union_has_the_fields_of_all_schemas_those_of_the_newest_first() -> None:
    """A field that a schema has not is its default there, or null."""
    schemas = {1: OLD, 2: NEW}
    values = values_of(schemas, (1, {"a": 1, "gone": "x"}), (2, {"a": 2, "b": "y"}))
    batch, bad = decoded(Avro(registry=schemas, columns="union"), values)
    assert bad == []
    assert batch.schema.types == [pa.string(), pa.int64(), pa.string()]
    assert batch.to_pylist() == [{"b": "none", "a": 1, "gone": "x"}, {"b": "y", "a": 2, "gone": None}]


KINDS: dict[str, tuple[Any, Any, Any]] = {
    "int and long": ("int", "long", "long"),
    "int and float": ("int", "float", "double"),
    "long and float": ("long", "float", "double"),
    "float and double": ("float", "double", "double"),
    "a type and null": ("int", "null", ["null", "int"]),
    "a type that may be null": (["long", "null"], "int", ["null", "long"]),
    "two that may be null": (["null", "int"], ["long", "null"], ["null", "long"]),
    "a union of one": (["int"], "long", "long"),
    "a union of more": (["int", "string"], ["null", "string", "boolean"], ["null", "int", "string", "boolean"]),
    "a branch alone": ("int", ["string", "int"], ["int", "string"]),
    "lists": (items("int"), items("long"), items("long")),
    "maps": (entries("int"), entries("null"), entries(["null", "int"])),
    "symbols": (enum("A", "B"), enum("C", "B", default="B"), enum("A", "B", "C", default="B")),
    "a logical type and none": ("int", logical("int", "date"), logical("int", "date")),
    "records within": (
        record(field("x", "int"), name="I"),
        record(field("y", "int"), name="I"),
        record(field("x", ["null", "int"], default=None), field("y", ["null", "int"], default=None), name="I"),
    ),
    "fixed in other namespaces": (
        {"type": "fixed", "name": "a.F", "size": 2},
        {"type": "fixed", "name": "b.F", "size": 2},
        {"type": "fixed", "name": "a.F", "size": 2, "aliases": ["b.F"]},
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_fields_of_two_types_become_one(name: str) -> None:
    one, other, both = KINDS[name]
    assert united(parse(one), parse(other)) == parse(both)


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("int", "string", "string and int have no type in common"),
        ("string", "bytes", "bytes and string have no type in common"),
        (["null", "int"], ["null", "string"], "string and int have no type in common"),
        (logical("int", "date"), "long", "long and int (date) have no type in common"),
        (logical("long", "timestamp-millis"), logical("long", "timestamp-micros"), "the value would change"),
        (
            {"type": "fixed", "name": "F", "size": 2},
            {"type": "fixed", "name": "F", "size": 3},
            "the sizes of fixed F",
        ),
        (enum("A"), {**enum("A"), "name": "F"}, "the names of enum F and enum E differ"),
    ],
)
def test_fields_that_have_no_type_in_common_are_refused_and_both_schemas_named(one: Any, other: Any, why: str) -> None:
    schemas = {4: record(field("f", "int")), 5: record(field("r", other)), 9: record(field("r", one))}
    with pytest.raises(AvroSchemaError, match=r"schema 5: can't be united with schema 9: R\.r: ") as error:
        Avro(registry=schemas, columns="union")
    assert why in str(error.value)


def test_a_field_with_another_name_is_the_same_by_an_alias_of_either_schema() -> None:
    first, same = record(field("a", "int")), record(field("z", "int", aliases=["a"]))
    wider = record(field("z", "long", aliases=["a"]))
    for schemas in ({1: first, 2: wider}, {1: wider, 2: first}, {1: first, 2: same}, {1: same, 2: first}):
        values = [framed(schema_id, b"\x02") for schema_id in (1, 2)]
        batch, bad = decoded(Avro(registry=schemas, columns="union"), values)
        assert (bad, [list(row.values()) for row in batch.to_pylist()]) == ([], [[1], [1]])


def test_a_record_that_was_renamed_is_the_same_by_its_alias() -> None:
    schemas = {1: record(field("a", "int"), name="n.Old"), 2: record(field("a", "int"), name="n.New", aliases=["Old"])}
    for known in (schemas, {1: schemas[2], 2: schemas[1]}):
        assert decoded(Avro(registry=known, columns="union"), [framed(1, b"\x02"), framed(2, b"\x02")])[1] == []


def test_a_default_that_is_no_value_of_its_type_counts_as_none() -> None:
    """Registries are full of them, and nobody minds until a value needs one."""
    schemas = {1: record(field("a", "int")), 2: record(field("a", "int"), field("b", "string", default=None))}
    batch, bad = decoded(Avro(registry=schemas, columns="union"), [framed(1, b"\x02")])
    assert (batch.to_pylist(), bad) == ([{"a": 1, "b": None}], [])


def test_a_wrong_default_still_counts_as_none_after_a_schema_was_refused() -> None:
    schemas = {1: record(field("a", "int", default="wrong"), field("b", "int"))}
    avro = Avro(registry=schemas, columns="union")
    schemas[2] = record(field("a", "int"), field("b", "string"))
    schemas[3] = record(field("b", "int"))
    values = [framed(1, b"\x02\x04"), framed(2, b"\x02\x02x"), framed(3, b"\x06")]
    batch, bad = decoded(avro, values)
    assert [each.row for each in bad] == [1]
    assert batch.to_pylist()[::2] == [{"a": 1, "b": 2}, {"a": None, "b": 3}]


def test_the_schema_of_the_columns_is_not_asked_for_again() -> None:
    with StandIn() as stand_in:
        schema_id = stand_in.register("orders-value", json.dumps(record(field("a", "int"))))
        avro = Avro(registry=SchemaRegistry(stand_in.url), subject="orders-value")
        assert decoded(avro, [framed(schema_id, b"\x02")])[1] == []
        assert stand_in.requests == [("GET", "/subjects/orders-value/versions/latest")]


def test_a_schema_that_comes_later_brings_its_columns_with_it_and_they_stay() -> None:
    """Also where values before it were decoded already: a batch has one set of columns."""
    schemas: dict[int, Any] = {1: record(field("a", "int"))}
    avro = Avro(registry=schemas, columns="union")
    assert decoded(avro, [framed(1, b"\x02")])[0].column_names == ["a"]
    schemas[2] = record(field("b", "string"), field("a", "long"))
    values = [framed(1, b"\x02"), b"\x01", framed(2, b"\x02x\x04"), framed(1, b"\x06")]
    batch, bad = decoded(avro, values)
    assert [each.row for each in bad] == [1]
    assert [(row["a"], row["b"]) for row in batch.to_pylist()] == [(1, None), (None, None), (2, "x"), (3, None)]
    assert decoded(avro, [framed(1, b"\x02")])[0].schema == batch.schema
    assert avro.decoder("value", True).names == ("a", "b")


def test_a_later_schema_that_does_not_go_with_the_union_makes_only_its_own_values_bad() -> None:
    schemas: dict[int, Any] = {1: record(field("a", "int"))}
    avro = Avro(registry=schemas.__getitem__, columns="union")
    assert decoded(avro, [framed(1, b"\x02")])[1] == []
    schemas[2] = record(field("a", "string"), field("b", "int"))
    batch, bad = decoded(avro, [framed(1, b"\x02"), framed(2, b"\x02x\x04"), framed(1, b"\x04")])
    assert batch.to_pylist() == [{"a": 1}, {"a": None}, {"a": 2}]
    assert [each.reason for each in bad] == [
        "schema 2: can't be united with schema 1: R.a: string and int have no type in common"
    ]


def test_a_union_that_would_be_too_large_makes_only_the_values_bad_that_ask_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kafka_nextgen.values.avro.layout.MOST_COLUMNS", 10)
    schemas = {number: record(*(field(f"f{number}{each}", "int") for each in range(6))) for number in (1, 2)}
    avro = Avro(registry=schemas.__getitem__, columns="union")
    batch, bad = decoded(avro, [framed(1, bytes(6)), framed(2, bytes(6))])
    assert [(each.row, "the schema has 10 columns or more" in each.reason) for each in bad] == [(1, True)]
    assert batch.num_columns == 6


def test_without_any_schema_there_are_no_columns_until_a_value_comes() -> None:
    avro = Avro(registry={1: OLD}.__getitem__, columns="union")
    batch, _ = decoded(avro, [None, None])
    assert (batch.num_rows, batch.num_columns) == (2, 0)
    assert decoded(avro, [framed(1, b"\x02\x02x")])[0].to_pylist() == [{"a": 1, "gone": "x"}]


def test_keys_that_are_no_records_have_a_union_too() -> None:
    avro = Avro(registry={1: "int", 2: "long"}, columns="union")
    batch, bad = decoded(avro, [framed(1, b"\x02"), framed(2, b"\x04")], False)
    assert (batch.to_pylist(), bad) == ([{"value": 1}, {"value": 2}], [])


def test_a_table_of_several_partitions_has_one_schema_although_a_later_one_brings_more() -> None:
    schemas = {1: record(field("a", "int")), 2: record(field("a", "int"), field("b", "int"))}
    avro = Avro(registry=schemas.__getitem__, columns="union")
    slices = []
    for partition, value in enumerate([framed(1, b"\x02"), framed(2, b"\x04\x06"), framed(1, b"\x08")]):
        batch = encode_batch([NewRecord(value, timestamp=10)], base_offset=0)
        columns = decode_partition(batch, TopicPartition("orders", partition), 0, RecordLimits())
        slices.append(ColumnSlice(columns, 0, 1))
    table = Records(slices).to_arrow(value=avro).select(["a", "b"])
    assert table.to_pylist() == [{"a": 1, "b": None}, {"a": 2, "b": 3}, {"a": 4, "b": None}]


class Registry:
    """What confluent-kafka's client has of a registry, with the versions of one subject."""

    def __init__(self, *schemas: Any) -> None:
        self.schemas = dict(enumerate(map(json.dumps, schemas), 101))

    def get_schema(self, schema_id: int) -> Any:
        return Version(schema_id, self.schemas[schema_id]).schema

    def get_latest_version(self, subject_name: str) -> Any:
        return self.get_version(subject_name, len(self.schemas))

    def get_version(self, subject_name: str, version: int) -> Any:
        assert subject_name == "orders-value"
        return Version(100 + version, self.schemas[100 + version])

    def get_versions(self, subject_name: str) -> list[int]:
        assert subject_name == "orders-value"
        return list(range(1, len(self.schemas) + 1))


class Version:
    def __init__(self, schema_id: int, text: str) -> None:
        self.schema_id = schema_id
        self.schema = type("Schema", (), {"schema_str": text, "schema_type": "AVRO", "references": []})


def test_the_columns_of_the_newest_version_of_a_subject() -> None:
    registry = Registry(record(field("a", "int")), record(field("b", "int", default=5), field("a", "int")))
    avro = Avro(registry=registry, subject="orders-value")
    batch, bad = decoded(avro, [framed(101, b"\x02"), framed(102, b"\x04\x06")])
    assert (batch.to_pylist(), bad) == ([{"b": 5, "a": 1}, {"b": 2, "a": 3}], [])


def test_the_newest_stays_what_it_was_when_the_format_was_made() -> None:
    registry = Registry(record(field("a", "int")))
    avro = Avro(registry=registry, subject="orders-value", columns="newest")
    registry.schemas[102] = json.dumps(record(field("a", "int"), field("b", "int", default=5)))
    assert decoded(avro, [framed(102, b"\x04\x06")])[0].to_pylist() == [{"a": 2}]


def test_the_columns_of_all_versions_of_a_subject() -> None:
    registry = Registry(record(field("a", "int")), record(field("b", "int")))
    batch, bad = decoded(Avro(registry=registry, subject="orders-value", columns="union"), [framed(101, b"\x02")])
    assert (batch.to_pylist(), bad) == ([{"b": None, "a": 1}], [])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"registry": Registry(OLD)}, "the newest schema is unknown"),
        ({"registry": {1: OLD}, "subject": "orders-value"}, "subject needs a registry client"),
        ({"registry": {1: OLD}, "columns": "all"}, "'newest' or 'union', not 'all'"),
        ({"registry": {1: OLD}, "columns": "union", "reader_schema": OLD}, "be combined with reader_schema"),
        ({"schema": OLD, "columns": "union"}, "columns needs a registry"),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(arguments: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Avro(**arguments)


def test_all_schemas_that_a_batch_brings_are_met_before_it_is_decoded_again() -> None:
    """Else each new one would have all values before it decoded again, by new programs."""
    schemas = {number: record(field(f"f{number}", "int")) for number in range(20)}
    asked: list[int] = []

    def registry(schema_id: int) -> Any:
        asked.append(schema_id)
        return schemas[schema_id]

    decoder: Any = Avro(registry=registry, columns="union").decoder("value", True)
    values = buffers_of([*(framed(number, b"\x02") for number in range(20)), None, b"", b"no frame", framed(99, b"")])
    columns, bad = decoder.decode(values, 0, 24)
    assert pa.record_batch(columns).schema.names == [f"f{number}" for number in range(20)]
    assert [each.row for each in bad] == [21, 22, 23]
    assert asked == [*range(20), 99, 99], "each once, but for the one that there is not"
