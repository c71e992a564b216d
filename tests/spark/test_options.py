"""The options of the data source: names, values, which go together, and what is only warned about."""

from __future__ import annotations

import pickle
from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark.admission import TriggerLimits
from kafka_nextgen.spark.consumer_strategy import SubscribeStrategy
from kafka_nextgen.spark.limits import Edge
from kafka_nextgen.spark.options import OPTIONS, parse_source_options
from kafka_nextgen.spark.planning import SplitOptions
from tests.spark.parsing import OFFSETS, ORDERS, SERVERS, parse, refusal


def test_defaults_are_those_of_the_built_in_source() -> None:
    options = parse()
    assert options.strategy == SubscribeStrategy(("orders",))
    assert (options.start, options.end, options.group_id) == (Edge.LATEST, None, None)
    assert (options.fail_on_data_loss, options.include_headers) == (True, False)
    assert options.trigger_limits == TriggerLimits(None, None, 900.0)
    assert options.split_options == SplitOptions(None, None, 1_000)
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
        ("maxOffsetsPerTrigger", "+250000", "trigger_limits.max_offsets", 250_000),
        ("minOffsetsPerTrigger", "9223372036854775807", "trigger_limits.min_offsets", 2**63 - 1),
        ("minOffsetsPerTrigger", "0", "trigger_limits.min_offsets", None),
        ("minOffsetsPerTrigger", "-5", "trigger_limits.min_offsets", None),
        ("maxTriggerDelay", "30s", "trigger_limits.max_delay_s", 30),
        ("maxTriggerDelay", " 2H ", "trigger_limits.max_delay_s", 7_200),
        ("maxTriggerDelay", "1min", "trigger_limits.max_delay_s", 60),
        ("maxTriggerDelay", "15m", "trigger_limits.max_delay_s", 900),
        ("maxTriggerDelay", "1d", "trigger_limits.max_delay_s", 86_400),
        ("maxTriggerDelay", "20ms", "trigger_limits.max_delay_s", 0.02),
        ("maxTriggerDelay", "1500us", "trigger_limits.max_delay_s", 0.001),
        ("maxTriggerDelay", "500", "trigger_limits.max_delay_s", 0.5),
        ("minPartitions", "8", "split_options.min_partitions", 8),
        ("maxRecordsPerPartition", "5000000000", "split_options.max_records_per_partition", 5_000_000_000),
        ("minRecordsPerPartition", "0", "split_options.min_records_per_partition", 0),
        ("minRecordsPerPartition", "50000", "split_options.min_records_per_partition", 50_000),
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
        ("minRecordsPerPartition", "-1", "must be a whole number from 0"),
        ("maxTriggerDelay", "-1s", "must be a time with a unit of us, ms, s, m, min, h, d, not '-1s'"),
        ("maxTriggerDelay", "5 parsecs", "must be a time"),
        ("maxTriggerDelay", "5w", "must be a time"),
        ("maxTriggerDelay", "99999999999999999999s", "must be a time"),
        ("rowsPerBatch", "0", "must be a whole number from 1"),
        ("kafkaConsumer.pollTimeoutMs", "0", "must be a whole number from 1"),
        ("groupId", " ", "groupId is empty"),
        ("groupFallback", "none", "must be error or earliest or latest"),
        ("startingOffsetsByTimestampStrategy", "earliest", "must be error or latest"),
        ("startingTimestamp", "-1", "must be a whole number from 0"),
        ("startingTimestamp", "2026-01-01", "must be a whole number from 0"),
        ("startingOffsets", "begin", "must be earliest, latest, group, JSON such as"),
        ("startingOffsetsByTimestamp", "earliest", "this is not JSON"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(option: str, text: str, says: str) -> None:
    error = refusal({option: text})
    assert says in str(error)
    assert error.key == option


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("startingOffset", "did you mean startingOffsets"),
        ("failondataloos", "did you mean failOnDataLoss"),
        ("subscribes", "did you mean subscribe"),
        ("group.id", "did you mean groupId"),
        ("path", "load() takes no path"),
        ("topic", "it says where to write"),
        ("topics", "name topics with subscribe"),
        ("pushdown", "with the filters of another; limit what is read with assign"),
    ],
)
def test_an_option_that_does_not_exist_is_refused_with_the_nearest(name: str, says: str) -> None:
    error = refusal({name: "s3cret"})
    assert says in str(error)
    assert "s3cret" not in str(error)


def test_an_option_in_two_spellings_has_one_value() -> None:
    assert parse({"SUBSCRIBE": "orders"}).strategy == SubscribeStrategy(("orders",))
    error = refusal({"kafka.sasl.jaas.config": "s3cret", "kafka.SASL.jaas.config": "another s3cret"})
    assert "is given twice" in str(error)
    assert "s3cret" not in str(error)


# Warnings.


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"groupIdPrefix": "etl"}, "groupIdPrefix is ignored: no group ids are generated"),
        ({"groupFallback": "latest"}, "groupFallback is ignored: it needs startingOffsets=group"),
        ({"patternSyntax": "re2"}, "patternSyntax is ignored: it needs subscribePattern"),
        ({"spark.kafka.consumer.cache.capacity": "8"}, "is ignored: it is a setting of Spark"),
        (
            {"kafka.group.id": "billing"},
            "kafka.group.id is ignored: no consumer joins a group to read; the option groupId",
        ),
        ({"kafka.max.poll.records": "10000"}, "rowsPerBatch sets the number of records"),
        ({"kafka.session.timeout.ms": "1"}, "kafka.session.timeout.ms is ignored"),
        ({"kafka.receive.buffer.bytes": "1"}, "kafka.receive.buffer.bytes is ignored"),
    ],
)
def test_options_without_effect_cause_a_warning(options: dict[str, str], says: str) -> None:
    (warning,) = parse(options).warnings
    assert says in warning


def test_a_pattern_that_may_be_meant_otherwise_causes_a_warning() -> None:
    pattern = {"subscribePattern": "^orders", "patternSyntax": "re2"}
    (warning,) = parse_source_options({**SERVERS, **pattern}, is_streaming=True).warnings
    assert "matches whole topic names" in warning


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
    "key", ["auto.offset.reset", "enable.auto.commit", "interceptor.classes", "key.deserializer", "value.deserializer"]
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
