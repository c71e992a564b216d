"""Random schemas and values: in C, in Python and as the judge reads them the same, also of bytes that are damaged."""

from __future__ import annotations

import json
import struct
from contextlib import suppress
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.values import Json
from tests.support.examples import examples
from tests.values.decoding import decoded, same
from tests.values.json_judges import ORJSON, column, judged, loads
from tests.values.json_samples import ANYTHING, SCHEMAS, objects_of, written

pytestmark = pytest.mark.random
_SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow]


@settings(max_examples=examples(500), suppress_health_check=_SLOW)
@given(st.data())
def test_values_become_what_they_were_written_from_and_what_the_judge_reads(data: st.DataObject) -> None:
    schema = data.draw(SCHEMAS)
    pairs = data.draw(st.lists(objects_of(list(schema)), min_size=1, max_size=4))
    texts = [written(data.draw, value) for _, value in pairs]  # type: ignore[arg-type]
    batch, bad = decoded(Json(schema), texts)
    assert bad == []
    assert batch.to_pylist() == [own for own, _ in pairs]
    assert batch.to_pylist() == [judged(loads(text), pa.struct(schema)) for text in texts]


def damaged(data: st.DataObject, whole: bytes) -> bytes:
    """Some bytes replaced, put in or left out, and maybe the end cut off."""
    changed = bytearray(whole)
    piece = st.binary(max_size=3) | st.sampled_from(
        [b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"1", b"null", b"e", b"-", b"."]
    )
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(changed)))
        changed[place : place + data.draw(st.integers(0, 2))] = data.draw(piece)
    return bytes(changed[: data.draw(st.integers(0, len(changed)))]) if data.draw(st.booleans()) else bytes(changed)


def is_json(value: bytes) -> bool:
    """By the judge, whose numbers are doubles: those beyond are JSON to us, if they are in a field that is not read."""
    try:
        loads(value)
    except ValueError as error:
        if "infinity" not in str(error):
            return False
        with suppress(ValueError):  # the judge has not read what is behind the number
            json.loads(value, parse_int=str)
            return True
        return False
    return True


def test_what_is_behind_a_number_beyond_doubles_has_to_be_json_too() -> None:
    assert [is_json(value) for value in (b"[3e706]", b"[3e706-1]", b"[3e706")] == [True, False, False]


@settings(max_examples=examples(800), suppress_health_check=_SLOW)
@given(st.data())
def test_damaged_bytes_are_refused_or_are_what_the_judge_reads(data: st.DataObject) -> None:
    schema = data.draw(SCHEMAS)
    good = written(data.draw, data.draw(objects_of(list(schema)))[1])  # type: ignore[arg-type]
    values = [good, damaged(data, good), None, good]
    batch, bad = decoded(Json(schema), values)
    assert same(batch.slice(0, 1), batch.slice(3))
    assert {each.row for each in bad} <= {1}
    text = values[1] or b""
    if ORJSON is not None:
        assert is_json(text) == (not bad or not bad[0].reason.startswith("not JSON"))
    if not bad and '"not a field"' not in text.decode():
        (row,) = batch.slice(1, 1).to_pylist()
        assert row == judged(loads(text), pa.struct(schema))


@settings(max_examples=examples(500), suppress_health_check=_SLOW)
@given(st.data())
def test_any_value_of_any_schema_is_read_or_refused_alike(data: st.DataObject) -> None:
    """Objects with the schema's names and values of any type, some of them twice."""
    schema = data.draw(SCHEMAS)
    members = data.draw(st.lists(st.tuples(st.sampled_from(schema.names), ANYTHING), max_size=6))
    text = ",".join(f"{json.dumps(name)}:{json.dumps(value)}" for name, value in members)
    decoded(Json(schema), [f"{{{text}}}".encode()])


@settings(max_examples=examples(1000))
@given(ANYTHING)
def test_any_json_is_read_as_a_field_that_is_left_out(value: Any) -> None:
    batch, bad = decoded(Json(pa.schema([("a", pa.int8())])), [b'{"x":%s,"a":1}' % json.dumps(value).encode()])
    assert (bad, batch.to_pylist()) == ([], [{"a": 1}])


_DIGITS = st.text("0123456789", min_size=1, max_size=30)
_NUMBERS = st.builds(
    lambda sign, whole, fraction, exponent: f"{sign}{whole.lstrip('0') or '0'}{fraction}{exponent}".encode(),
    st.sampled_from(["", "-"]),
    _DIGITS,
    st.just("") | _DIGITS.map(".{}".format),
    st.just("") | st.integers(-400, 400).map("e{}".format),
)


@settings(max_examples=examples(3000))
@given(
    st.lists(
        _NUMBERS | st.floats(allow_nan=False, allow_infinity=False).map(lambda value: repr(value).encode()), max_size=30
    )
)
def test_doubles_are_to_the_last_bit_what_python_reads(texts: list[bytes]) -> None:
    found, bad = column(pa.float64(), texts)
    beyond = {each.row for each in bad}
    for row, (text, value) in enumerate(zip(texts, found.to_pylist(), strict=True)):
        judged = float(text)
        assert (row in beyond) == (abs(judged) == float("inf"))
        assert row in beyond or struct.pack("<d", value) == struct.pack("<d", judged)


@settings(max_examples=examples(1000))
@given(st.lists(_NUMBERS, max_size=10), st.integers(1, 38), st.integers(0, 10))
def test_decimals_and_integers_are_exact_or_refused_alike(texts: list[bytes], precision: int, scale: int) -> None:
    column(pa.decimal128(precision, min(scale, precision)), texts)
    column(pa.decimal256(precision + 38, scale), texts)
    column(pa.int64(), texts)
    column(pa.uint32(), texts)


@pytest.mark.parametrize(
    "text",
    [
        "9007199254740993",
        "9007199254740993.00000000000000000000000000000000000000000000001",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "1.7976931348623158e308",
        "0.500000000000000166533453693773481063544750213623046875",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "7.2057594037927933e16",
        "1e23",
        "8.5e22",
        "0." + "0" * 400 + "1e401",
        "1" + "0" * 400 + "e-400",
        "123456789012345678901234567890e-20",
        "6.631236846766476e-316",
    ],
)
def test_doubles_that_are_hard_to_round(text: str) -> None:
    found, bad = column(pa.float64(), [text.encode()])
    assert (bad, found.to_pylist()) == ([], [float(text)])
