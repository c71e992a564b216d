"""A writer's schema read by another one: as fastavro does, and what it does not know by the specification."""

from __future__ import annotations

import io
import pickle
from typing import Any
from uuid import UUID

import fastavro
import fastavro.utils
import pyarrow as pa
import pytest

from kafka_nextgen import clocks
from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values import Avro
from kafka_nextgen.values.framing import number_of
from kafka_nextgen.values.recent import FAILURE_S, Recent
from tests.values.decoding import buffers_of, decoded, encoded, framed


def record(*fields: dict[str, Any], name: str = "R", **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields), **more}


def field(name: str, kind: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, **more}


def enum(*symbols: str, **more: Any) -> dict[str, Any]:
    return {"type": "enum", "name": "E", "symbols": list(symbols), **more}


def array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


PAIRS = {
    "a field that is gone": (record(field("a", "int"), field("b", "string")), record(field("b", "string"))),
    "fields in another order": (
        record(field("a", "int"), field("b", "int")),
        record(field("b", "int"), field("a", "int")),
    ),
    "a field that is new": (record(field("a", "int")), record(field("a", "int"), field("b", "long", default=7))),
    "a new string": (record(field("a", "int")), record(field("a", "int"), field("b", "string", default="ü"))),
    "a new list": (record(field("a", "int")), record(field("b", array("int"), default=[1, 2]), field("a", "int"))),
    "a new null": (record(field("a", "int")), record(field("a", "int"), field("b", ["null", "int"], default=None))),
    "a new enum": (record(field("a", "int")), record(field("b", enum("X", "Y"), default="Y"))),
    "a field's alias": (record(field("a", "int")), record(field("z", "int", aliases=["a"]))),
    "a record's alias": (record(field("a", "int"), name="Old"), record(field("a", "int"), aliases=["Old"])),
    "another namespace": (record(field("a", "int"), name="x.R"), record(field("a", "int"), name="y.R")),
    "symbols in another order": (record(field("e", enum("A", "B"))), record(field("e", enum("B", "A", "C")))),
    "a symbol that is gone": (record(field("e", enum("A", "B"))), record(field("e", enum("A", default="A")))),
    "to a union": (record(field("a", "int")), record(field("a", ["null", "long"]))),
    "from a union": (record(field("a", ["int", "long"])), record(field("a", "long"))),
    "a union of more": (record(field("a", ["null", "int"])), record(field("a", ["int", "null"]))),
    "a list of longs": (record(field("a", array("int"))), record(field("a", array("long")))),
    "a map of unions": (
        record(field("a", {"type": "map", "values": "int"})),
        record(field("a", {"type": "map", "values": ["null", "double"]})),
    ),
    "lists, maps, unions, enums and records that are gone": (
        record(
            field("a", array(array(["null", "string"]))),
            field("m", {"type": "map", "values": "bytes"}),
            field("u", ["string", "boolean", "double"]),
            field("e", enum("A", "B")),
            field("r", record(field("f", {"type": "fixed", "name": "F", "size": 3}), name="Inner")),
            field("i", "int"),
        ),
        record(field("i", "int")),
    ),
}
PROMOTIONS = [
    *((writer, reader) for writer in ("int", "long") for reader in ("long", "float", "double")),
    ("int", "int"),
    ("float", "double"),
    ("string", "bytes"),
    ("bytes", "string"),
]


def examples(schema: Any) -> list[Any]:
    return list(fastavro.utils.generate_many(fastavro.parse_schema(schema), 20))


