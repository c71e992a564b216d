"""Where a query starts and ends: options, and limits that a batch can't have."""

from __future__ import annotations

import sys

import pytest

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark.consumer_strategy import (
    AssignStrategy,
    ConsumerStrategy,
    SubscribePatternStrategy,
    SubscribeStrategy,
    read_strategy,
)
from kafka_nextgen.spark.errors import OffsetLimitError, PartitionsMismatchError, StartBeyondEndError
from kafka_nextgen.spark.limits import (
    Edge,
    GlobalTimestamp,
    GroupFallback,
    GroupOffsets,
    NoMatch,
    OffsetLimit,
    SpecificOffsets,
    SpecificTimestamps,
    check_batch_limits,
)
from kafka_nextgen.spark.offsets import EARLIEST, LATEST
from kafka_nextgen.spark.option_values import OptionValues
from kafka_nextgen.types import TopicPartition
from tests.spark.parsing import OFFSETS, parse, refusal

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (Edge.LATEST, Edge.LATEST, "startingOffsets: a batch can't start at the latest offset"),
        (SpecificOffsets({T0: 1, T1: LATEST}), Edge.LATEST, r"startingOffsets: .*latest offset \(in t\[1\]\)"),
        (Edge.EARLIEST, Edge.EARLIEST, "endingOffsets: a batch can't end at the earliest offset"),
        (Edge.EARLIEST, SpecificOffsets({T0: EARLIEST}), r"endingOffsets: .*earliest offset \(in t\[0\]\)"),
        (SpecificOffsets({}, {"t": LATEST}), Edge.LATEST, r'startingOffsets: .*latest offset \(in topic "t"\)'),
        (Edge.EARLIEST, SpecificOffsets({T0: 4}, {"u": EARLIEST}), r'endingOffsets: .* offset \(in topic "u"\)'),
    ],
)
def test_a_batch_needs_a_start_and_an_end_that_make_sense(start: OffsetLimit, end: OffsetLimit, message: str) -> None:
    with pytest.raises(OffsetLimitError, match=f"^{message}$") as refused:
        check_batch_limits(start, end)
    assert refused.value.key == message.split(":", 1)[0]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (SpecificOffsets({T0: 1}), SpecificOffsets({T0: 1, T1: 1})),
        (SpecificTimestamps({T0: 1, T1: 1}), SpecificTimestamps({T0: 1})),
    ],
)
def test_start_and_end_name_the_same_partitions(start: OffsetLimit, end: OffsetLimit) -> None:
    with pytest.raises(PartitionsMismatchError, match="must name the same partitions: start ") as refused:
        check_batch_limits(start, end)
    assert refused.value.partitions == (T1,)


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (SpecificOffsets({T0: 5, T1: 6}), SpecificOffsets({T0: 5, T1: 4}), r"offset .* in t\[1\] \(6 > 4\)$"),
        (SpecificTimestamps({T0: 9}), SpecificTimestamps({T0: 8}), r"timestamp .* in t\[0\] \(9 > 8\)$"),
        (GlobalTimestamp(2), GlobalTimestamp(1), "startingTimestamp 2 is greater than endingTimestamp 1"),
    ],
)
def test_no_start_is_greater_than_its_end(start: OffsetLimit, end: OffsetLimit, message: str) -> None:
    with pytest.raises(StartBeyondEndError, match=message):
        check_batch_limits(start, end)


def test_limits_are_equal_by_value() -> None:
    for kind in (SpecificOffsets, SpecificTimestamps):
        one, same, other = kind({T0: 5, T1: 6}), kind({T1: 6, T0: 5}), kind({T0: 5, T1: 7})
        assert one == same
        assert hash(one) == hash(same)
        assert one != other


