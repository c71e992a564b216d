"""The options of the data source: names, values, which go together, and what is only warned about."""

from __future__ import annotations

import pickle
from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark.admission import TriggerLimits
from kafka_nextgen.spark.consumer_strategy import AssignStrategy, SubscribePatternStrategy, SubscribeStrategy
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
from kafka_nextgen.spark.options import OPTIONS, SourceOptions, parse_source_options
from kafka_nextgen.spark.splitting import SplitOptions
from kafka_nextgen.types import TopicPartition

SERVERS = {"kafka.bootstrap.servers": "localhost:9092"}
ORDERS = {"subscribe": "orders"}
OFFSETS = ' {"orders":{"0":23,"1":7}} '
O0, O1 = TopicPartition("orders", 0), TopicPartition("orders", 1)
NUMBERS = {O0: 23, O1: 7}


def parse(*parts: dict[str, str], streaming: bool = True) -> SourceOptions:
    options = {name: text for part in (SERVERS, ORDERS, *parts) for name, text in part.items()}
    return parse_source_options(options, is_streaming=streaming)


def refusal(options: dict[str, str], *, streaming: bool = True) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse(options, streaming=streaming)
    return caught.value


def test_defaults_are_those_of_the_built_in_source() -> None:
    options = parse()
    assert options.strategy == SubscribeStrategy(("orders",))
    assert (options.start, options.end, options.group_id) == (Edge.LATEST, None, None)
    assert (options.fail_on_data_loss, options.include_headers, options.pushdown) == (True, False, False)
    assert options.trigger_limits == TriggerLimits(None, None, 900.0)
    assert options.split_options == SplitOptions(None, None)
    assert options.poll_timeout_ms == 120_000
    assert (options.fetch_offset_num_retries, options.fetch_offset_retry_interval_ms) == (3, 1_000)
    assert options.rows_per_batch == 10_000
    assert options.warnings == ()


def test_a_batch_starts_at_the_earliest_offset_and_ends_at_the_latest() -> None:
    options = parse(streaming=False)
    assert (options.start, options.end) == (Edge.EARLIEST, Edge.LATEST)


@pytest.mark.parametrize(
    ("option", "text", "attribute", "value"),
    [
        ("failOnDataLoss", "FALSE", "fail_on_data_loss", False),
        ("includeHeaders", "True", "include_headers", True),
        ("pushdown", "true", "pushdown", True),
        ("maxOffsetsPerTrigger", "+250000", "trigger_limits.max_offsets", 250_000),
        ("minOffsetsPerTrigger", "9223372036854775807", "trigger_limits.min_offsets", 2**63 - 1),
        ("minOffsetsPerTrigger", "0", "trigger_limits.min_offsets", None),
        ("minOffsetsPerTrigger", "-5", "trigger_limits.min_offsets", None),
        ("maxTriggerDelay", "30s", "trigger_limits.max_delay_s", 30),
        ("maxTriggerDelay", " 2H ", "trigger_limits.max_delay_s", 7_200),
        ("maxTriggerDelay", "1min", "trigger_limits.max_delay_s", 60),
        ("maxTriggerDelay", "1500us", "trigger_limits.max_delay_s", 0.001),
        ("maxTriggerDelay", "500", "trigger_limits.max_delay_s", 0.5),
        ("minPartitions", "8", "split_options.min_partitions", 8),
        ("maxRecordsPerPartition", "5000000000", "split_options.max_records_per_partition", 5_000_000_000),
        ("kafkaConsumer.pollTimeoutMs", "512", "poll_timeout_ms", 512),
        ("fetchOffset.numRetries", "0", "fetch_offset_num_retries", 0),
        ("fetchOffset.retryIntervalMs", "10", "fetch_offset_retry_interval_ms", 10),
        ("groupId", " billing ", "group_id", "billing"),
        ("rowsPerBatch", "4000", "rows_per_batch", 4_000),
    ],
)
def test_values_are_read(option: str, text: str, attribute: str, value: object) -> None:
    for name in (option, option.lower(), option.upper()):
        assert attrgetter(attribute)(parse({name: text})) == value