def plain(value: Any) -> Any:
    """Arrow's maps as dicts."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return dict(value) if value and isinstance(value[0], tuple) else [plain(each) for each in value]
    return value


@pytest.mark.parametrize("name", PAIRS)
def test_a_schema_is_resolved_as_fastavro_does(name: str) -> None:
    writer, reader = PAIRS[name]
    data = [encoded(writer, value) for value in examples(writer)]
    parsed = [fastavro.parse_schema(schema) for schema in (writer, reader)]
    batch, bad = decoded(Avro(writer, reader_schema=reader), data)
    assert bad == []
    assert [plain(row) for row in batch.to_pylist()] == [
        fastavro.schemaless_reader(io.BytesIO(each), *parsed) for each in data
    ]
    assert batch.schema == decoded(Avro(reader), [])[0].schema


@pytest.mark.parametrize(("writer", "reader"), PROMOTIONS)
def test_a_type_is_promoted(writer: str, reader: str) -> None:
    values: list[Any] = {"string": ["ü"], "bytes": [b"x"], "float": [1.5]}.get(writer, [-1, 2**31 - 1])
    batch, bad = decoded(Avro(writer, reader_schema=reader), [encoded(writer, value) for value in values])
    judged = [
        fastavro.schemaless_reader(io.BytesIO(encoded(writer, value)), fastavro.parse_schema(writer), reader)
        for value in values
    ]
    assert bad == []
    expected = pa.array(judged, decoded(Avro(reader), [])[0].column(0).type)
    assert batch.column(0).to_pylist() == expected.to_pylist()


@pytest.mark.parametrize(
    ("writer", "reader", "why"),
    [
        ("string", "int", "string can't be read as int"),
        ("long", "int", "long can't be read as int"),
        (record(field("a", "int")), record(field("b", "int")), "R.b is not in the writer's schema, and has no default"),
        (record(field("a", "int")), record(field("a", "int"), name="S"), "the names of record R and record S differ"),
        (
            {"type": "fixed", "name": "F", "size": 3},
            {"type": "fixed", "name": "F", "size": 4},
            "the sizes of fixed F",
        ),
        (
            {"type": "long", "logicalType": "timestamp-millis"},
            {"type": "long", "logicalType": "timestamp-micros"},
            "the value would change",
        ),
        ("int", ["null", "string"], "int is not a branch of the reader's union"),
        (
            record(field("a", "int")),
            record(field("b", "int", default="x")),
            "the default 'x' is not a value of type int",
        ),
    ],
)
def test_what_cannot_be_resolved_is_refused_when_the_format_is_made(writer: Any, reader: Any, why: str) -> None:
    with pytest.raises(AvroSchemaError, match=why):
        Avro(writer, reader_schema=reader)


def test_a_branch_that_the_reader_cannot_have_makes_the_values_bad_that_have_it() -> None:
    data = [encoded(["int", "string", "null"], value) for value in (1, "x", None, 2)]
    batch, bad = decoded(Avro(["int", "string", "null"], reader_schema="int"), data)
    assert batch.column(0).to_pylist() == [1, None, None, 2]
    assert [(each.row, each.reason) for each in bad] == [
        (1, "string can't be read as int"),
        (2, "null can't be read as int"),
    ]


def test_a_symbol_that_the_reader_does_not_know_makes_the_value_bad() -> None:
    data = [encoded(enum("A", "B"), value) for value in "AB"]
    batch, bad = decoded(Avro(enum("A", "B"), reader_schema=enum("A")), data)
    assert batch.column(0).to_pylist() == ["A", None]
    assert "has a symbol that the reader's enum lacks" in bad[0].reason


def test_defaults_of_all_types_are_what_the_schema_says() -> None:
    """Bytes are written as characters; the first branch that fits is a union's. fastavro gives the JSON as it is."""
    inner = record(field("x", "int"), field("y", "double", default=0.5), name="Inner")
    reader = record(
        field("bytes", "bytes", default="\u00ff\u0000"),
        field("fixed", {"type": "fixed", "name": "F", "size": 2}, default="\u0001\u00fe"),
        field("union", ["null", "string"], default="text"),
        field("many", ["null", "int", "string"], default=3),
        field("record", inner, default={"x": 1}),
        field("map", {"type": "map", "values": "boolean"}, default={"k": True}),
        field("nothing", "null", default=None),
        field("float", "float", default=1),
    )
    batch, bad = decoded(Avro(record(field("gone", "string")), reader_schema=reader), [encoded("string", "x")] * 2)
    assert bad == []
    assert batch.to_pylist() == 2 * [
        {
            "bytes": b"\xff\x00",
            "fixed": b"\x01\xfe",
            "union": "text",
            "many": {"int": 3, "string": None},
            "record": {"x": 1, "y": 0.5},
            "map": [("k", True)],
            "nothing": None,
            "float": 1.0,
        }
    ]


