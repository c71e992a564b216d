"""Whatever the bytes are: a bad value is null, says why, and leaves all others as they are."""

from __future__ import annotations

import tracemalloc
from array import array
from typing import Any

import pyarrow as pa
import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.values import Json
from kafka_nextgen.values.json.numbers import powers_of_five
from tests.values.decoding import buffers_of, decoded
from tests.values.json_judges import good, why
from tests.values.json_samples import GOOD, WIDE


@pytest.mark.parametrize("place", range(4))
def test_a_bad_value_at_any_place_leaves_the_others_as_they_are(place: int) -> None:
    values: list[bytes | None] = list(GOOD)
    alone = decoded(Json(WIDE), values)[0].to_pylist()
    whole = GOOD[place % len(GOOD)]
    for end in range(len(whole)):
        batch, bad = decoded(Json(WIDE), [*values[:place], whole[:end], None, *values[place:]])
        rows = batch.to_pylist()
        assert [each.row for each in bad] == [place]
        assert rows[:place] + rows[place + 2 :] == alone
        assert set(rows[place].values()) == set(rows[place + 1].values()) == {None}


@pytest.mark.parametrize("name", WIDE.names)
def test_a_bad_field_takes_back_those_in_front_of_it(name: str) -> None:
    text = GOOD[0].replace(b'"%s":' % name.encode(), b'"%s":[[[]]],"_":' % name.encode(), 1)
    batch, bad = decoded(Json(WIDE), [GOOD[1], text, GOOD[1]])
    assert [(each.row, each.reason.split("[")[0].split(" ")[0]) for each in bad] == [(1, name)]
    assert batch.slice(0, 1).equals(batch.slice(2))


def test_many_bad_values_among_good_ones() -> None:
    values = [GOOD[1] if row % 3 else GOOD[1][: row % len(GOOD[1])] for row in range(1000)]
    batch, bad = decoded(Json(WIDE), values)
    assert [each.row for each in bad] == list(range(0, 1000, 3))
    assert batch.column("s").null_count == len(bad)


def test_rows_are_counted_from_the_first_of_the_column() -> None:
    batch, bad = decoded(Json(pa.int8()), [b"1", b"2", b"", b"3"], start=1)
    assert (batch.column(0).to_pylist(), [each.row for each in bad]) == ([2, None, 3], [2])


def test_reasons_name_the_field_and_where_json_ends() -> None:
    assert why(pa.list_(pa.struct([("a", pa.map_(pa.string(), pa.int8()))])), b'[{"a":{"k":300}}]') == (
        "value[].a{} is out of the range of int8"
    )
    assert why(pa.int8(), '"ü'.encode()) == "not JSON: Unterminated string starting at (at byte 0)"
    assert why(pa.int8(), '["ü",'.encode()) == "not JSON: Expecting value (at byte 6)"
    assert why(pa.int8(), b"1\xff") == "not JSON: not UTF-8 (at byte 1)"
    assert why({"enum": ["A"]}, b'"B"') == "value is not one of the strings of its enum"
    assert why(pa.struct([("a", pa.timestamp("us", "UTC"))]), b'{"a":"now"}') == (
        "value.a is not a time with its zone, such as 2026-11-29T12:30:15Z"
    )


@pytest.mark.parametrize("digits", [20, 400, 5000, 100_000])
def test_numbers_of_any_length(digits: int) -> None:
    assert good(pa.float64(), b"0.%s5" % (b"0" * digits), b"1.%s1" % (b"0" * digits)) == [
        float("0." + "0" * digits + "5"),
        1.0,
    ]
    assert good(pa.struct([("a", pa.int8())]), b'{"x":%s,"a":1}' % (b"9" * digits)) == [{"a": 1}]
    assert "is out of the range" in why(pa.int64(), b"1" * digits)
    assert "is not exactly" in why(pa.decimal128(9, 2), b"0.%s1" % (b"0" * digits))
    assert "is not exactly" in why(pa.decimal128(9, 2), b'"1e-%s"' % (b"9" * digits))


