"""Whatever the bytes are: a bad value is null, says why, and leaves all others as they are."""

from __future__ import annotations

import struct
from array import array
from typing import Any

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.values import Avro
from kafka_nextgen.values.avro.encoding import zigzag
from kafka_nextgen.values.avro.faults import REASONS, Fault
from kafka_nextgen.values.avro.program import EMPTY_ITEM_BYTES, EXPANSION, FREE_BYTES
from tests.values.decoding import buffers_of, decoded, encoded
from tests.values.samples import GOOD, WIDE

ITEMS = {"type": "array", "items": "int"}
NULLS = {"type": "array", "items": "null"}
MOST_EMPTY_ITEMS = (FREE_BYTES + EXPANSION * 3) // (EMPTY_ITEM_BYTES + 1)  # of a list in three bytes; 1 for the null
TOO_MANY = REASONS[Fault.EXPANDS_TOO_FAR]
UNIT = {"type": "record", "name": "Unit", "fields": []}
DURATION = {"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"}
DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 3}


@pytest.mark.parametrize(
    ("schema", "value", "why"),
    [
        ("int", b"", "ends too early (at byte 0)"),
        ("int", b"\x80", "ends too early (at byte 1)"),
        ("int", zigzag(2**31), "exceeds the 32 bits"),
        ("long", b"\xff" * 10, "exceeds 64 bits"),
        ("long", b"\x80" * 11, "exceeds 64 bits"),
        ("long", b"\x02\x02", "longer than its schema allows (at byte 1)"),
        ("null", b"\0", "longer than its schema allows"),
        ("boolean", b"\x02", "neither 0 nor 1"),
        ("boolean", b"", "ends too early"),
        ("float", b"abc", "ends too early"),
        ("double", b"abcdefg", "ends too early"),
        ("bytes", zigzag(-1), "a length is negative, or greater than the number of bytes left"),
        ("bytes", zigzag(3) + b"ab", "a length is negative, or greater than the number of bytes left"),
        ("string", zigzag(2**62), "a length is negative, or greater than the number of bytes left"),
        ("string", b"\x02\xff", "not UTF-8"),
        ("string", zigzag(12) + b"12345678\xed\xa0\x80x", "not UTF-8"),
        (DURATION, struct.pack("<III", 2**31, 0, 0), "a duration exceeds"),
        (DURATION, struct.pack("<III", 0, 2**31, 0), "a duration exceeds"),
        (DURATION, b"x" * 11, "ends too early"),
        (WIDE["fields"][5]["type"], zigzag(2), "no symbol with this index"),
        (WIDE["fields"][5]["type"], zigzag(-1), "no symbol with this index"),
        (["null", "int"], zigzag(2), "no branch with this index"),
        (["null", "int"], zigzag(-1), "no branch with this index"),
        (["int", "string"], zigzag(2), "no branch with this index"),
        (ITEMS, zigzag(2**62), "more items than the bytes left can contain"),
        (ITEMS, zigzag(-(2**63)) + b"\0", "a length is negative"),
        (ITEMS, zigzag(-1) + zigzag(5) + b"\x02\0", "a length is negative, or greater"),
        (ITEMS, zigzag(1) + b"\x02", "ends too early"),
        (NULLS, zigzag(2**40), TOO_MANY),
        (NULLS, zigzag(MOST_EMPTY_ITEMS + 1) + b"\0", TOO_MANY),
        ({"type": "array", "items": NULLS}, 2 * b"\x02" + zigzag(2**40), TOO_MANY),
        ({"type": "array", "items": UNIT}, zigzag(2**40), TOO_MANY),
        (NULLS, 2 * zigzag(MOST_EMPTY_ITEMS) + b"\0", TOO_MANY),
        ({"type": "map", "values": "null"}, zigzag(2**40), "more items than the bytes left can contain"),
        (DECIMAL, b"\x04\x03\xe8", "more digits than its precision"),
        (DECIMAL, b"\x04\xfc\x18", "more digits than its precision"),
        (DECIMAL, zigzag(40) + b"\x80" + bytes(39), "more digits than its precision"),
        (
            {"type": "string", "logicalType": "uuid"},
            encoded("string", "1" * 36),
            "not have the usual form of 36 characters",
        ),
        ({"type": "string", "logicalType": "uuid"}, encoded("string", "x"), "not have the usual form of 36 characters"),
        ({"type": "int", "logicalType": "time-millis"}, zigzag(86_400_000), "not within a day"),
        ({"type": "long", "logicalType": "time-micros"}, zigzag(-1), "not within a day"),
    ],
)
def test_a_bad_value_is_null_and_says_why(schema: Any, value: bytes, why: str) -> None:
    batch, bad = decoded(Avro(schema), [value], False)
    assert batch.column(0).null_count == 1
    assert why in bad[0].reason


def test_as_many_items_without_bytes_as_there_may_be() -> None:
    batch, bad = decoded(Avro(NULLS), [zigzag(MOST_EMPTY_ITEMS) + b"\0", zigzag(-4) + b"\0\0"])
    assert (bad, [len(row) for row in batch.column(0).to_pylist()]) == ([], [MOST_EMPTY_ITEMS, 4])


@pytest.mark.parametrize("place", range(4))
def test_a_bad_value_at_any_place_leaves_the_others_as_they_are(place: int) -> None:
    values: list[bytes | None] = [encoded(WIDE, value) for value in GOOD]
    alone = decoded(Avro(WIDE), values)[0].to_pylist()
    whole = encoded(WIDE, GOOD[1])
    for end in range(len(whole)):
        batch, bad = decoded(Avro(WIDE), [*values[:place], whole[:end], None, *values[place:]])
        rows = batch.to_pylist()
        assert [each.row for each in bad] == [place]
        assert rows[:place] + rows[place + 2 :] == alone
        assert set(rows[place].values()) == set(rows[place + 1].values()) == {None}