def test_several_writers_schemas_in_one_batch() -> None:
    schemas = {
        1: record(field("a", "int")),
        2: record(field("a", "long"), field("b", "string", default="none")),
        7: record(field("c", "string")),
    }
    asked: list[int] = []

    def registry(schema_id: int) -> Any:
        asked.append(schema_id)
        return schemas[schema_id]

    values = [
        framed(1, encoded(schemas[1], {"a": 1})),
        framed(2, encoded(schemas[2], {"a": 2, "b": "x"})),
        None,
        framed(9, b""),
        b"\x01\0\0\0\x01\x02",
        framed(7, encoded(schemas[7], {"c": "x"})),
        framed(1, encoded(schemas[1], {"a": 3})),
    ]
    batch, bad = decoded(Avro(registry=registry, reader_schema=schemas[2]), values)
    rows = [(row["a"], row["b"]) for row in batch.to_pylist()]
    nothing = (None, None)
    assert rows == [(1, "none"), (2, "x"), nothing, nothing, nothing, nothing, (3, "none")]
    assert [(each.row, each.reason) for each in bad] == [
        (3, "schema 9: the registry has no schema 9"),
        (4, "the value does not begin with a zero byte and the id of a schema (at byte 0)"),
        (5, "schema 7: R.a is not in the writer's schema, and has no default"),
    ]
    assert sorted(set(asked)) == [1, 2, 7, 9]
    assert asked.count(1) == 1


def test_values_of_ever_other_ids_cost_no_more_for_all_that_came_before() -> None:
    avro = Avro(registry={1: "int"})
    values = [framed(number, b"\x02") for number in range(1, 500)]
    batch, bad = decoded(avro, values)
    assert batch.column(0).null_count == len(bad) == 498
    assert bad[-1].reason == "schema 499: the registry has no schema 499"
    assert decoded(avro, values[:1])[1] == []


def test_ids_without_a_schema_push_out_none_that_has_one() -> None:
    """Values that are not Avro can have any id."""
    decoder: Any = Avro(registry={1: "int"}).decoder("value", True)
    values = buffers_of([framed(number, b"\x02") for number in range(1, 500)])
    decoder.decode(values, 0, 1)
    program = decoder._target.known(1)
    decoder.decode(values, 1, 499)
    assert decoder._target.known(1) is program


def test_schemas_that_are_used_in_turns_are_learned_once_and_the_last_ones_kept() -> None:
    """As many as there are in a registry, of which values of any id may be sent."""
    asked: list[int] = []

    def registry(schema_id: int) -> Any:
        asked.append(schema_id)
        return record(field("a", "int"), field(f"b{schema_id}", "null"))

    avro = Avro(registry=registry, reader_schema=record(field("a", "long")))
    values = [framed(number, b"\x02") for number in (*range(150), 149, 148, 1, 149)] * 2
    batch, bad = decoded(avro, values)
    assert (set(batch.column(0).to_pylist()), bad) == ({1}, [])
    assert sorted(asked) == list(range(150))


def test_a_cache_keeps_what_was_used_last_and_no_more_than_twice_as_much() -> None:
    cache: Recent[int] = Recent(10)
    for key in range(100):
        cache.put(key, -key)
        assert cache.get(0) == 0, "it is used again and again"
        assert len(cache.young) <= 10
    assert [cache.get(key) for key in range(91, 100)] == [-key for key in range(91, 100)]
    assert [cache.get(key) for key in range(1, 80)] == [None] * 79


