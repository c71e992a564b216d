"""Whatever the bytes are: a bad value is null, says why, and leaves all others as they are."""

from __future__ import annotations

import struct
from array import array
from typing import Any

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.values import Protobuf
from tests.values.decoding import buffers_of
from tests.values.protobuf_messages import F, check, decoded, delimited, expectation, made, rows_of, tag
from tests.values.protobuf_samples import GOOD, WIDE

VALUES = [WIDE(**value).SerializeToString() for value in GOOD]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b"\x08", "ends too early"),
        (b"\x08\x80", "ends too early (at byte 2)"),
        (b"\x08" + b"\xff" * 11, "a varint is too long"),
        (b"\x00\x00", "an invalid number or wire type"),
        (b"\x0f", "an invalid number or wire type"),
        (b"\x12\x05abc", "a length is greater than the number of bytes left"),
        (b"\x12\xff\xff\xff\xff\x0f", "a length is greater than the number of bytes left"),
        (b"\x0c", "a group ends without having begun"),
        (tag(100, 3) * 101, "nested too deeply"),
        (b"\x12\x01\xff", "not UTF-8"),
        (b"\x09abc", "ends too early"),
        (b"\x0d\x01", "ends too early"),
        (b"\x0a\x00\x0a\x00\x12\x01\xff", "not UTF-8"),
        (delimited(9, b"\x08\x01") * 2 + b"\x0f", "protobuf refuses the value"),
    ],
)
def test_a_bad_value_is_null_and_says_why(value: bytes, why: str) -> None:
    kind = made([F("a", 1, "int32"), F("s", 2, "string"), F("m", 9, ".t.N")], N=[F("x", 1, "int32")])
    batch, bad = decoded(Protobuf(kind), [value, b"\x08\x05"])
    assert rows_of(batch) == [{"a": None, "s": None, "m": None}, {"a": 5, "s": "", "m": None}]
    if ACCELERATED:
        assert why in bad[0].reason


@pytest.mark.parametrize("place", range(4))
def test_a_bad_value_at_any_place_leaves_the_others_as_they_are(place: int) -> None:
    """Cut off at any byte, it is bad, or what protobuf makes of it."""
    protobuf = Protobuf(WIDE)
    alone = rows_of(decoded(protobuf, VALUES)[0])
    whole = VALUES[1]
    ends = range(len(whole)) if place == 1 else range(0, len(whole), 7)
    for end in ends:
        batch, bad = decoded(protobuf, [*VALUES[:place], whole[:end], None, *VALUES[place:]])
        rows = rows_of(batch)
        assert rows[:place] + rows[place + 2 :] == alone
        is_bad = expectation(WIDE, whole[:end]) is None
        assert [each.row for each in bad] == [place] * is_bad
        assert set(rows[place + 1].values()) == {None}


def test_many_bad_values_among_good_ones() -> None:
    values = [VALUES[1] if row % 3 else VALUES[1][: row % 7 + 1] + b"\x0f" for row in range(300)]
    batch, bad = decoded(Protobuf(WIDE), values)
    assert [each.row for each in bad] == list(range(0, 300, 3))
    assert batch.column("s").null_count == len(bad)


def test_rows_are_counted_from_the_first_of_the_column() -> None:
    kind = made([F("a", 1, "int32")])
    batch, bad = decoded(Protobuf(kind), [b"\x08\x01", b"\x08\x02", b"\x08", b"\x08\x03"], start=1)
    assert (batch.column(0).to_pylist(), [each.row for each in bad]) == ([2, None, 3], [2])


@pytest.mark.skipif(not ACCELERATED, reason="the extension is not there")
def test_a_few_bytes_cannot_fill_much_memory() -> None:
    fields = [F(f"f{number}", number, "double") for number in range(1, 1001)]
    kind = made([F("l", 1, ".t.N", "repeated")], N=fields)
    decoder: Any = Protobuf(kind).decoder("value", True)
    _, bad = decoder.decode(buffers_of([b"\x0a\x00" * 5000, b"\x0a\x00" * 100]), 0, 2)
    assert [each.reason for each in bad] == ["messages in lists have too many absent fields (at byte 8390)"]


def test_a_packed_length_without_its_bytes_takes_no_memory() -> None:
    kind = made([F("a", 1, "fixed64", "repeated")])
    check(kind, [b"\x0a\xf8\xff\xff\xff\x07" + bytes(64)])


@pytest.mark.parametrize("is_twice", [False, True])
def test_an_error_of_the_merging_is_raised(monkeypatch: Any, is_twice: bool) -> None:
    if not ACCELERATED:
        pytest.skip("the extension is not there")
    kind = made([F("m", 9, ".t.N")], N=[F("x", 1, "int32")])
    decoder: Any = Protobuf(kind).decoder("value", True)
    answers: list[Any] = [ZeroDivisionError(), 5]

    def merged(*_: Any) -> Any:
        answer = answers[is_twice]
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(decoder, "_merged", merged)
    with pytest.raises(TypeError if is_twice else ZeroDivisionError):
        decoder.decode(buffers_of([b"", b"\x4a\x00" * 2]), 0, 2)