def test_many_bad_values_among_good_ones() -> None:
    good = encoded(WIDE, GOOD[1])
    values = [good if row % 3 else good[: row % len(good)] for row in range(1000)]
    batch, bad = decoded(Avro(WIDE), values)
    assert [each.row for each in bad] == list(range(0, 1000, 3))
    assert batch.column("s").null_count == len(bad)


def test_rows_are_counted_from_the_first_of_the_column() -> None:
    batch, bad = decoded(Avro("int"), [b"\x02", b"\x04", b"", b"\x06"], start=1)
    assert (batch.column(0).to_pylist(), [each.row for each in bad]) == ([2, None, 3], [2])


@pytest.mark.skipif(not ACCELERATED, reason="the extension is not there")
class TestTheExtension:
    """It takes nothing for granted, not even what only this library hands to it."""

    LAYOUT = ((5, 0, "+s", "", False, 2, None, None), (2, 4, "i", "a", True, 2, None, None))

    @pytest.mark.parametrize(
        "layout",
        [
            (),
            ((2, 4, "i", "a", True, 1, None, None),),
            ((5, 0, "+s", "", False, 3, None, None), (2, 4, "i", "a", True, 2, None, None)),
            ((5, 0, "+s", "", False, 2, None, None), (2, 4, "i", "a", True, 1, None, None)),
            ((5, 0, "+s", "", False, 2, None, None), (2, 0, "i", "a", True, 2, None, None)),
            ((5, 0, "+s", "", False, 2, None, None), (4, 0, "+l", "a", True, 2, None, None)),
            ((5, 0, "+s", "", False, 2, None, None), (9, 0, "+l", "a", True, 2, None, None)),
            ((5, 0, "+s", "", False, 2, None, None), (2, 8, "l", "a", True, 2, ("x",), None)),
            tuple((5, 0, "+s", "", False, 100, None, None) for _ in range(100)),
        ],
    )
    def test_a_layout_that_is_none_is_refused(self, layout: Any) -> None:
        with pytest.raises(ValueError, match="column"):
            accelerator.ColumnBuilder(layout)

    @pytest.mark.parametrize(
        "code",
        [
            [],
            [3, 1, 0, 0, 0],
            [99, 1, 0, 0, 0],
            [4, 1, 0, 0, 0],
            [3, 2, 0, 0, 0],
            [26, -1, 0, 0, 0],
            [26, -1, 2, 0, 0],
            [22, -1, 5, 0, 0],
            [24, -1, 1, 0, 0],
            [16, 1, 1, 0, 0],
            [17, 1, -1, 0, 0],
            [27, -1, 0, 9, 0],
            [15, 1, 5, 0, 0],
            [21, 1, 2, 0, 0],
            [1, 1, 0, 0, -1],
            [30, 1, 4, 0, 0],
        ],
    )
    def test_a_program_that_leads_out_of_its_columns_is_refused(self, code: list[int]) -> None:
        builder = accelerator.ColumnBuilder(self.LAYOUT)
        end = [0, -1, 0, 0, 0] if len(code) and code[0] != 3 else []
        program = (0, array("q", code + end), array("q"), b"")
        with pytest.raises(ValueError, match="does not fit"):
            accelerator.avro_decode(builder, (program,), 0, buffers_of([b"\x02"]), 0, 1)

    @pytest.mark.parametrize("op", [23, 28])
    def test_the_end_of_a_list_or_default_that_was_not_begun_is_refused(self, op: int) -> None:
        builder = accelerator.ColumnBuilder(self.LAYOUT)
        program = (0, array("q", [20, 0, 0, 0, 0, op, -1, 0, 0, 0, 0, -1, 0, 0, 0]), array("q"), b"")
        answer = accelerator.avro_decode(builder, (program,), 0, buffers_of([b"\x02"]), 0, 1)
        assert answer == (1, [(0, Fault.NOT_RESOLVED, 0, 0)])

    @pytest.mark.parametrize("framing", [0, 1])
    def test_without_ids_there_has_to_be_a_program(self, framing: int) -> None:
        with pytest.raises(ValueError, match="a program is required"):
            accelerator.avro_decode(accelerator.ColumnBuilder(self.LAYOUT), (), framing, buffers_of([b"\x02"]), 0, 1)

    @pytest.mark.parametrize(("start", "stop"), [(-1, 1), (0, 2), (1, 0), (0, 2**31)])
    def test_a_run_outside_of_the_column_is_refused(self, start: int, stop: int) -> None:
        builder = accelerator.ColumnBuilder(self.LAYOUT)
        with pytest.raises(ValueError, match="outside"):
            accelerator.avro_decode(builder, (), 2, buffers_of([b"\x02"]), start, stop)

    def test_columns_that_were_handed_over_are_empty_then_and_can_be_filled_again(self) -> None:
        builder = accelerator.ColumnBuilder(self.LAYOUT)
        program = (0, array("q", [20, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, -1, 0, 0, 0]), array("q"), b"")
        for _ in range(2):
            accelerator.avro_decode(builder, (program,), 0, buffers_of([b"\x02", b"\x04"]), 0, 2)
            assert len(builder) == 2
            builder.__arrow_c_array__()  # nobody takes it, and it is let go
            assert len(builder) == 0
