"""Lines to events by columns: the same as ``decode_event`` line by line, whatever the lines are."""

from __future__ import annotations

import gzip

import pytest

pytest.importorskip("pyspark")

from kafka_nextgen.history.events import Event
from kafka_nextgen.history.json_lines import decode_event, encode_event
from kafka_nextgen.history.log_reader import TORN_GZIP
from kafka_nextgen.spark.history.decoding import decoded_batches, unzipped_batches
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
    import pyarrow as pa

    files = pa.RecordBatch.from_pydict({"origin": ["file"], "content": [content]})
    rows = [row for batch in unzipped_batches([files]) for row in batch.to_pylist()]
    lines = [row["line"] for row in rows if row["line"] is not None]
    return lines, [row["problem"] for row in rows if row["problem"] is not None]
