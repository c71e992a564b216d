"""Lines as columns all at once: the same as line by line, or not at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

pytest.importorskip("pyspark")

import pyarrow as pa

from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.json_lines import decode_event, encode_event
from kafka_nextgen.spark.history.columns_of_lines import columns_of_lines
from kafka_nextgen.spark.history.folding import events_of
from kafka_nextgen.spark.history.schemas import EVENTS, arrow_schema
from tests.spark.history.logs import stories

GOOD = b'{"v":1,"at":5,"seq":1,"source":"poller:p","cluster":"c","group":"g","kind":"lag"}'


def events_in(lines: list[bytes]) -> list[Event] | None:
    columns = columns_of_lines(pa.array(lines, pa.binary()))
    if columns is None:
        return None
    return list(events_of(pa.RecordBatch.from_arrays(columns, schema=arrow_schema(EVENTS))))


def test_lines_of_writers_are_read_at_once() -> None:
    events = stories()
    lines = [encode_event(event).encode() for event in events]
    assert events_in(lines) == events
    assert events_in([line + b"\n" for line in lines]) == events


BAD = [
    b"",
    b"hello",
    GOOD[:40],
    GOOD + GOOD,
    GOOD + b"}",
    b"null" + GOOD,
    GOOD + b"null{}",
    GOOD[:-1] + b',"reason":null}',
    GOOD[:-1] + b',"reason":{"text":"x"}}',
    GOOD[:-1] + b',"later":1}',
    GOOD[:-1] + b',"at":6}',
    GOOD[:-1] + b',"partitions":[1,null]}',
    GOOD[:-1] + b',"partitions":[-1]}',
    GOOD[:-1] + b',"partitions":[2147483648]}',
    GOOD[:-1] + b',"ms":-1}',
    GOOD[:-1] + b',"reason":7}',
    GOOD[:-1] + b',"reason":"\xff"}',
    GOOD[:-1] + b',"reason":"\xed\xa0\x80"}',
    GOOD[:-1] + b',"reason":"a\tb"}',
    GOOD[:-1] + b',"epoch":9223372036854775808}',
    GOOD[:-1] + b',"epoch":1.0}',
    GOOD[:-1] + b',"epoch":1e2}',
    GOOD[:-1] + b',"epoch":true}',
    GOOD[:-1] + b',"epoch":"1"}',
    GOOD.replace(b'"at":5', b'"at":-5'),
    GOOD.replace(b'"at":5', b'"at":null'),
    GOOD.replace(b'"at":5,', b""),
    GOOD.replace(b'"seq":1', b'"seq":-1'),
    GOOD.replace(b'"v":1', b'"v":2'),
    GOOD.replace(b"lag", b"elected"),
    GOOD.replace(b"poller", b"oracle"),
    GOOD.replace(b'"g"', b'""'),
    GOOD.replace(b'"g"', b'"\\ud800"'),
]


@pytest.mark.parametrize("line", BAD)
def test_a_line_that_is_no_plain_event_is_left_to_be_read_alone(line: bytes) -> None:
    assert events_in([GOOD]) is not None
    assert events_in([GOOD, line, GOOD]) is None


def test_nothing_is_nothing() -> None:
    assert columns_of_lines(pa.array([], pa.binary())) is None
    assert columns_of_lines(pa.array([GOOD, None], pa.binary())) is None


values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 65), 1 << 65),
    st.integers(-2, 2),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["poller:x", "consumer:", "lag", "joined", *(kind.value for kind in EventKind)]),
    st.lists(st.one_of(st.integers(-1, 1 << 32), st.none(), st.integers(0, 3)), max_size=3),
)
names = st.sampled_from([*EVENTS.names, "v", "at", "more"])


@given(st.dictionaries(names, values, max_size=6), st.booleans())
@example({"at": 0, "seq": (1 << 63) - 1, "offset": -(1 << 63), "partitions": []}, False)
def test_what_is_read_at_once_is_what_is_read_line_by_line(fields: dict[str, Any], spaced: bool) -> None:
    import json

    good = json.loads(GOOD)
    separators = (", ", ": ") if spaced else (",", ":")
    line = json.dumps({**good, **fields}, separators=separators, ensure_ascii=spaced)
    try:
        data = line.encode()
    except UnicodeEncodeError:
        return
    found = events_in([data])
    assert found is None or found == [decode_event(data)]


@given(st.binary(max_size=6), st.integers(0, len(GOOD)), st.integers(0, 3))
def test_damaged_lines_are_read_as_line_by_line(junk: bytes, place: int, gone: int) -> None:
    data = GOOD[:place] + junk + GOOD[place + gone :]
    found = events_in([data])
    assert found is None or found == [decode_event(data)]
