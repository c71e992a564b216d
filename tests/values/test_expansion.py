"""How much memory a small value can take: an allowance limits nulls, defaults and empty items in lists."""

from __future__ import annotations

import sys
import threading
from array import array
from typing import Any

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values import Avro
from kafka_nextgen.values.avro.compiling import compiled
from kafka_nextgen.values.avro.encoding import zigzag
from kafka_nextgen.values.avro.layout import layout_of
from kafka_nextgen.values.avro.parsing import parse
from kafka_nextgen.values.avro.program import EXPANSION, FREE_BYTES
from kafka_nextgen.values.columns import flattened
from tests.values.decoding import decoded, encoded

WHY = "arrays and maps expand to more than 4 KiB plus 256 times the size of the value"


def fields(*kinds: Any, prefix: str = "f") -> list[dict[str, Any]]:
    return [{"name": f"{prefix}{number}", "type": kind} for number, kind in enumerate(kinds)]


def record(name: str, *kinds: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": fields(*kinds)}


def items(kind: Any) -> dict[str, Any]:
    return {"type": "array", "items": kind}


WIDE = record("Wide", *["long"] * 500)
EMPTY = {"type": "record", "name": "Item", "fields": []}
#: A list of items of a kind, and how each of them begins: with the least bytes.
LISTS: dict[str, tuple[Any, bytes]] = {
    "null of a wide record": (["null", WIDE], b"\0"),
    "a branch beside a wide record": (["null", WIDE, "int"], b"\x04\0"),
    "null of a union": (["int", WIDE, "null"], b"\x04"),
    "records without bytes in a record": (record("Outer", "int", *[EMPTY] * 300), b"\0"),
    "nulls in a record": (record("Outer", "int", *["null"] * 300), b"\0"),
}
LISTS["records without bytes in a record"][0]["fields"][2:] = fields(*["Item"] * 299, prefix="g")


@pytest.mark.parametrize("name", LISTS)
def test_items_that_become_much_more_than_they_are_make_a_value_bad_and_no_other(name: str) -> None:
    kind, item = LISTS[name]
    few, many = (zigzag(count) + item * count + b"\0" for count in (1, 200))
    batch, bad = decoded(Avro(items(kind)), [few, many, few], False)
    assert [(each.row, each.reason.partition(" (")[0]) for each in bad] == [(1, WHY)]
    assert [None if row is None else len(row) for row in batch.column(0).to_pylist()] == [1, None, 1]


def test_nulls_of_fields_that_the_schema_of_the_values_lacks_count_in_items() -> None:
    written = {"type": "record", "name": "Item", "fields": fields("int")}
    nulls = [{**field, "default": None} for field in fields(*[["null", "long"]] * 100, prefix="g")]
    wanted = {**written, "fields": [*written["fields"], *nulls]}
    few, many = (zigzag(count) + b"\2" * count + b"\0" for count in (1, 200))
    _, bad = decoded(Avro(items(written), reader_schema=items(wanted)), [few, many, few], False)
    assert [(each.row, each.reason.partition(" (")[0]) for each in bad] == [(1, WHY)]


def test_a_default_in_items_counts_and_one_beside_them_does_not() -> None:
    """The number of items is the value's; what is there once in each value is what the reader asked for."""
    text = "x" * 3000
    item = {**EMPTY, "fields": [{"name": "text", "type": "string", "default": text}]}
    beside = {"name": "beside", "type": items("string"), "default": [text] * 5}
    writer = {"type": "record", "name": "R", "fields": [{"name": "items", "type": items(EMPTY)}]}
    reader = {**writer, "fields": [{"name": "items", "type": items(item)}, beside]}
    batch, bad = decoded(Avro(writer, reader_schema=reader), [zigzag(count) + b"\0" for count in (1, 2)])
    assert batch.to_pylist() == [{"items": [{"text": text}], "beside": [text] * 5}, {"items": None, "beside": None}]
    assert [(each.row, each.reason) for each in bad] == [(1, f"{WHY} (at byte 1)")]


def test_the_allowance_is_4_kib_and_256_times_the_bytes_of_the_value() -> None:
    """A null of a fixed of 200 bytes takes 201, with its validity."""
    schema = items(["null", {"type": "fixed", "name": "F", "size": 200}])
    assert FREE_BYTES // (201 - EXPANSION) < 0, "a byte of the value pays for each null"
    wide = items(["null", {"type": "record", "name": "R", "fields": fields(schema["items"][1], *["F"] * 9)}])
    most = (FREE_BYTES + EXPANSION * 2) // (10 * 201 + 1 - EXPANSION)
    for count in (most, most + 1):
        data = zigzag(count) + b"\0" * count + b"\0"
        assert len(decoded(Avro(wide), [data], False)[1]) == count - most
        assert decoded(Avro(schema), [data], False)[1] == []


def test_a_null_of_a_long_fixed_takes_none_of_its_bytes() -> None:
    schema = ["null", {"type": "fixed", "name": "F", "size": 1 << 20}]
    batch, bad = decoded(Avro(schema), [b"\0", None, b"\x02" + b"x" * (1 << 20), b""], False)
    assert [row and len(row) for row in batch.column(0).to_pylist()] == [None, None, 1 << 20, None]
    assert [each.row for each in bad] == [3]
    assert batch.nbytes < 2 << 20


def test_a_fixed_that_is_dropped_or_cut_off_may_be_long_too() -> None:
    long = {"type": "fixed", "name": "F", "size": 300}
    writer = {"type": "record", "name": "R", "fields": fields(long, "int")}
    reader = {"type": "record", "name": "R", "fields": [{"name": "f1", "type": "int"}]}
    values = [b"x" * 300 + b"\x02", b"x" * 299]
    assert decoded(Avro(writer, reader_schema=reader), values)[0].to_pylist() == [{"f1": 1}, {"f1": None}]
    batch, bad = decoded(Avro(writer), values)
    assert batch.to_pylist() == [{"f0": b"x" * 300, "f1": 1}, {"f0": None, "f1": None}]
    assert bad[0].reason == "the value ends too early (at byte 0)"


def test_the_table_of_an_enum_is_made_once_for_all_its_uses() -> None:
    enum = {"type": "enum", "name": "E", "symbols": [f"S{number}" for number in range(1000)]}
    kind = parse({"type": "record", "name": "R", "fields": fields(enum, *["E"] * 199)})
    assert len(compiled(kind, kind, layout_of(kind, "value", True), True).table) == 1000


def test_enums_with_too_many_symbols_in_all_columns_are_refused() -> None:
    enum = {"type": "enum", "name": "E", "symbols": [f"S{number:01000}" for number in range(100)]}
    with pytest.raises(AvroSchemaError, match="the symbols of all enums have more than"):
        Avro({"type": "record", "name": "R", "fields": fields(enum, *["E"] * 199)})


def test_the_defaults_of_a_program_are_made_once_and_bounded() -> None:
    text = "x" * (1 << 19)
    item = {"type": "record", "name": "Item", "fields": [{"name": "text", "type": "string", "default": text}]}
    writer = {"type": "record", "name": "R", "fields": fields(EMPTY, *["Item"] * 9)}
    reader = {"type": "record", "name": "R", "fields": fields(item, *["Item"] * 9)}
    assert decoded(Avro(writer, reader_schema=reader), [b""])[0].to_pylist()[0]["f9"] == {"text": text}
    more = {**item, "fields": [{"name": f"t{number}", "type": "string", "default": text} for number in range(2)]}
    with pytest.raises(AvroSchemaError, match="the defaults take more than"):
        Avro(writer, reader_schema={**reader, "fields": fields(more)})


@pytest.mark.skipif(not ACCELERATED, reason="the extension is not there")
def test_other_threads_go_on_while_many_nulls_become_many_columns() -> None:
    """Nulls have no bytes, by which the work could be measured."""
    kind = parse(record("R", *["int"] * 2000))
    root = layout_of(kind, "value", True)
    layout, program = flattened(root), compiled(kind, kind, root, True).buffers(0)
    values = b"", memoryview(array("i", bytes(4 * 201))), bytes(25)
    may_go_on, went_on = threading.Event(), threading.Event()

    def other() -> None:
        may_go_on.wait()
        went_on.set()

    def decode() -> bool:
        """Whether the other thread went on in the meantime."""
        accelerator.avro_decode(accelerator.ColumnBuilder(layout), (program,), 0, values, 0, 200)
        return went_on.is_set()

    before = sys.getswitchinterval()
    thread = threading.Thread(target=other)
    thread.start()
    sys.setswitchinterval(1000)  # seconds: a thread that does not release the GIL keeps it
    try:
        may_go_on.set()
        assert any(decode() for _ in range(1000))
    finally:
        sys.setswitchinterval(before)
    thread.join()


def test_a_value_as_wide_as_it_is_written_costs_nothing() -> None:
    values = [{f"f{number}": number for number in range(500)} for _ in range(3)]
    data = encoded(items(["null", WIDE]), [*values, None])
    batch, bad = decoded(Avro(items(["null", WIDE])), [data], False)
    assert (batch.column(0).to_pylist(), bad) == ([[*values, None]], [])