@pytest.mark.skipif(not ACCELERATED, reason="the extension is not there")
def test_few_bytes_take_no_memory() -> None:
    decoder: Any = Json(WIDE).decoder("value", True)
    for value in (b"[" * 10_000, b'{"l":[' + b"{}," * 1000, b'{"s":"' + b"\\" * 10_001, b'{"z":"' + b"A" * 10_000):
        tracemalloc.start()
        decoder.decode(buffers_of([value]), 0, 1, in_c=True)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 40 * len(value) + 2_000_000


@pytest.mark.skipif(not ACCELERATED, reason="the extension is not there")
class TestTheExtension:
    """It takes nothing for granted, not even what only this library hands to it."""

    LAYOUT = (
        (5, 0, "+s", "", False, 3, None, None),
        (2, 4, "i", "a", True, 2, None, None),
        (4, 0, "+l", "b", True, 4, None, None),
    )
    LAYOUT = (*LAYOUT[:2], (4, 0, "+l", "b", True, 4, None, None), (3, 0, "u", "item", True, 4, None, None))
    LAYOUT = ((5, 0, "+s", "", False, 4, None, None), *LAYOUT[1:])
    NODES = (14, 0, 2, 0, 2, 1, 0, 1, 15, 0, 0, 1, 4, 0, 0, 1)
    NAMES = (0, 1, 1, 1, 1, 1, 2, 1)

    def decode(self, nodes: Any = NODES, names: Any = NAMES, powers: Any = None, index: int = 0, stop: int = 1) -> Any:
        builder = accelerator.ColumnBuilder(self.LAYOUT)
        program = (array("q", nodes), array("q", names), b"ab", powers_of_five() if powers is None else powers)
        bad = accelerator.json_decode(builder, program, index, 0, buffers_of([b'{"b":["x"],"a":1}']), 0, stop)
        return bad, len(builder)

    def test_what_fits_is_read(self) -> None:
        assert self.decode() == ([], 1)

    @pytest.mark.parametrize(
        ("place", "number"),
        [
            *((0, op) for op in (0, 1, 2, 8, 16, 17, 18, -1)),
            (1, 1),
            (1, -1),
            (2, 1),
            (2, 3),
            (2, 2**62),
            *((4, op) for op in (0, 1, 3 + 9, 4, 5, 7, 9, 15, 16)),
            (5, 2),
            *((8, op) for op in (2, 4, 8, 14, 16, 17)),
            *((12, op) for op in (2, 6, 14, 15, 17)),
        ],
    )
    def test_nodes_that_do_not_fit_the_columns_are_refused(self, place: int, number: int) -> None:
        nodes = list(self.NODES)
        nodes[place] = number
        with pytest.raises(ValueError, match=r"does not fit|into this column"):
            self.decode(nodes)

    @pytest.mark.parametrize(
        "names",
        [
            (0, 1, 2, 1, 1, 1, 1, 1),
            (0, 1, 1, 1, 1, 1, 1, 1),
            (0, 1, 1, 1, 1, 2, 2, 1),
            (0, 1, 1, 1, -1, 1, 2, 1),
            (0, 1, 1, 1),
        ],
    )
    def test_names_that_lead_elsewhere_are_refused(self, names: Any) -> None:
        with pytest.raises(ValueError, match="does not fit"):
            self.decode(names=names)

    def test_too_few_nodes_or_powers_are_refused(self) -> None:
        for arguments in ({"nodes": self.NODES[:-4]}, {"powers": array("Q", [1])}):
            with pytest.raises(ValueError, match="does not fit"):
                self.decode(**arguments)

    @pytest.mark.parametrize("index", [-1, 1, 2])
    def test_values_are_in_the_first_column_or_the_only_one(self, index: int) -> None:
        with pytest.raises(ValueError, match="into this column"):
            self.decode(index=index)

    @pytest.mark.parametrize("stop", [-1, 2, 2**31])
    def test_a_run_outside_of_the_column_is_refused(self, stop: int) -> None:
        with pytest.raises(ValueError, match="outside"):
            self.decode(stop=stop)
