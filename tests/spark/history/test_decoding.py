"""Lines to events by columns: the same as ``decode_event`` line by line, whatever the lines are."""

from __future__ import annotations

import gzip
import json
import re
from datetime import date
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.json_lines import decode_event, encode_event
from kafka_nextgen.history.log_reader import TORN_GZIP

pytest.importorskip("pyspark")

from kafka_nextgen.spark.history.columns_of_lines import columns_of_lines
from kafka_nextgen.spark.history.dataset import day_of, folder_of
from kafka_nextgen.spark.history.decoding import decoded_batches, unzipped_batches
from kafka_nextgen.spark.history.folding import events_of
from kafka_nextgen.spark.history.schemas import EVENTS, arrow_schema
from tests.spark.history.logs import line_batch, stories

GOOD = b'{"v":1,"at":5,"seq":1,"source":"poller:p","cluster":"c","group":"g","kind":"lag"}'


def rows_of(*lines: bytes) -> list[dict[str, object]]:
    return [row for batch in decoded_batches([line_batch(lines)]) for row in batch.to_pylist()]


def test_events_come_back_from_their_lines() -> None:
    events = stories()
    rows = rows_of(*(encode_event(event).encode() for event in events))
    assert [row["problem"] for row in rows] == [None] * len(events)
    for row, event in zip(rows, events, strict=True):
        partitions = None if event.partitions is None else list(event.partitions)
        assert (row["at"], row["source"], row["kind"], row["member"]) == (
            event.at, event.source, event.kind.value, event.member
        )  # fmt: skip
        assert (row["partitions"], row["epoch"], row["offset"], row["end"]) == (
            partitions, event.epoch, event.offset, event.end
        )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (GOOD[:40], "torn"),
        (b"2026-11-26 INFO started", "foreign"),
        (b"\x00\xff\xfe\x89PNG", "foreign"),
        (b"[1, 2]", "foreign"),
        (b"[" * 100_000, "foreign"),
        (GOOD.replace(b"lag", b"elected"), "unknown kind"),
        (GOOD.replace(b'"at":5', b'"at":"soon"'), "bad field"),
        (GOOD.replace(b'"seq":1', b'"seq":9223372036854775808'), "bad field"),
        (GOOD.replace(b'"g"', b'"\\ud800"'), "bad field"),
    ],
)
def test_what_is_no_event_has_a_problem_and_its_text(line: bytes, problem: str) -> None:
    bad, good = rows_of(line, GOOD)
    assert (bad["kind"], bad["problem"], bad["origin"]) == (None, problem, "file")
    assert bad["text"]
    assert (good["kind"], good["problem"]) == ("lag", None)


def test_an_event_of_a_later_version_is_kept_and_told() -> None:
    (row,) = rows_of(GOOD.replace(b'"v":1', b'"v":7'))
    assert (row["kind"], row["v"], row["problem"], row["text"]) == ("lag", 7, "later version", "version 7")


def test_empty_lines_are_nothing() -> None:
    assert rows_of(b"", b"  \r", GOOD) == rows_of(GOOD)


def test_largest_values_fit_into_their_columns() -> None:
    largest = (
        b'{"v":2147483647,"at":9223372036854775807,"seq":9223372036854775807,"source":"poller:p","cluster":"",'
        b'"group":"g","kind":"lag","partitions":[2147483647],"offset":-9223372036854775808}'
    )
    assert isinstance(decode_event(largest), Event)
    (row,) = rows_of(largest)
    assert (row["at"], row["partitions"], row["offset"]) == ((1 << 63) - 1, [(1 << 31) - 1], -(1 << 63))


@pytest.mark.parametrize("lines", [1, 10_000])
def test_gzip_is_read_up_to_where_it_is_torn(lines: int) -> None:
    text = b"".join(b"%d %s\n" % (number, GOOD) for number in range(lines))
    whole = gzip.compress(text)
    assert _lines_of(whole) == (text.splitlines(keepends=True), [])
    found, problems = _lines_of(whole[:-5])
    assert problems == [TORN_GZIP]
    assert found == text.splitlines(keepends=True)[: len(found)]
    assert _lines_of(whole[:10] + b"junk") == ([], [TORN_GZIP])
    assert _lines_of(text) == _lines_of(whole)


def _lines_of(content: bytes) -> tuple[list[bytes], list[str]]:
    files = pa.RecordBatch.from_pydict({"origin": ["file"], "content": [content]})
    rows = [row for batch in unzipped_batches([files]) for row in batch.to_pylist()]
    lines = [row["line"] for row in rows if row["line"] is not None]
    return lines, [row["problem"] for row in rows if row["problem"] is not None]


# ---- lines as columns all at once: the same as line by line, or not at all


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


def test_a_line_that_is_no_plain_event_is_left_to_be_read_alone() -> None:
    assert events_in([GOOD]) is not None
    assert [line for line in BAD if events_in([GOOD, line, GOOD]) is not None] == []


def test_without_google_re2_each_line_is_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafka_nextgen.spark.history.columns_of_lines._PLAIN", None)
    assert events_in([GOOD]) is None


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


# ---- folders for groups of any name, and days for times of any clock


@given(st.text(min_size=1))
def test_a_folder_is_a_name_that_every_file_system_takes(group: str) -> None:
    folder = folder_of(group)
    assert re.fullmatch(r"[a-z0-9._-]{1,40}~[0-9a-f]{12}", folder)


def test_groups_that_differ_in_case_or_at_the_end_have_folders_of_their_own() -> None:
    groups = ["Billing", "billing", "x" * 249, "x" * 248 + "y", "a=b", "a/b", "007", "7"]
    assert len({folder_of(group) for group in groups}) == len(groups)


@pytest.mark.parametrize(
    ("at", "day"),
    [
        (0, date(1970, 1, 1)),
        (1_764_115_199_999, date(2025, 11, 25)),
        (1_764_115_200_000, date(2025, 11, 26)),
        ((1 << 63) - 1, date(9999, 12, 31)),
    ],
)
def test_a_day_is_that_of_utc(at: int, day: date) -> None:
    assert day_of(at) == day
