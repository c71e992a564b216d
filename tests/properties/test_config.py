"""What a user may write as configuration, and what is said about what they may not."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen import Consumer
from kafka_nextgen.admin import GroupAdmin
from kafka_nextgen.assignors import RangeAssignor, UniformAssignor
from kafka_nextgen.assignors.strategies import DEFAULT_STRATEGIES
from kafka_nextgen.assignors.strategies import STRATEGIES as ASSIGNORS
from kafka_nextgen.config import KEYS, ConsumerConfig, GroupProtocol, Key, OffsetReset
from kafka_nextgen.engine.settings import classic_settings, member_settings
from kafka_nextgen.errors import ConfigError, DeserializationError
from kafka_nextgen.properties.deserialization import DeserializationPolicy
from kafka_nextgen.properties.strategies import STRATEGIES
from kafka_nextgen.types import JoinReason
from tests.support.chains import assert_nowhere_in_the_chain
from tests.support.warned import no_warning

SERVERS = {"bootstrap.servers": "localhost:9092"}


def refusal(properties: dict[str, object], **kwargs: object) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        ConsumerConfig.parse({**SERVERS, **properties}, **kwargs)
    return caught.value


def test_both_spellings_end_in_the_same_configuration() -> None:
    dotted = ConsumerConfig.parse({**SERVERS, "group.id": "billing", "group.protocol": "consumer"})
    snake = ConsumerConfig.parse(bootstrap_servers="localhost:9092", group_id="billing", group_protocol="consumer")
    assert dotted == snake
    assert (dotted.group_id, dotted.group_protocol) == ("billing", GroupProtocol.CONSUMER)


def test_the_defaults_are_kafkas() -> None:
    config = ConsumerConfig.parse(SERVERS, group_id="billing")
    assert config.auto_offset_reset is OffsetReset.LATEST
    assert (config.enable_auto_commit, config.auto_commit_interval_ms) == (True, 5_000)
    assert (config.max_poll_interval_ms, config.max_poll_records) == (300_000, 500)
    assert (config.fetch_min_bytes, config.fetch_max_bytes) == (1, 52_428_800)
    assert config.max_partition_fetch_bytes == 1_048_576
    assert (config.request_timeout_ms, config.default_api_timeout_ms) == (30_000, 60_000)
    assert (config.retry_backoff_ms, config.retry_backoff_max_ms) == (100, 1_000)


def test_values_may_be_text_as_in_a_properties_file() -> None:
    config = ConsumerConfig.parse(
        {**SERVERS, "max.poll.records": " 7 ", "check.crcs": "False", "auto.offset.reset": "EARLIEST"}
    )
    assert (config.max_poll_records, config.check_crcs) == (7, False)
    assert config.auto_offset_reset is OffsetReset.EARLIEST


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a:1", ["a:1"]),
        ("a:1, b:2 ,a:1,", ["a:1", "b:2"]),
        (["a:1", "b:2"], ["a:1", "b:2"]),
        ("[::1]:9092", ["[::1]:9092"]),
        ("PLAINTEXT://10.0.0.1:9092", ["10.0.0.1:9092"]),
    ],
)
def test_bootstrap_servers_come_as_text_or_list(written: object, read: list[str]) -> None:
    assert [str(one) for one in ConsumerConfig.parse(bootstrap_servers=written).bootstrap_servers] == read


@pytest.mark.parametrize(
    "written", ["localhost", "localhost:0", "localhost:70000", "::1:9092", ":9092", "a:x", 9092, "", [], b"a:1"]
)
def test_a_server_that_is_no_host_and_port_is_refused(written: object) -> None:
    with pytest.raises(ConfigError, match="bootstrap_servers: must"):
        ConsumerConfig.parse(bootstrap_servers=written)


@pytest.mark.parametrize(
    "written",
    [
        "alice:s3cret@localhost:9092",
        "alice:s3,cret@localhost:9092",
        ["localhost:9092", "alice:s3cret@localhost"],
        "kafka://alice:s3cret/localhost",
        "Endpoint=sb://here/;SharedAccessKey=s3cret=",
        {"password": "s3cret"},
    ],
)
def test_servers_with_a_password_in_them_are_refused_and_not_shown(written: object) -> None:
    error = refusal({"bootstrap.servers": written})
    assert "s3" not in str(error)
    assert_nowhere_in_the_chain("s3cret", error)


def test_without_bootstrap_servers_there_is_no_configuration() -> None:
    with pytest.raises(ConfigError, match=r"bootstrap\.servers is required"):
        ConsumerConfig.parse(group_id="billing")


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("grup.id", "group.id"),
        ("grupid", "group.id"),
        ("auto_offset_rest", "auto.offset.reset"),
        ("Fetch.Min.Byte", "fetch.min.bytes"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_one(written: str, nearest: str) -> None:
    error = refusal({written: "1"})
    assert (error.key, nearest in str(error), written in str(error)) == (written, True, True)


@pytest.mark.parametrize(
    "written",
    [
        "flavour",
        # Two letters differ, and the meaning with them.
        "fetch.min.wait.ms",
        "ssl.crt.location",
        "fetch.mix.bytes",
        # More similar to one of this library's keys than 0.8, which was suggested before.
        "session.timeout.policy",
        "ssl.keystore.passphrase",
        "auto.commit.policy",
    ],
)
def test_a_key_that_is_like_no_other_is_refused_without_one(written: str) -> None:
    assert str(refusal({written: "1"})) == f"there is no configuration key {written}"


def test_all_unknown_keys_are_told_at_once() -> None:
    error = refusal({"grup.id": "g", "client.id": "c", "flavour": "all"})
    assert str(error) == "there are no configuration keys grup.id (did you mean group.id?), flavour"
    assert error.key == "grup.id"


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("session.timeout.ms", "group.consumer.session.timeout.ms"),
        ("heartbeat_interval_ms", "group.consumer.heartbeat.interval.ms"),
        ("partition.assignment.strategy", "group.remote.assignor"),
    ],
)
def test_what_the_broker_decides_is_refused_and_explained(written: str, instead: str) -> None:
    error = refusal({written: "1"})
    assert error.key == written
    assert instead in str(error)


def test_properties_of_a_classic_consumer_can_be_taken_over() -> None:
    left = {"session.timeout.ms": "45000", "partition.assignment.strategy": "range"}
    classic = {**SERVERS, "group.id": "billing", **left}
    with pytest.warns(UserWarning, match="is ignored: ") as caught:
        config = ConsumerConfig.from_properties(classic, migrate=True)
    assert config == ConsumerConfig.parse(SERVERS, group_id="billing")
    assert [str(warning.message).split()[0] for warning in caught] == [*left]


@pytest.mark.parametrize("protocol", ["classic", "auto"])
def test_with_another_protocol_its_keys_are_valid_and_nothing_is_left_out(protocol: str) -> None:
    classic = {
        **SERVERS,
        "group.id": "billing",
        "group.protocol": protocol,
        "session.timeout.ms": "10000",
        "heartbeat_interval_ms": 2000,
        "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RoundRobinAssignor, range",
    }
    with no_warning():
        config = ConsumerConfig.from_properties(classic, migrate=True)
    assert (config.session_timeout_ms, config.heartbeat_interval_ms) == (10_000, 2_000)
    assert config.partition_assignment_strategy == ("roundrobin", "range")


def test_the_strategies_are_the_assignors_there_are() -> None:
    assert set(STRATEGIES.values()) == set(ASSIGNORS)
    assert ConsumerConfig.parse(SERVERS).partition_assignment_strategy == DEFAULT_STRATEGIES


def test_beside_assignors_of_ones_own_only_those_strategies_are_offered_that_are_asked_for() -> None:
    own = {"group.protocol": "classic", "group.id": "g", "group.local.assignors": [UniformAssignor()]}
    assert ConsumerConfig.parse(SERVERS, **own).partition_assignment_strategy == ()
    asked = ConsumerConfig.parse(SERVERS, **own, partition_assignment_strategy="range")
    assert classic_settings(asked).strategies == ("uniform", "range")
    assert classic_settings(asked).local_assignors == {"uniform"}


@pytest.mark.parametrize(
    ("given", "in_classic", "in_consumer"),
    [
        ({}, JoinReason.UNKNOWN, JoinReason.UNKNOWN),
        ({"group.instance.id": "one"}, JoinReason.RESTART, JoinReason.RESTART),
        ({"group.instance.id": "one", "join.reason": "upgrade"}, JoinReason.UPGRADE, JoinReason.UPGRADE),
        (
            {"group.instance.id": "one", "group.local.assignors": [UniformAssignor()]},
            JoinReason.RESTART,
            JoinReason.UNKNOWN,
        ),
    ],
    ids=["dynamic", "static", "configured", "local assignors"],
)
def test_a_static_member_states_a_restart_unless_its_assignors_may_have_new_metadata(
    given: dict[str, object], in_classic: JoinReason, in_consumer: JoinReason
) -> None:
    config = ConsumerConfig.parse(SERVERS, **{"group.id": "g", **given})
    assert (classic_settings(config).join_reason, member_settings(config).join_reason) == (in_classic, in_consumer)


def test_of_two_assignors_of_one_name_ones_own_is_meant() -> None:
    own = {"group.protocol": "classic", "group.id": "g", "group.local.assignors": [RangeAssignor()]}
    asked = ConsumerConfig.parse(SERVERS, **own, partition_assignment_strategy="range,roundrobin")
    assert classic_settings(asked).strategies == ("range", "roundrobin")
    assert classic_settings(asked).local_assignors == {"range"}


@pytest.mark.parametrize("strategies", ["sticky", "range,", "", (), 7])
def test_a_strategy_there_is_not_is_refused(strategies: object) -> None:
    error = refusal({"group.protocol": "classic", "partition.assignment.strategy": strategies})
    assert "must be one or more of range, roundrobin, cooperative-sticky" in str(error)


def test_the_brokers_assignor_has_no_place_in_the_classic_protocol() -> None:
    error = refusal({"group.protocol": "classic", "group.remote.assignor": "uniform"})
    assert "partition.assignment.strategy" in str(error)


def test_a_heartbeat_comes_before_its_session_ends() -> None:
    error = refusal({"group.protocol": "classic", "session.timeout.ms": 6000, "heartbeat.interval.ms": 6000})
    assert "at least 1 below session.timeout.ms=6000" in str(error)


def test_without_migration_such_properties_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"session\.timeout\.ms"):
        ConsumerConfig.from_properties({**SERVERS, "session.timeout.ms": "45000"})


@pytest.mark.parametrize(("key", "value"), [("ssl.truststore.type", "JKS"), ("ssl.keystore.type", "PKCS12")])
def test_what_kafka_has_and_this_version_lacks_is_said_so(key: str, value: str) -> None:
    assert f"{key}={value} is not available in this version" in str(refusal({key: value}))


async def _async_function(error: DeserializationError) -> None: ...


class _AsyncCallable:
    async def __call__(self, error: DeserializationError) -> None: ...


@pytest.mark.parametrize(
    "value", ["raise", "SKIP", "value", DeserializationPolicy.SKIP, print, functools.partial(print)]
)
def test_what_is_done_with_records_that_cannot_be_deserialized_is_a_word_or_a_function(value: object) -> None:
    config = ConsumerConfig.parse(bootstrap_servers="h:1", on_deserialization_error=value)
    expected = DeserializationPolicy(value.lower()) if isinstance(value, str) else value
    assert config.on_deserialization_error == expected


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max.poll.records", "ten"),
        ("max.poll.records", "0"),
        ("max.poll.records", -1),
        ("max.poll.records", 1.5),
        ("max.poll.records", True),
        ("fetch.max.bytes", 2**31),
        ("request.timeout.ms", "9" * 5000),
        ("check.crcs", "yes"),
        ("check.crcs", 1),
        ("auto.offset.reset", "smallest"),
        ("group.protocol", "share"),
        ("group.id", ""),
        ("group.id", 7),
        ("group.instance.id", " "),
        ("group.instance.id", "a/b c"),
        ("group.instance.id", ".."),
        ("group.instance.id", "x" * 250),
        ("key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer"),
        ("value_deserializer", 3),
        ("on.deserialization.error", 3),
        ("on.deserialization.error", _async_function),
        ("on.deserialization.error", _AsyncCallable()),
    ],
)
def test_a_value_out_of_bounds_is_refused_with_its_key(key: str, value: object) -> None:
    error = refusal({key: value})
    assert error.key == key
    assert str(error).startswith(f"{key}: must be")


@pytest.mark.parametrize(
    ("properties", "key"),
    [
        ({"fetch.min.bytes": 2, "fetch.max.bytes": 1}, "fetch.min.bytes"),
        ({"fetch.max.bytes": 2_000, "receive.message.max.bytes": 2_000}, "fetch.max.bytes"),
        ({"fetch.max.wait.ms": 500, "request.timeout.ms": 500}, "fetch.max.wait.ms"),
        ({"retry.backoff.ms": 2, "retry.backoff.max.ms": 1}, "retry.backoff.ms"),
        ({"reconnect.backoff.ms": 2, "reconnect.backoff.max.ms": 1}, "reconnect.backoff.ms"),
        ({"enable.auto.commit": True}, "enable.auto.commit"),
        ({"group.instance.id": "one"}, "group.instance.id"),
    ],
)
def test_values_that_contradict_each_other_are_refused(properties: dict[str, object], key: str) -> None:
    error = refusal(properties)
    assert error.key == key
    assert key in str(error)


def test_a_key_given_in_two_spellings_must_say_the_same() -> None:
    assert "given twice" in str(refusal({"group.id": "a"}, group_id="b"))
    assert ConsumerConfig.parse({**SERVERS, "max.poll.records": "5"}, max_poll_records=5).max_poll_records == 5


def test_without_a_group_nothing_is_committed_by_itself() -> None:
    assert ConsumerConfig.parse(SERVERS).enable_auto_commit is False
    assert ConsumerConfig.parse(SERVERS, group_id="billing").enable_auto_commit is True


def test_the_rebalance_timeout_follows_the_poll_interval_until_it_is_given() -> None:
    assert ConsumerConfig.parse(SERVERS, max_poll_interval_ms=7).rebalance_timeout_ms == 7
    assert ConsumerConfig.parse(SERVERS, max_poll_interval_ms=7, rebalance_timeout_ms=9).rebalance_timeout_ms == 9


def test_none_stands_for_the_default() -> None:
    assert ConsumerConfig.parse(SERVERS, group_id=None, max_poll_records=None) == ConsumerConfig.parse(SERVERS)


def test_a_configuration_is_written_as_what_differs_from_the_defaults() -> None:
    config = ConsumerConfig.parse(SERVERS, group_id="billing", auto_offset_reset="earliest", max_poll_records="500")
    said = "bootstrap_servers='localhost:9092', group_id='billing', auto_offset_reset='earliest'"
    assert repr(config) == f"ConsumerConfig({said})"


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_every_key_is_documented_and_reads_its_own_default(key: Key) -> None:
    default = key.default(ConsumerConfig.parse(SERVERS))
    assert key.doc.endswith(".")
    assert default in (None, ()) or key.value_type.read(default) == default


@given(
    st.dictionaries(
        st.text(max_size=20) | st.sampled_from(sorted(KEYS)), st.none() | st.integers() | st.text() | st.floats()
    )
)
def test_whatever_is_written_is_read_or_refused_with_a_configuration_error(written: dict[str, object]) -> None:
    with contextlib.suppress(ConfigError):
        assert ConsumerConfig.parse({**SERVERS, **written}).bootstrap_servers


@pytest.mark.parametrize("given", ["me:s3cret@localhost:9092", "orders", ["localhost:9092"], b"localhost:9092", 7])
@pytest.mark.parametrize("read", [ConsumerConfig.parse, ConsumerConfig.from_properties, Consumer, GroupAdmin])
def test_what_is_no_configuration_is_refused_with_what_to_write(
    read: Callable[[object], object], given: object
) -> None:
    with pytest.raises(ConfigError, match=r"='localhost:9092', not \w+; pass topics to subscribe\(\)$"):
        read(given)


def test_an_async_deserializer_is_for_the_consumer_to_judge() -> None:
    async def deserialize(data: bytes) -> object:
        return data

    assert ConsumerConfig.parse({**SERVERS, "value.deserializer": deserialize}).value_deserializer is deserialize