@pytest.mark.skipif(not ACCELERATED, reason="the extension is not there")
class TestTheExtension:
    """It takes nothing for granted, not even what only this library hands to it."""

    LAYOUT = (
        (5, 0, "+s", "", False, 5, None, None),
        (2, 4, "i", "a", True, 2, None, None),
        (4, 0, "+l", "l", True, 4, None, None),
        (3, 0, "u", "item", False, 4, None, None),
        (1, 0, "b", "c", False, 5, None, None),
    )
    #: A message with one field.
    MESSAGES = (0, 1, 1, 2)
    VALUE = (0, 0, 12, 0, 0, 0, 0, -1, 0, 0, 0)
    GOOD = (8, 0, 1, 1, 0, 0, 0, -1, 0, 0, 0)

    def run(
        self, fields: Any, messages: Any = MESSAGES, table: Any = (), blob: bytes = b"", values: Any = (b"",)
    ) -> Any:
        builder = accelerator.ColumnBuilder(self.LAYOUT)
        numbers = array("q", (number for field in fields for number in field))
        program = (array("q", messages), numbers, array("q", table), blob, array("q"))
        return accelerator.protobuf_decode(builder, program, buffers_of(values), 0, len(values), lambda row: None)

    def test_a_sound_program_is_run(self) -> None:
        assert self.run([self.VALUE, self.GOOD]) == (1, [])

    @pytest.mark.parametrize(
        "field",
        [
            (8, 0, -1, 1, 0, 0, 0, -1, 0, 0, 0),
            (8, 0, 19, 1, 0, 0, 0, -1, 0, 0, 0),
            (8, 0, 2, 1, 0, 0, 0, -1, 0, 0, 0),
            (8, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0),
            (8, 0, 1, 9, 0, 0, 0, -1, 0, 0, 0),
            (8, 0, 1, -1, 0, 0, 0, -1, 0, 0, 0),
            (8, 0, 1, 1, 1, 0, 0, -1, 0, 0, 0),
            (8, 0, 8, 2, 2, 0, 0, -1, 0, 0, 0),
            (8, 0, 1, 1, 3, 0, 0, -1, 0, 0, 0),
            (8, 0, 9, 1, 0, 0, 1, -1, 0, 0, 0),
            (8, 0, 9, 1, 0, -1, 0, -1, 0, 0, 0),
            (8, 0, 12, 1, 0, 0, 0, -1, 0, 0, 0),
            (8, 0, 12, 1, 0, 1, 0, -1, 0, 0, 0),
            (8, 0, 14, 1, 0, 1, 0, -1, 0, 0, 0),
            (8, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0),
            (8, 0, 1, 1, 0, 0, 0, -2, 0, 0, 0),
            (8, 0, 1, 1, 0, 0, 0, -1, 1, 0, 4),
            (8, 0, 1, 1, 0, 0, 0, -1, 2, 0, 0),
            (8, 0, 1, 1, 0, 0, 0, -1, 3, 0, 0),
        ],
    )
    def test_a_field_that_leads_out_of_its_columns_is_refused(self, field: Any) -> None:
        with pytest.raises(ValueError, match="does not fit"):
            self.run([self.VALUE, field])

    @pytest.mark.parametrize(
        "messages",
        [(0, 1, 1, 3), (0, 1, 0, 1), (0, 1, 2, 1), (9, 1, 1, 2), (1, 1, 1, 2), (0, 2, 1, 2), (0, 3, 1, 2), (), (0,)],
    )
    def test_a_message_that_leads_out_of_its_fields_is_refused(self, messages: Any) -> None:
        with pytest.raises(ValueError, match="does not fit"):
            self.run([self.VALUE, self.GOOD], messages)

    def test_tables_and_defaults_that_lie_outside_are_refused(self) -> None:
        with pytest.raises(ValueError, match="does not fit"):
            self.run([self.VALUE, (8, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0)], table=(1, 9))
        with pytest.raises(ValueError, match="does not fit"):
            self.run([self.VALUE, (8, 0, 1, 1, 0, 0, 0, -1, 1, 0, 3)], blob=b"abc")
        with pytest.raises(ValueError, match="does not fit"):
            self.run([self.VALUE, self.GOOD, self.GOOD], (0, 1, 1, 3))
        with pytest.raises(ValueError, match="does not fit"):
            self.run([])

    def test_a_program_is_a_tuple_of_buffers(self) -> None:
        builder = accelerator.ColumnBuilder(self.LAYOUT)
        with pytest.raises(TypeError):
            accelerator.protobuf_decode(builder, (1, 2), buffers_of([b""]), 0, 1, print)  # type: ignore[arg-type]

    @pytest.mark.parametrize(("start", "stop"), [(-1, 1), (0, 2), (1, 0), (0, 2**31)])
    def test_a_run_outside_of_the_column_is_refused(self, start: int, stop: int) -> None:
        builder = accelerator.ColumnBuilder(self.LAYOUT)
        program = (array("q"), array("q"), array("q"), b"", array("q"))
        with pytest.raises(ValueError, match="outside"):
            accelerator.protobuf_decode(builder, program, buffers_of([b""]), start, stop, print)


def test_the_sample_has_good_values() -> None:
    check(WIDE, [*VALUES, b"", VALUES[1] + VALUES[2], struct.pack("<BQ", 0x09, 5)])