@pytest.mark.parametrize(
    ("option", "text", "says"),
    [
        ("failOnDataLoss", "yes", "failOnDataLoss must be true or false, not 'yes'"),
        ("includeHeaders", "", "must be true or false"),
        ("maxOffsetsPerTrigger", "0", "must be a whole number from 1 to 9223372036854775807, not '0'"),
        ("maxOffsetsPerTrigger", "1e6", "must be a whole number"),
        ("maxOffsetsPerTrigger", "9223372036854775808", "must be a whole number"),
        ("maxOffsetsPerTrigger", "1_000", "must be a whole number"),
        ("minPartitions", "-1", "must be a whole number from 1 to 2147483647"),
        ("minPartitions", "2147483648", "must be a whole number"),
        ("maxRecordsPerPartition", "0", "must be a whole number from 1"),
        ("maxTriggerDelay", "-1s", "must be a time with a unit of us, ms, s, m, min, h, d, not '-1s'"),
        ("maxTriggerDelay", "5 parsecs", "must be a time"),
        ("maxTriggerDelay", "5w", "must be a time"),
        ("maxTriggerDelay", "99999999999999999999s", "must be a time"),
        ("rowsPerBatch", "0", "must be a whole number from 1"),
        ("groupId", " ", "groupId is empty"),
        ("groupFallback", "none", "must be error or earliest or latest"),
        ("patternSyntax", "glob", "must be java or re2"),
        ("startingOffsetsByTimestampStrategy", "earliest", "must be error or latest"),
        ("startingTimestamp", "-1", "must be a whole number from 0"),
        ("startingTimestamp", "2026-01-01", "must be a whole number from 0"),
        ("startingOffsets", "begin", "must be earliest, latest, group, JSON such as"),
        ("startingOffsetsByTimestamp", "earliest", "this is not JSON"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(option: str, text: str, says: str) -> None:
    more = {"subscribe": "", "subscribePattern": "x"} if option == "patternSyntax" else {}
    options = {**SERVERS, **ORDERS, **more, option: text}
    if more:
        del options["subscribe"]
    with pytest.raises(ConfigError) as caught:
        parse_source_options(options, is_streaming=True)
    assert says in str(caught.value)
    assert caught.value.key == option


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("startingOffset", "the nearest is startingOffsets"),
        ("failondataloos", "the nearest is failOnDataLoss"),
        ("subscribes", "the nearest is subscribe"),
        ("group.id", "the nearest is groupId"),
        ("path", "load() takes no path"),
        ("topic", "it says where to write"),
        ("topics", "name topics with subscribe"),
    ],
)
def test_an_option_that_does_not_exist_is_refused_with_the_nearest(name: str, says: str) -> None:
    error = refusal({name: "s3cret"})
    assert says in str(error)
    assert "s3cret" not in str(error)


def test_an_option_in_two_spellings_has_one_value() -> None:
    assert parse({"SUBSCRIBE": "orders"}).strategy == SubscribeStrategy(("orders",))
    assert "is given twice" in str(refusal({"Subscribe": "audit"}))


# What to read.


def strategy(*parts: dict[str, str]) -> object:
    options = {name: text for part in (SERVERS, *parts) for name, text in part.items()}
    return parse_source_options(options, is_streaming=True).strategy


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"subscribe": " orders , audit,,orders "}, SubscribeStrategy(("orders", "audit"))),
        ({"subscribePattern": " ord.* "}, SubscribePatternStrategy("ord.*", "java")),
        ({"subscribePattern": "ord.*", "patternSyntax": "RE2"}, SubscribePatternStrategy("ord.*", "re2")),
        ({"assign": ' {"orders":[1,0]} '}, AssignStrategy((O0, O1))),
    ],
)
def test_one_option_says_what_to_read(options: dict[str, str], expected: object) -> None:
    assert strategy(options) == expected


