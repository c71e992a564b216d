"""Configuration that changes while the broker runs: every table here is what real Kafka says, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial

import pytest

from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker.topic_settings import topic_keys
from kafka_nextgen.testing.coordinator.settings import Profile
from kafka_nextgen.wire import apis
from tests.support.clients import unique
from tests.support.kafka_server import SESSION_TIMEOUT_MS, KafkaServer
from tests.support.waiting import eventually
from tests.testing.broker.client import Client
from tests.testing.broker.configs import (
    APPEND,
    BROKER,
    DELETE,
    GROUP,
    SET,
    SUBTRACT,
    TOPIC,
    Change,
    Outcome,
    alter,
    describe,
    listed,
    refused,
    replace,
)
from tests.testing.broker.group_requests import heartbeat, live_by_the_classic_protocol
from tests.verification.worlds.topics import create_topic

SESSION, HEARTBEAT = "consumer.session.timeout.ms", "consumer.heartbeat.interval.ms"
INTERVAL = "consumer.assignment.interval.ms"
TARGET_SIZE = "group.target.size"  # an extension
DONE = ("NONE", None)


INVALID, BAD_REQUEST = "INVALID_CONFIG", "INVALID_REQUEST"

Table = Mapping[tuple[Change, ...], Outcome]  # what is to be changed: the error's name, and how its text begins


def said_to(table: Table, ask: Callable[..., Outcome]) -> Table:
    """The table as it turns out to be."""
    answers = {changes: ask(*changes) for changes in table}
    return {changes: (said, (why or "")[: len(table[changes][1])]) for changes, (said, why) in answers.items()}


@pytest.fixture
def at(each_release: KafkaServer) -> Iterator[Client]:
    with Client(each_release.bootstrap_servers) as client:
        yield client


# ---- groups


TOO_SHORT, TOO_LONG = ((SESSION, SET, "999"),), ((SESSION, SET, "60001"),)
BOTH_TOO_SHORT = ((SESSION, SET, "1"), (HEARTBEAT, SET, "1"))

#: What is beyond the broker's bounds, in the words of Kafka 4.4 and in those before.
OUT_OF_BOUNDS: Table = {
    TOO_SHORT: (INVALID, f"{SESSION} must be in the range 1000 to 60000 inclusive."),
    TOO_LONG: (INVALID, f"{SESSION} must be in the range 1000 to 60000 inclusive."),
    BOTH_TOO_SHORT: (INVALID, f"{HEARTBEAT} must be in the range 100 to 15000 inclusive."),
}
OUT_OF_BOUNDS_BEFORE: Table = {
    TOO_SHORT: (INVALID, f"{SESSION} must be greater than or equal to group.consumer.min"),
    TOO_LONG: (INVALID, f"{SESSION} must be less than or equal to group.consumer.max"),
    BOTH_TOO_SHORT: (INVALID, f"{HEARTBEAT} must be greater than or equal"),
}

GROUP_REFUSALS: Table = {
    ((SESSION, SET, "x"),): (INVALID, f"Invalid value x for configuration {SESSION}: Not a"),
    ((SESSION, SET, ""),): (INVALID, f"Invalid value  for configuration {SESSION}: Not a"),
    ((SESSION, SET, "0"),): (INVALID, f"Invalid value 0 for configuration {SESSION}: Value must be at leas"),
    ((SESSION, SET, "6000"), (HEARTBEAT, SET, "6000")): (INVALID, f"{SESSION} must be greater than {HEARTBEAT}"),
    ((SESSION, SET, None),): (BAD_REQUEST, f"Null value not supported for : {SESSION}"),
    ((SESSION, APPEND, "1"),): (INVALID, f"Can't APPEND to key {SESSION} because its type is not LIST."),
    ((SESSION, SUBTRACT, "1"),): (INVALID, f"Can't SUBTRACT to key {SESSION} because its type is not LIST"),
    ((SESSION, 9, "1"),): ("UNKNOWN_SERVER_ERROR", ""),
    (("nope", SET, "1"),): (INVALID, "Unknown group config name: nope"),
    ((SESSION, SET, "7000"), (SESSION, DELETE, None)): (BAD_REQUEST, "Error due to duplicate config keys"),
}


def test_what_a_group_can_not_be_given(at: Client, each_release: KafkaServer) -> None:
    out_of_bounds = OUT_OF_BOUNDS if each_release.release >= (4, 4) else OUT_OF_BOUNDS_BEFORE
    for table in (out_of_bounds, GROUP_REFUSALS):
        assert said_to(table, partial(alter, at, GROUP, "g")) == table


def test_a_group_is_configured_before_it_is_there_and_told_where_values_are_from(
    at: Client, each_release: KafkaServer
) -> None:
    group = unique("group")
    assert alter(at, GROUP, group, (SESSION, SET, " 7000 ")) == DONE
    eventually("it is told", lambda: describe(at, GROUP, group)[SESSION].value == "7000")
    told = describe(at, GROUP, group, SESSION, HEARTBEAT, "nope")
    assert sorted(told) == [HEARTBEAT, SESSION]
    assert (told[SESSION].source, told[HEARTBEAT].value, told[SESSION].read_only) == (8, "200", False)
    if each_release.release >= (4, 3):
        broker_key = f"group.{SESSION}"
        assert told[SESSION].synonyms == (
            (SESSION, "7000", 8),
            (broker_key, SESSION_TIMEOUT_MS, 4),
            (broker_key, "45000", 5),
        )
    else:
        assert (told[SESSION].synonyms, told[HEARTBEAT].synonyms) == (((SESSION, "7000", 8),), ((HEARTBEAT, "200", 5),))
    assert alter(at, GROUP, group, (SESSION, DELETE, None), ("nope", DELETE, None)) == DONE
    eventually("it is taken back", lambda: describe(at, GROUP, group)[SESSION].value == SESSION_TIMEOUT_MS)


def test_a_change_is_made_in_whole_or_not_at_all(at: Client) -> None:
    group = unique("group")
    assert alter(at, GROUP, group, (HEARTBEAT, SET, "700"), (SESSION, SET, "1"))[0] == INVALID
    assert alter(at, GROUP, group, (HEARTBEAT, SET, "700"), validate_only=True) == DONE
    assert describe(at, GROUP, group)[HEARTBEAT].value == "200"


def test_the_older_request_replaces_everything(at: Client) -> None:
    group = unique("group")
    assert replace(at, GROUP, group, {SESSION: "7000"}) == DONE
    assert replace(at, GROUP, group, {HEARTBEAT: "700"}) == DONE
    eventually("it is told", lambda: describe(at, GROUP, group)[HEARTBEAT].value == "700")
    assert describe(at, GROUP, group)[SESSION].value == SESSION_TIMEOUT_MS
    assert replace(at, GROUP, group, {HEARTBEAT: None})[1] == f"Null value not supported for : {HEARTBEAT}"


def test_there_is_no_default_group(at: Client) -> None:
    assert alter(at, GROUP, "", (SESSION, SET, "7000"))[1] == "Default group resources are not allowed."
    assert refused(at, GROUP, "") == (BAD_REQUEST, "Group name must not be empty")


# ---- topics


CODECS = "uncompressed, zstd, lz4, snappy, gzip, producer"
THROTTLED = "leader.replication.throttled.replicas"

#: Values that keys of topics can't have, and why.
BAD_VALUES = (
    ("retention.ms", "x", "Not a number"),
    ("retention.ms", "-2", "Value must"),
    ("max.message.bytes", "-1", ""),
    ("cleanup.policy", "bogus", "String must be one of: compact, delete"),
    ("compression.type", "rar", f"String must be one of: {CODECS}"),
    ("min.cleanable.dirty.ratio", "1.5", "Value must be no more than 1"),
    ("min.cleanable.dirty.ratio", "half", "Not a number of type DOUBLE"),
    ("min.cleanable.dirty.ratio", "0_0.5", "Not a number of type DOUBLE"),
    ("flush.ms", "1_000", "Not a number of type LONG"),
    ("preallocate", "maybe", "Expected value to be either true or false"),
    ("compression.gzip.level", "0", "Value must be between 1 and 9 or equal to -1"),
    ("compression.lz4.level", "18", "Value must be no more than 17"),
    ("compression.zstd.level", "23", "Value must be no more than 22"),
    ("segment.index.bytes", "3", "Value must be at least 4"),
)
LAGS = (("min.compaction.lag.ms", SET, "2"), ("max.compaction.lag.ms", SET, "1"))
TOPIC_REFUSALS: Table = {
    **{
        ((key, SET, value),): (INVALID, f"Invalid value {value} for configuration {key}: {why}")
        for key, value, why in BAD_VALUES
    },
    (("max.message.bytes", APPEND, "1"),): (INVALID, "Can't APPEND to key max.message.bytes because"),
    (("nope", SET, "1"),): (INVALID, "Unknown topic config name: nope"),
    ((THROTTLED, SET, "0,1"),): (INVALID, f"Invalid value [0, 1] for configuration {THROTTLED}: {THROTTLED[:26]}"),
    LAGS: (INVALID, "conflict topic config setting min.compaction.lag.ms (2) > max.compaction.lag.ms (1)"),
    (("remote.storage.enable", SET, "true"),): (INVALID, "Tiered Storage functionality is disabled in the bro"),
}


@pytest.fixture
def topic(at: Client) -> str:
    name = unique("orders")
    create_topic(at, name, 1)
    return name


def test_what_a_topic_can_not_be_given(at: Client, topic: str) -> None:
    assert said_to(TOPIC_REFUSALS, partial(alter, at, TOPIC, topic)) == TOPIC_REFUSALS


def test_topics_are_configured_with_lists_and_numbers(at: Client, topic: str) -> None:
    assert alter(at, TOPIC, topic, ("retention.bytes", SET, "7000"), ("cleanup.policy", APPEND, "compact")) == DONE
    eventually("it is told", lambda: describe(at, TOPIC, topic)["retention.bytes"].value == "7000")
    told = describe(at, TOPIC, topic, "cleanup.policy", "retention.bytes", "max.message.bytes")
    policies = (("cleanup.policy", "delete,compact", 1), ("log.cleanup.policy", "delete", 5))
    assert told["cleanup.policy"].synonyms == policies
    assert told["max.message.bytes"].synonyms[-1] == ("message.max.bytes", "1048588", 5)
    assert alter(at, TOPIC, topic, ("cleanup.policy", SUBTRACT, "delete"), ("retention.bytes", DELETE, None)) == DONE
    eventually("it is told", lambda: describe(at, TOPIC, topic)["cleanup.policy"].value == "compact")
    assert describe(at, TOPIC, topic)["retention.bytes"].source == 5


#: A value that each of these keys may have, and that is not its default.
TAKEN = {
    "compression.gzip.level": "9",
    "compression.lz4.level": "1",
    "compression.zstd.level": "-5",
    "file.delete.delay.ms": "1000",
    "flush.messages": "1",
    "flush.ms": "1000",
    "follower.replication.throttled.replicas": "*",
    "index.interval.bytes": "0",
    "leader.replication.throttled.replicas": "0:1,1:1",
    "local.retention.bytes": "1000",
    "local.retention.ms": "1000",
    "max.compaction.lag.ms": "1000",
    "message.timestamp.after.max.ms": "1000",
    "message.timestamp.before.max.ms": "1000",
    "min.cleanable.dirty.ratio": "0.01",
    "min.compaction.lag.ms": "1",
    "preallocate": "true",
    "remote.log.copy.disable": "true",
    "remote.log.delete.on.disable": "true",
    "segment.index.bytes": "1000",
    "segment.jitter.ms": "10",
    "unclean.leader.election.enable": "true",
}


def test_a_topic_takes_and_describes_every_key_of_kafka(at: Client, topic: str, each_release: KafkaServer) -> None:
    keys = topic_keys(Profile(".".join(map(str, each_release.release))))
    before = describe(at, TOPIC, topic)
    by_default = {key: each.value for key, each in before.items() if each.source == 5}
    assert before.keys() == keys.keys()
    assert by_default.items() <= {name: key.default for name, key in keys.items()}.items()
    assert by_default.keys() >= TAKEN.keys() - {"min.cleanable.dirty.ratio", "file.delete.delay.ms"}
    assert alter(at, TOPIC, topic, *((key, SET, value) for key, value in TAKEN.items())) == DONE
    eventually("it is told", lambda: {key: describe(at, TOPIC, topic)[key].value for key in TAKEN} == TAKEN)


def test_what_is_no_topic_is_not_configured(at: Client) -> None:
    change = ("retention.ms", SET, "1")
    assert alter(at, TOPIC, "nope", change) == ("UNKNOWN_TOPIC_OR_PARTITION", "The topic 'nope' does not exist.")
    assert alter(at, TOPIC, "", change) == (BAD_REQUEST, "Default topic resources are not allowed.")
    assert alter(at, TOPIC, "a b", change)[0] == refused(at, TOPIC, "")[0] == "INVALID_TOPIC_EXCEPTION"
    assert refused(at, TOPIC, "nope")[0] == "UNKNOWN_TOPIC_OR_PARTITION"


def test_what_a_change_would_do_is_looked_at_before_its_topic(at: Client) -> None:
    for name in ("nope", "", "a b"):
        assert alter(at, TOPIC, name, ("retention.ms", APPEND, "1"))[0] == INVALID
    assert alter(at, TOPIC, "nope", ("retention.ms", SET, "x"))[0] == INVALID
    assert alter(at, TOPIC, "nope", ("cleanup.policy", APPEND, ""))[0] == INVALID
    assert alter(at, TOPIC, "nope", ("cleanup.policy", SET, "delete,"))[0] == INVALID
    assert alter(at, TOPIC, "nope", ("cleanup.policy", APPEND, "compact,,"))[0] == "UNKNOWN_TOPIC_OR_PARTITION"
    first, later = ("file.delete.delay.ms", SUBTRACT, "1"), ("max.message.bytes", 9, "1")
    assert alter(at, TOPIC, "nope", first, later)[0] == alter(at, TOPIC, "nope", later, first)[0] == INVALID
    assert alter(at, TOPIC, "a b", ("retention.ms", SET, "x"))[0] == "INVALID_TOPIC_EXCEPTION"
    assert alter(at, TOPIC, "", ("retention.ms", SET, "x"))[0] == BAD_REQUEST


# ---- brokers


def test_what_a_broker_can_be_given_while_it_runs(at: Client) -> None:
    unchangeable, size = "Cannot update these configs dynamically: ", "message.max.bytes"
    for name, change, code, text in (
        ("1", (size, SET, "2000000"), "NONE", ""),
        ("", (size, SET, "2000000"), "NONE", ""),
        ("1", ("num.partitions", SET, "3"), BAD_REQUEST, unchangeable),
        ("", ("group.max.size", SET, "3"), BAD_REQUEST, unchangeable),
        ("1", ("num.partitions", DELETE, None), "NONE", ""),
        ("1", (size, SET, "x"), BAD_REQUEST, "Invalid value x for configuration message.max"),
        ("1", (size, APPEND, "1"), INVALID, "Config value append is not allowed for"),
        ("1", (size, 9, "1"), BAD_REQUEST, "Unknown operations type 9"),
        ("1", ("plugin.key", SET, "1"), "NONE", ""),
        ("9", (size, SET, "1"), BAD_REQUEST, "Unexpected broker id, expected 1, but received 9"),
        ("x", (size, SET, "1"), BAD_REQUEST, "Node id must be an integer, but it is: x"),
    ):
        said, why = alter(at, BROKER, name, change, validate_only=True)
        assert (said, (why or "")[: len(text)]) == (code, text)


def test_brokers_are_told_by_their_own_id(at: Client) -> None:
    unexpected = "Unexpected broker id, expected 1 or empty string, but received 9"
    assert refused(at, BROKER, "9") == (BAD_REQUEST, unexpected)
    assert refused(at, BROKER, "x") == (BAD_REQUEST, "Broker id must be an integer, but it is: x")
    is_read_only = {"num.partitions": True, "message.max.bytes": False, f"group.{SESSION}": True}
    told = describe(at, BROKER, "1", *is_read_only)
    assert {name: key.read_only for name, key in told.items()} == is_read_only
    assert told[f"group.{SESSION}"].source == 4


def test_other_things_have_no_configuration(at: Client) -> None:
    assert alter(at, 77, "x", ("a", SET, "1")) == (BAD_REQUEST, "Unknown resource type 77")
    assert refused(at, 77, "x")[0] == BAD_REQUEST


# ---- what this does, on the embedded broker alone


@pytest.fixture
def own() -> Iterator[Callable[..., Client]]:
    with ExitStack() as stack:

        def start(**how: object) -> Client:
            cluster = stack.enter_context(Cluster(**how))
            return stack.enter_context(Client(cluster.bootstrap_servers))

        yield start


def test_what_all_brokers_are_given_counts_for_topics_and_groups(own: Callable[..., Client]) -> None:
    client = own()
    create_topic(client, "orders", 1)
    key = f"group.{INTERVAL}"
    assert alter(client, BROKER, "", (key, SET, "5"), ("message.max.bytes", SET, "99"), ("plugin", SET, "s")) == DONE
    assert alter(client, BROKER, "1", (key, SET, "7")) == DONE
    assert describe(client, TOPIC, "orders", "max.message.bytes")["max.message.bytes"].value == "99"
    assert describe(client, GROUP, "g", INTERVAL)[INTERVAL].synonyms == ((key, "7", 2), (key, "5", 3), (key, "1000", 5))
    shown = {name: config.value for name, config in describe(client, BROKER, "").items()}
    assert shown == {key: "5", "message.max.bytes": "99", "plugin": None}
    too_much = f"{key} must be less than or equal to group.consumer.max.assignment.interval.ms"
    assert alter(client, BROKER, "1", (key, SET, "15001")) == (BAD_REQUEST, too_much)


def test_the_number_of_coordinator_threads_is_taken_and_described(
    own: Callable[..., Client], caplog: pytest.LogCaptureFixture
) -> None:
    threads = "group.coordinator.threads"
    caplog.set_level("INFO")
    assert describe(own(), BROKER, "1", threads)[threads].value == "4"
    assert threads not in caplog.text
    client = own(config={threads: 8})
    assert f"{threads}=8 has no effect" in caplog.text
    told = describe(client, BROKER, "1", threads)[threads]
    assert (told.synonyms, told.read_only) == (((threads, "8", 4), (threads, "4", 5)), True)
    fixed = (BAD_REQUEST, f"Cannot update these configs dynamically: [{threads}]")
    assert alter(client, BROKER, "1", (threads, SET, "9")) == fixed


def test_fewer_connections_are_let_in_from_then_on(own: Callable[..., Client]) -> None:
    client = own()
    with Client(client.bootstrap_servers) as second:
        describe(second, BROKER, "1")
        assert alter(client, BROKER, "", ("max.connections", SET, "2")) == DONE
        with Client(client.bootstrap_servers) as third:
            assert third.is_hung_up()


def test_a_heartbeat_tells_the_interval_that_the_group_was_given(own: Callable[..., Client]) -> None:
    client = own(config={"group.consumer.max.heartbeat.interval.ms": 20_000})
    assert heartbeat(client, "g", 0, subscribed_topic_names=["orders"]).heartbeat_interval_ms == 5_000
    assert alter(client, GROUP, "g", (HEARTBEAT, SET, "17000")) == DONE
    assert heartbeat(client, "g", 0, subscribed_topic_names=["orders"]).heartbeat_interval_ms == 17_000


def test_before_4_3_there_is_no_assignment_interval(own: Callable[..., Client]) -> None:
    client = own(profile="4.2")
    assert alter(client, GROUP, "g", (INTERVAL, SET, "5"))[1] == f"Unknown group config name: {INTERVAL}"
    assert sorted(describe(client, GROUP, "g")) == [HEARTBEAT, SESSION]
    assert describe(client, BROKER, "1", f"group.{INTERVAL}") == {}
    assert describe(client, GROUP, "g")[SESSION].synonyms == ((SESSION, "45000", 5),)
    assert alter(client, BROKER, "1", ("num.partitions", SET, "3"))[1] == (
        "Cannot update these configs dynamically: Set(num.partitions)"
    )


TARGET_SIZE_REFUSALS: Table = {
    ((TARGET_SIZE, SET, "0"),): (INVALID, f"Invalid value 0 for configuration {TARGET_SIZE}: Value must be at"),
    ((TARGET_SIZE, SET, "many"),): (INVALID, f"Invalid value many for configuration {TARGET_SIZE}: Not a"),
    ((TARGET_SIZE, SET, "8"),): (INVALID, f"{TARGET_SIZE} must be less than or equal to group.consumer.max.s"),
    (("target.group.size", SET, "8"),): (INVALID, f"{TARGET_SIZE} must be less than or equal to group.consum"),
    (("target.group.size", SET, "2"), (TARGET_SIZE, SET, "2")): (BAD_REQUEST, "Error due to duplicate config keys"),
}


def test_a_target_size_is_an_extension_that_is_shown_where_it_is_set(own: Callable[..., Client]) -> None:
    client = own(config={"group.consumer.max.size": 7})
    assert said_to(TARGET_SIZE_REFUSALS, partial(alter, client, GROUP, "g")) == TARGET_SIZE_REFUSALS
    assert TARGET_SIZE not in describe(client, GROUP, "g")
    assert alter(client, GROUP, "g", ("target.group.size", SET, "3")) == DONE
    assert describe(client, GROUP, "g")[TARGET_SIZE].synonyms == ((TARGET_SIZE, "3", 8),)
    assert alter(client, GROUP, "g", ("target.group.size", DELETE, None)) == DONE
    assert TARGET_SIZE not in describe(client, GROUP, "g")


def test_the_brokers_target_size_is_the_default_of_groups(own: Callable[..., Client]) -> None:
    client = own(config={TARGET_SIZE: 4})
    assert describe(client, GROUP, "g")[TARGET_SIZE].synonyms == ((TARGET_SIZE, "4", 5),)
    assert describe(client, BROKER, "1", TARGET_SIZE) == {}, "Kafka's brokers have no such setting"


@pytest.mark.parametrize("profile", ["4.0", "4.3"])
def test_without_extensions_there_is_no_target_size(own: Callable[..., Client], profile: str) -> None:
    client = own(config={"extensions": False}, profile=profile)
    for name in (TARGET_SIZE, "target.group.size"):
        assert alter(client, GROUP, "g", (name, SET, "3"))[1] == f"Unknown group config name: {name}"
    assert TARGET_SIZE not in describe(client, GROUP, "g")


def test_a_group_of_the_classic_protocol_has_no_target_size(own: Callable[..., Client]) -> None:
    client = own()
    live_by_the_classic_protocol(client)
    assert alter(client, GROUP, "old", (TARGET_SIZE, SET, "3")) == (
        INVALID,
        "group.target.size: group 'old' uses the classic protocol, whose coordinator has no standbys; set "
        "group.protocol=consumer in its members, or use the assignor HotStandby in them",
    )


def test_a_classic_group_keeps_an_earlier_target_size_and_an_empty_one_may_have_any(own: Callable[..., Client]) -> None:
    client = own()
    assert alter(client, GROUP, "old", (TARGET_SIZE, SET, "3")) == DONE
    member_id = live_by_the_classic_protocol(client)
    assert alter(client, GROUP, "old", (TARGET_SIZE, SET, "3"), (SESSION, SET, "50000")) == DONE
    assert alter(client, GROUP, "old", (TARGET_SIZE, SET, "4"))[0] == INVALID
    assert alter(client, GROUP, "old", (TARGET_SIZE, DELETE, None)) == DONE
    client.ask(apis.LEAVE_GROUP, version=2, group_id="old", member_id=member_id)
    assert alter(client, GROUP, "old", (TARGET_SIZE, SET, "4")) == DONE


def test_everything_that_has_a_configuration_is_listed(own: Callable[..., Client]) -> None:
    client = own(brokers=2)
    create_topic(client, "orders", 1)
    alter(client, GROUP, "g", (SESSION, SET, "50000"))
    everything = {("g", GROUP), ("1", BROKER), ("2", BROKER), ("orders", TOPIC)}
    assert listed(client) == ("NONE", everything)
    assert listed(client, GROUP) == ("NONE", {("g", GROUP)})
    assert listed(client, 99) == ("UNSUPPORTED_VERSION", set())
    assert listed(client, version=0) == ("NONE", set())
    alter(client, GROUP, "g", (SESSION, DELETE, None))
    assert listed(client, GROUP) == ("NONE", set())
