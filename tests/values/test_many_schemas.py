"""The union of many schemas: work that is done once and not for each schema, so that the time is about linear."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.values import Avro
from kafka_nextgen.values.avro import defaults, uniting
from kafka_nextgen.values.avro.compiling import compiled
from kafka_nextgen.values.avro.layout import layout_of
from kafka_nextgen.values.avro.parsing import parse
from kafka_nextgen.values.avro.program import INSTRUCTION, Op
from kafka_nextgen.values.avro.readers import UnionSchema
from kafka_nextgen.values.avro.types import NO_DEFAULT, Record
from kafka_nextgen.values.columns import Column, flattened
from tests.values import random_schemas
from tests.values.decoding import buffers_of, decoded, framed

NULLABLE = ["null", "long"]


def record(*names: str, kind: Any = NULLABLE, **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": name, "type": kind, **more} for name in names]}


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[object]:
    """Return a list to which each later call of a module's function adds its arguments."""
    calls: list[object] = []
    real = getattr(module, name)

    def call(*arguments: Any) -> Any:
        calls.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(module, name, call)
    return calls


def test_a_default_is_checked_once_however_many_schemas_lack_the_field(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = parse(record(*(f"f{number}" for number in range(20)), default=None))
    narrow = [parse(record(f"f{number}", default=None)) for number in range(20)]
    calls = counted(monkeypatch, uniting, "encoded")
    union = UnionSchema([(0, wide), *enumerate(narrow, 1)])
    assert (union.schema, len(calls)) == (wide, 20)


def test_a_union_that_a_schema_does_not_change_stays_the_same_object() -> None:
    """Then a comparison with it ends at once."""
    union = UnionSchema([(1, parse(record("a", "b"))), (2, parse(record("c", kind="int")))])
    before = union.schema
    union.meet(3, parse(record("b", "c", kind="int")))
    assert union.schema is before
    union.meet(4, parse(record("d")))
    assert isinstance(before, Record)
    assert isinstance(union.schema, Record)
    assert union.schema.fields[:3] == before.fields
    assert all(now is then for now, then in zip(union.schema.fields, before.fields, strict=False))


def test_fields_side_by_side_that_a_schema_lacks_become_null_by_one_instruction() -> None:
    """A program is as long as the schema of its values, not as the union."""
    names = [f"f{number}" for number in range(100)]
    reader, writer = parse(record(*names, default=None)), parse(record("f0", "f50"))
    code = compiled(writer, reader, layout_of(reader, "", True), True).code
    assert [code[at] for at in range(0, len(code), INSTRUCTION)].count(Op.NULL) == 2
    values = [framed(1, b"\x02\x04\x02\x06")]
    batch, bad = decoded(Avro(registry={1: record("f0", "f50")}, reader_schema=record(*names, default=None)), values)
    assert bad == []
    assert batch.to_pylist() == [{name: {"f0": 2, "f50": 3}.get(name) for name in names}]


def test_a_default_between_two_nulls_is_read_and_structs_become_null_with_all_in_them() -> None:
    inner = {"type": "record", "name": "I", "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "string"}]}
    fields: list[dict[str, Any]] = [
        {"name": "a", "type": ["null", inner], "default": None},
        {"name": "b", "type": "null", "default": None},
        {"name": "c", "type": "int", "default": 7},
        {"name": "d", "type": ["null", "I", "int"], "default": None},
        {"name": "e", "type": {"type": "array", "items": "I"}, "default": []},
        {"name": "f", "type": ["int", "null"], "default": 8},
    ]
    reader = {"type": "record", "name": "R", "fields": fields}
    schemas = {1: record(), 2: {**reader, "fields": fields[:1]}}
    values = [framed(1, b""), framed(2, b"\x02\x08\x02s"), framed(1, b"")]
    batch, bad = decoded(Avro(registry=schemas, reader_schema=reader), values)
    row = {"a": None, "b": None, "c": 7, "d": None, "e": [], "f": 8}
    assert (batch.to_pylist(), bad) == ([row, {**row, "a": {"x": 4, "y": "s"}}, row], [])


@pytest.mark.skipif(not ACCELERATED, reason="needs the extension in C")
@pytest.mark.parametrize("end", [1, -1, 4])
def test_a_program_whose_nulls_are_not_within_the_columns_is_refused(end: int) -> None:
    kind = parse(record("a", "b"))
    layout = flattened(layout_of(kind, "", True))
    program = compiled(kind, kind, layout_of(kind, "", True), True)
    program.code[: 2 * INSTRUCTION] = type(program.code)("q", (Op.NULL, 1, end, 0, 0, Op.END, -1, 0, 0, 0))
    with pytest.raises(ValueError, match="the program does not fit the columns"):
        accelerator.avro_decode(accelerator.ColumnBuilder(layout), (program.buffers(0),), 0, buffers_of([b""]), 0, 1)


def test_defaults_are_made_once_for_all_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    schemas = {number: record(f"f{number}", kind="long", default=5) for number in range(10)}
    form = Avro(registry=schemas, columns="union")
    calls = counted(monkeypatch, defaults, "encoded")
    _, bad = form.decoder("value", True).decode(buffers_of([framed(number, b"\x02") for number in range(10)]), 0, 10)
    assert (bad, len(calls)) == ([], 10)


def test_pickled_defaults_do_not_use_the_ids_of_this_process() -> None:
    form = Avro(registry={1: record("a", kind="long", default=5), 2: record("b", kind="long")}, columns="union")
    values = [framed(2, b"\x02")]
    assert decoded(form, values)[0].to_pylist() == [{"b": 1, "a": 5}]
    target: Any = form.decoder("value", True)
    assert target._target._defaults._known
    other: Any = pickle.loads(pickle.dumps(form))
    assert not other.decoder("value", True)._target._defaults._known
    assert decoded(other, values)[0].to_pylist() == [{"b": 1, "a": 5}]


def test_a_field_without_a_default_has_none_after_pickling() -> None:
    kind = pickle.loads(pickle.dumps(parse(record("a", kind="int"))))
    assert kind.fields[0].default is NO_DEFAULT


def _depth(column: Column) -> int:
    return 1 + max(map(_depth, column.children), default=0)


@given(random_schemas.schemas)
def test_the_extent_of_a_type_is_that_of_its_columns(schema: Any) -> None:
    kind = parse(schema)
    (column,) = layout_of(kind, "value", False).children
    below = list(column)
    symbols = sum(len(symbol) for each in below for symbol in each.symbols or ())
    assert (kind.extent.columns, kind.extent.levels, kind.extent.characters) == (len(below), _depth(column), symbols)
    assert column.size == len(below)