@pytest.mark.parametrize(
    ("options", "key", "says"),
    [
        ({}, "subscribe", "exactly one of subscribe, subscribePattern, assign has to be given: none is given"),
        ({"assign": "{}", "subscribe": "a"}, "subscribe", "subscribe and assign are given"),
        ({"subscribe": " , "}, "subscribe", "must name topics, separated by commas"),
        ({"subscribe": "orders,a b"}, "subscribe", "has characters other than"),
        ({"subscribePattern": " "}, "subscribePattern", "is empty"),
        ({"subscribePattern": r"\p{L}"}, "subscribePattern", "write the characters"),
        ({"subscribePattern": "a(?=b)", "patternSyntax": "re2"}, "subscribePattern", "is not valid RE2"),
        ({"assign": "orders-0"}, "assign", 'expected e.g. {"topicA":[0,1]'),
    ],
)
def test_what_to_read_has_to_be_clear(options: dict[str, str], key: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        strategy(options)
    assert says in str(caught.value)
    assert caught.value.key == key


def test_java_patterns_search_and_re2_patterns_match_whole_names() -> None:
    topics = ["orders-eu", "audit", "orders"]
    assert SubscribePatternStrategy("orders").matching(topics) == ("orders", "orders-eu")
    assert SubscribePatternStrategy("orders", "re2").matching(topics) == ("orders",)


def test_re2_patterns_with_an_anchor_at_one_end_cause_a_warning() -> None:
    options = {**SERVERS, "subscribePattern": "^orders", "patternSyntax": "re2"}
    (warning,) = parse_source_options(options, is_streaming=True).warnings
    assert "matches whole topic names" in warning


# Where to start and to end.


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


# Warnings.


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"groupIdPrefix": "etl"}, "groupIdPrefix is ignored: groups are not made up"),
        ({"groupFallback": "latest"}, "groupFallback is ignored: it needs startingOffsets=group"),
        ({"patternSyntax": "re2"}, "patternSyntax is ignored: it needs subscribePattern"),
        ({"spark.kafka.consumer.cache.capacity": "8"}, "is ignored: it is a setting of Spark"),
        (
            {"kafka.group.id": "billing"},
            "kafka.group.id is ignored: no consumer joins a group to read; the option groupId",
        ),
        ({"kafka.max.poll.records": "10000"}, "rowsPerBatch says how many records"),
        ({"kafka.session.timeout.ms": "1"}, "kafka.session.timeout.ms is ignored"),
        ({"kafka.receive.buffer.bytes": "1"}, "kafka.receive.buffer.bytes is ignored"),
    ],
)
def test_options_without_effect_cause_a_warning(options: dict[str, str], says: str) -> None:
    (warning,) = parse(options).warnings
    assert says in warning


@pytest.mark.parametrize("option", ["maxOffsetsPerTrigger", "minOffsetsPerTrigger", "maxTriggerDelay"])
def test_a_batch_ignores_limits_of_triggers(option: str) -> None:
    assert parse({option: "5"}, streaming=False).warnings == (f"the option {option} is ignored in a batch query",)
    assert parse({option: "5"}).warnings == ()


@pytest.mark.parametrize("streaming", [True, False])
def test_a_minimum_is_not_above_the_maximum(streaming: bool) -> None:
    error = refusal({"minOffsetsPerTrigger": "5", "maxOffsetsPerTrigger": "4"}, streaming=streaming)
    assert "minOffsetsPerTrigger=5 is above maxOffsetsPerTrigger=4" in str(error)
    parse({"minOffsetsPerTrigger": "4", "maxOffsetsPerTrigger": "4"}, streaming=streaming)


# How to reach Kafka.


def test_servers_are_required() -> None:
    with pytest.raises(ConfigError, match="host:port") as caught:
        parse_source_options(ORDERS, is_streaming=True)
    assert caught.value.key == "kafka.bootstrap.servers"


@pytest.mark.parametrize(
    "key",
    ["auto.offset.reset", "enable.auto.commit", "interceptor.classes", "key.deserializer", "value.deserializer"],
)
def test_what_the_built_in_source_refuses_is_refused(key: str) -> None:
    assert refusal({f"Kafka.{key}": "x"}).key == f"kafka.{key}"


def test_options_show_no_secret_and_can_be_sent() -> None:
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    login = {
        "kafka.security.protocol": "SASL_SSL",
        "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.jaas.config": f'{module} required username="alice" password="s3cret";',
    }
    options = parse(login, {"kafka.linger.ms": "5", "startingOffsets": OFFSETS})
    assert "s3cret" not in repr(options)
    sent = pickle.loads(pickle.dumps(options))
    assert sent == options
    assert hash(sent) == hash(options)
    assert sent.kafka.consumer_config().sasl_password.reveal() == "s3cret"


@given(st.dictionaries(st.sampled_from(OPTIONS), st.sampled_from(["1", "{}", "true", "latest", "x"])), st.booleans())
def test_any_options_are_read_or_refused_by_name(options: dict[str, str], streaming: bool) -> None:
    try:
        parse_source_options({**SERVERS, **options}, is_streaming=streaming)
    except ConfigError as error:
        key = error.key
    else:
        key = "subscribe"
    assert key in OPTIONS
