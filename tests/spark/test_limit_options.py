"""Where a query starts and ends, as the options say it."""

from __future__ import annotations

import pytest

from kafka_nextgen.spark.errors import StartBeyondEndError
from kafka_nextgen.spark.limits import (
    Edge,
    GlobalTimestamp,
    GroupFallback,
    GroupOffsets,
    NoMatch,
    OffsetLimit,
    SpecificOffsets,
    SpecificTimestamps,
)
from kafka_nextgen.types import TopicPartition
from tests.spark.parsing import OFFSETS, parse, refusal

NUMBERS = {TopicPartition("orders", 0): 23, TopicPartition("orders", 1): 7}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"startingOffsets": " Earliest "}, Edge.EARLIEST),
        ({"startingOffsets": "latest"}, Edge.LATEST),
        ({"startingOffsets": OFFSETS}, SpecificOffsets(NUMBERS)),
        ({"startingOffsetsByTimestamp": OFFSETS, "startingOffsets": "never read"}, SpecificTimestamps(NUMBERS)),
        ({"startingTimestamp": " 1700 ", "startingOffsetsByTimestamp": "never read"}, GlobalTimestamp(1700)),
    ],
)
def test_the_first_option_about_the_start_counts(options: dict[str, str], expected: OffsetLimit) -> None:
    parsed = parse(options)
    assert parsed.start == expected
    assert len(parsed.warnings) == len(options) - 1
    assert all(f"is ignored: {next(iter(options))} is given" in warning for warning in parsed.warnings)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"startingTimestamp": "5"}, GlobalTimestamp(5, NoMatch.LATEST)),
        ({"startingOffsetsByTimestamp": OFFSETS}, SpecificTimestamps(NUMBERS, NoMatch.LATEST)),
    ],
)
def test_a_strategy_says_what_a_time_without_records_means(options: dict[str, str], expected: OffsetLimit) -> None:
    strategy = {"startingOffsetsByTimestampStrategy": "LATEST"}
    assert parse(options, strategy).start == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"endingOffsets": "LATEST"}, Edge.LATEST),
        ({"endingOffsets": OFFSETS}, SpecificOffsets(NUMBERS)),
        ({"endingOffsetsByTimestamp": OFFSETS}, SpecificTimestamps(NUMBERS)),
        ({"endingTimestamp": "0"}, GlobalTimestamp(0)),
    ],
)
def test_a_batch_has_an_end(options: dict[str, str], expected: OffsetLimit) -> None:
    assert parse(options, streaming=False).end == expected


@pytest.mark.parametrize("option", ["endingOffsets", "endingOffsetsByTimestamp"])
def test_a_streaming_query_refuses_an_end(option: str) -> None:
    error = refusal({option: "latest"})
    assert "a streaming query" in str(error)
    assert error.key == option


def test_a_streaming_query_ignores_an_ending_timestamp_as_the_built_in_source_does() -> None:
    assert parse({"endingTimestamp": "5"}).warnings == (
        "the option endingTimestamp is ignored: a streaming query has no end",
    )


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"startingOffsets": "latest"}, "startingOffsets"),
        ({"endingOffsets": "earliest"}, "endingOffsets"),
        ({"endingOffsets": "group", "groupId": "billing"}, "endingOffsets"),
        ({"startingOffsets": '{"orders":{"0":-1}}'}, "startingOffsets"),
    ],
)
def test_a_batch_that_would_read_nothing_is_refused(options: dict[str, str], key: str) -> None:
    assert refusal(options, streaming=False).key == key


def test_a_batch_that_starts_after_its_end_is_refused() -> None:
    with pytest.raises(StartBeyondEndError, match=r"orders\[1\] \(7 > 6\)"):
        parse({"startingOffsets": OFFSETS, "endingOffsets": '{"orders":{"0":23,"1":6}}'}, streaming=False)


@pytest.mark.parametrize("streaming", [True, False])
def test_a_query_may_start_where_a_group_is(streaming: bool) -> None:
    group = {"startingOffsets": "GROUP", "groupId": "billing", "groupFallback": "Earliest"}
    options = parse(group, streaming=streaming)
    assert options.start == GroupOffsets("billing", GroupFallback.EARLIEST)
    assert (options.group_id, options.warnings) == ("billing", ())
    assert refusal({"startingOffsets": "group"}, streaming=streaming).key == "groupId"