def test_a_pickle_has_what_another_process_can_use() -> None:
    """Neither the numbers of this one, nor schemas that may be there by then."""
    guid = UUID(int=7)
    avro = Avro(registry={1: "int", str(guid): "int"}, reader_schema="long")
    values = [framed(1, b"\x02"), framed(number_of(guid) % 2**32, b"\x02"), framed(3, b"\x02")]
    decoded(avro, values)
    other = pickle.loads(pickle.dumps(avro))
    target = other.decoder("value", True)._target
    assert (target.known(1) is not None, target.known(number_of(guid)), target.known(3)) == (True, None, None)
    assert decoded(other, values)[0].column(0).to_pylist() == [1, 1, None]


def test_a_schema_that_is_not_there_may_come_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a registry of several nodes, some of which have it later."""
    schemas = {1: "int"}
    avro = Avro(registry=schemas, reader_schema="int")
    value = [framed(2, b"\x02")]
    assert [bad.row for bad in decoded(avro, value)[1]] == [0]
    schemas[2] = "int"
    assert [bad.row for bad in decoded(avro, value)[1]] == [0], "it is not asked for with each batch"
    late_s = clocks.monotonic() + FAILURE_S
    monkeypatch.setattr(clocks, "monotonic", lambda: late_s)
    assert decoded(avro, value)[0].column(0).to_pylist() == [1]


def test_a_frame_of_any_id_is_read_by_one_program() -> None:
    decoder: Any = Avro("int", framed=True).decoder("value", True)
    values = [framed(number, b"\x02") for number in (*range(300), 2**32 - 1)]
    columns, bad = decoder.decode(buffers_of(values), 0, len(values))
    assert (pa.record_batch(columns).column(0).to_pylist(), bad) == ([1] * 301, [])
    assert len(decoder._target.programs) == 1


def test_a_default_that_makes_all_values_bad_is_refused_when_the_format_is_made() -> None:
    """Where the writers' schemas come later, their values say so."""
    time = {"type": "int", "logicalType": "time-millis"}
    writer, reader = record(field("a", "int")), record(field("a", "int"), field("b", time, default=90_000_000))
    why = "R.b: the default 90000000 is bad: a time is not within a day"
    with pytest.raises(AvroSchemaError, match=why):
        Avro(writer, reader_schema=reader)
    _, bad = decoded(Avro(registry={1: writer, 2: reader}), [framed(1, b"\x02"), framed(2, b"\x02\x04")])
    assert [(each.row, each.reason.partition(", or")[0]) for each in bad] == [(0, f"schema 1: {why}")]


def test_a_default_that_no_value_needs_is_not_looked_at() -> None:
    """Many schemas have null as the default of what can't be null."""
    schema = record(field("a", "string", default=None))
    assert decoded(Avro(schema), [b"\x02x"])[0].to_pylist() == [{"a": "x"}]


def test_without_a_readers_schema_it_is_that_of_the_highest_id() -> None:
    schemas: dict[int, Any] = {1: "int", 3: "long"}
    batch, _ = decoded(Avro(registry=schemas), [framed(1, b"\x02"), framed(3, b"\x04")])
    assert (batch.schema.field(0).type, batch.column(0).to_pylist()) == (pa.int64(), [1, 2])


def test_the_id_of_a_frame_is_not_looked_at_where_the_schema_is_given() -> None:
    batch, _ = decoded(Avro("int", framed=True), [framed(5, b"\x02"), framed(6, b"\x04")])
    assert batch.column(0).to_pylist() == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "either the schema of all values or a registry"),
        ({"schema": "int", "registry": {}}, "either the schema of all values or a registry"),
        ({"registry": {}}, "the registry has no schema"),
        ({"registry": print}, "the newest schema is unknown"),
    ],
)
def test_what_is_missing_is_told(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Avro(**arguments)