def test_an_error_names_five_partitions_and_counts_the_rest() -> None:
    many = {TopicPartition("t", number): 9 for number in range(8)}
    with pytest.raises(StartBeyondEndError, match=r"t\[4\] \(9 > 8\) and 3 more$") as refused:
        check_batch_limits(SpecificOffsets(many), SpecificOffsets(dict.fromkeys(many, 8)))
    assert len(refused.value.partitions) == 8


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (Edge.EARLIEST, Edge.LATEST),
        (SpecificOffsets({T0: 5}), SpecificOffsets({T0: LATEST})),
        (SpecificOffsets({T0: EARLIEST}), SpecificOffsets({T0: 0})),
        (SpecificOffsets({T0: 5}), SpecificOffsets({T0: 5})),
        (SpecificOffsets({T0: 5}), SpecificTimestamps({T1: 5})),
        (SpecificOffsets({}, {"t": EARLIEST}), SpecificOffsets({T0: 5, T1: 5})),
        (GlobalTimestamp(1), GlobalTimestamp(1)),
        (GroupOffsets("g", GroupFallback.LATEST), Edge.LATEST),
    ],
)
def test_what_can_be_known_only_from_the_cluster_passes(start: OffsetLimit, end: OffsetLimit) -> None:
    check_batch_limits(start, end)


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


@pytest.mark.parametrize("streaming", [True, False])
def test_a_query_may_start_where_a_group_is(streaming: bool) -> None:
    group = {"startingOffsets": "GROUP", "groupId": "billing", "groupFallback": "Earliest"}
    options = parse(group, streaming=streaming)
    assert options.start == GroupOffsets("billing", GroupFallback.EARLIEST)
    assert (options.group_id, options.warnings) == ("billing", ())
    assert refusal({"startingOffsets": "group"}, streaming=streaming).key == "groupId"


# ---- which topics and partitions a query reads


def strategy(options: dict[str, str]) -> ConsumerStrategy:
    return read_strategy(OptionValues({name.lower(): text for name, text in options.items()}))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"subscribe": " orders , audit,,orders "}, SubscribeStrategy(("orders", "audit"))),
        ({"subscribePattern": " ord.* "}, SubscribePatternStrategy("ord.*", "java")),
        ({"subscribePattern": "ord.*", "patternSyntax": "RE2"}, SubscribePatternStrategy("ord.*", "re2")),
        ({"assign": ' {"orders":[1,0]} '}, AssignStrategy((TopicPartition("orders", 0), TopicPartition("orders", 1)))),
    ],
)
def test_one_option_says_what_to_read(options: dict[str, str], expected: ConsumerStrategy) -> None:
    assert strategy(options) == expected


@pytest.mark.parametrize(
    ("options", "key", "says"),
    [
        ({}, "subscribe", "exactly one of subscribe, subscribePattern, assign is required: none is given"),
        ({"assign": "{}", "subscribe": "a"}, "subscribe", "subscribe and assign are given"),
        ({"subscribe": " , "}, "subscribe", "must name topics, separated by commas"),
        ({"subscribe": "orders,a b"}, "subscribe", "has characters other than"),
        ({"subscribePattern": " "}, "subscribePattern", "is empty"),
        ({"subscribePattern": r"\p{L}"}, "subscribePattern", "write the characters"),
        ({"subscribePattern": "a(?=b)", "patternSyntax": "re2"}, "subscribePattern", "is not valid RE2"),
        ({"subscribePattern": "x", "patternSyntax": "glob"}, "patternSyntax", "must be java or re2"),
        ({"assign": "orders-0"}, "assign", 'expected e.g. {"topicA":[0,1]'),
    ],
)
def test_what_to_read_has_to_be_clear(options: dict[str, str], key: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        strategy(options)
    assert says in str(caught.value)
    assert caught.value.key == key


def test_patterns_of_re2_need_google_re2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(ConfigError, match="patternSyntax re2 needs google-re2, which is not installed: use java"):
        strategy({"subscribePattern": "orders", "patternSyntax": "re2"})
    assert strategy({"subscribePattern": "orders"}) == SubscribePatternStrategy("orders")


def test_java_patterns_search_and_re2_patterns_match_whole_names() -> None:
    topics = ["orders-eu", "audit", "orders", "old-orders"]
    assert SubscribePatternStrategy("orders").matching(topics) == ("old-orders", "orders", "orders-eu")
    assert SubscribePatternStrategy("orders", "re2").matching(topics) == ("orders",)
