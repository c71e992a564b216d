"""What Apache Kafka never shipped is told to clients that can use it, and nobody else sees anything of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import pack

import pytest

from kafka_nextgen import GroupAdmin
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.types import StandbyState
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import EXTENSIONS, Api
from tests.support.clients import unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually
from tests.testing.broker.client import Client
from tests.testing.broker.extended import announce, describe, extended, heartbeat
from tests.verification.worlds.topics import create_topic

every_extension = pytest.mark.parametrize("api", EXTENSIONS.values(), ids=str)
WEIGHTED = {"name": "weighted", "maximum_version": 1, "metadata_version": 1, "metadata_bytes": b"7"}
NAMELESS = 2  # the last version of ApiVersions in which a client has no name


@pytest.fixture(scope="module")
def stock() -> Iterator[Cluster]:
    with Cluster(extensions=False, config={"group.consumer.assignment.interval.ms": 0}) as running:
        running.create_topic("orders", 2)
        yield running


def told(client: Client, name: str, version: int) -> set[int]:
    """The keys that a client of this name is told of, beyond Kafka's."""
    named = {"client_software_name": name, "client_software_version": "1"}
    answer = client.ask(apis.API_VERSIONS, version=version, **named)
    return {api.api_key for api in answer.api_keys if api.api_key >= min(EXTENSIONS)}


def test_only_a_client_that_says_it_is_ours_is_told(client: Client, stock: Cluster) -> None:
    assert told(client, "kafka-nextgen", NAMELESS) == set()
    assert told(client, "kafka-nextgen", NAMELESS + 1) == told(client, "kafka-nextgen", 4) == set(EXTENSIONS)
    assert told(client, "librdkafka", 4) == told(client, "Kafka-Nextgen", 4) == set()
    with Client(stock.bootstrap_servers) as of_stock:
        assert told(of_stock, "kafka-nextgen", 4) == set()


@every_extension
@pytest.mark.parametrize("says", [[], ["kafka-nextgen", "librdkafka"]], ids=["nothing", "another name later"])
def test_who_is_not_told_is_hung_up_on_as_with_any_unknown_key(client: Client, api: Api, says: list[str]) -> None:
    for name in says:
        told(client, name, 4)
    client.send(api.request(group_id="g"), 0)
    assert client.is_hung_up()


@every_extension
def test_a_broker_without_extensions_hangs_up_on_ours_too(stock: Cluster, api: Api) -> None:
    with extended(stock.bootstrap_servers) as client:
        client.send(api.request(group_id="g"), 0)
        assert client.is_hung_up()


@every_extension
def test_a_request_that_is_cut_ends_its_own_connection(cluster: Cluster, ours: Client, api: Api) -> None:
    with extended(cluster.bootstrap_servers) as stranger:
        stranger.send_bytes(pack(">ihhihbb", 12, api.key, 0, 1, -1, 0, 0x7F))  # a group id of 126 bytes, none there
        assert stranger.is_hung_up()
    assert ours.ask(api, group_id="nobody").throttle_time_ms == 0


def test_where_the_protocol_is_off_so_are_its_extensions() -> None:
    of_the_protocol = set(EXTENSIONS.values()) - {apis.CONSUMER_GROUP_HISTORY}
    with Cluster(config={"group.version": 0}) as old, extended(old.bootstrap_servers) as client:
        for api in of_the_protocol:
            assert client.ask(api, group_id="g").error_code == ErrorCode.UNSUPPORTED_VERSION


def test_another_node_than_the_groups_says_so() -> None:
    with Cluster(brokers=2) as cluster:
        servers = cluster.bootstrap_servers.split(",")
        with extended(servers[2 - cluster.coordinator_of("g")]) as client:
            for api in EXTENSIONS.values():
                assert client.ask(api, group_id="g").error_code == ErrorCode.NOT_COORDINATOR


def test_a_stock_client_with_our_tags_is_taken_for_one_without(client: Client, topic: str, group: str) -> None:
    joined = heartbeat(client, group, "m", 0, subscribed_topic_names=[topic], client_assignors=[WEIGHTED])
    assert joined.error_code == ErrorCode.NONE
    assert joined.assignment.topic_partitions
    assert not joined.should_compute_assignment
    assert describe(client, group).assignor_name == "uniform"


def test_without_extensions_tags_are_passed_over(stock: Cluster, group: str) -> None:
    with extended(stock.bootstrap_servers) as client:
        joined = heartbeat(client, group, "m", 0, subscribed_topic_names=["orders"], client_assignors=[WEIGHTED])
        assert [topic.partitions for topic in joined.assignment.topic_partitions] == [(0, 1)]
        assert not joined.should_compute_assignment
        (member,) = describe(client, group).members
        assert member.client_assignors == ()


def test_a_broker_without_extensions_makes_standbys_active_and_forgets_them(tmp_path: Path) -> None:
    config = {"group.consumer.assignment.interval.ms": 0}
    with Cluster(data_dir=tmp_path, config=config) as first, extended(first.bootstrap_servers) as client:
        first.create_topic("orders", 2)
        with GroupAdmin(bootstrap_servers=first.bootstrap_servers) as admin:
            admin.alter_config("g", {"group.target.size": 1})
        for name in ("a", "b"):
            heartbeat(client, "g", name, 0, subscribed_topic_names=["orders"], standby_state=StandbyState.LOADING)
        described = [(member.standby_place, member.standby_state) for member in describe(client, "g").members]
        assert described == [(0, StandbyState.UNKNOWN), (1, StandbyState.LOADING)]
    with Cluster(data_dir=tmp_path, config=config) as again, extended(again.bootstrap_servers) as client:
        eventually("the log was read", lambda: heartbeat(client, "g", "a", 2).error_code == ErrorCode.NONE)
        states = [member.standby_state for member in describe(client, "g").members]
        assert states == [StandbyState.UNKNOWN, StandbyState.LOADING], "it was recorded"
    stock = Cluster(data_dir=tmp_path, config=config, extensions=False)
    with stock as second, Client(second.bootstrap_servers) as client:
        eventually("the log was read", lambda: heartbeat(client, "g", "a", 2).error_code == ErrorCode.NONE)
        targets = [member.target_assignment.topic_partitions for member in describe(client, "g").members]
        assert [len(topic.partitions) for (topic,) in targets] == [1, 1]
        said = heartbeat(client, "g", "b", 2, standby_state=StandbyState.LOADING)
        assert said.error_code == ErrorCode.NONE, "and the tag is passed over"
        heartbeat(client, "g", "b", -1)
        with GroupAdmin(bootstrap_servers=second.bootstrap_servers) as admin:
            admin.alter_config("g", {"consumer.heartbeat.interval.ms": 6_000})  # whatever else is stored
    with Cluster(data_dir=tmp_path, config=config) as third, extended(third.bootstrap_servers) as client:
        eventually("the log was read", lambda: heartbeat(client, "g", "a", 2).error_code == ErrorCode.NONE)
        assert heartbeat(client, "g", "a", -1).error_code == ErrorCode.NONE


# ---- a broker of Apache Kafka, for comparison


def test_kafka_passes_over_our_tags_and_hangs_up_on_our_keys(real_kafka: KafkaServer, group: str) -> None:
    with extended(real_kafka.bootstrap_servers) as client:
        assert told(client, "kafka-nextgen", 3) == set()
        topic = unique("orders")
        create_topic(client, topic, 2)
        joining = {"subscribed_topic_names": [topic], "client_assignors": [WEIGHTED], "join_reason": 3}

        def joins() -> bool:
            answer = heartbeat(client, group, "m", 0, **joining)
            assert (answer.should_compute_assignment, answer.assignment_message) == (False, None)
            return answer.error_code == ErrorCode.NONE and bool(answer.assignment.topic_partitions)

        eventually("the member is assigned by the coordinator itself", joins)
        assert describe(client, group).assignor_name == "uniform"
    for api in EXTENSIONS.values():
        with extended(real_kafka.bootstrap_servers) as client:
            client.send(api.request(group_id=group), 0)
            assert client.is_hung_up()


# ---- ConsumerGroupAnnounceLeaving


def announce_leaving(client: Client, group: str, *instances: str, timeout_ms: int = 60_000) -> list[tuple[str, int]]:
    """Announce instances, and return what became of each."""
    members = [{"member_id": "", "instance_id": instance} for instance in instances]
    answer = client.ask(apis.CONSUMER_GROUP_ANNOUNCE_LEAVING, group_id=group, members=members, timeout_ms=timeout_ms)
    assert answer.error_code == ErrorCode.NONE
    return [(member.instance_id, member.error_code) for member in answer.members]


def test_who_is_to_leave_is_shown_until_all_have_left(ours: Client, client: Client, topic: str, group: str) -> None:
    for member, instance in (("a", "i"), ("b", "j"), ("c", "k")):
        heartbeat(ours, group, member, 0, instance_id=instance, subscribed_topic_names=[topic])
    epoch = describe(ours, group).group_epoch
    told = announce_leaving(ours, group, "i", "j", "nobody")
    assert told == [("i", ErrorCode.NONE), ("j", ErrorCode.NONE), ("nobody", ErrorCode.UNKNOWN_MEMBER_ID)]
    heartbeat(ours, group, "a", -1, instance_id="i")
    shown = describe(ours, group)
    assert [(each.instance_id, each.member_id, each.has_left) for each in shown.leaving_members] == [
        ("i", "a", True),
        ("j", "b", False),
    ]
    assert shown.group_epoch == epoch
    assert describe(client, group).leaving_members == ()  # a stock client sees nothing of it
    heartbeat(ours, group, "b", -1, instance_id="j")
    shown = describe(ours, group)
    assert (shown.group_epoch, shown.leaving_members) == (epoch + 1, ())


def test_an_announcement_of_leaving_that_makes_no_sense_is_refused(ours: Client, group: str) -> None:
    right = {"group_id": group, "members": [{"member_id": "m"}], "timeout_ms": 1_000}
    for wrong, error in (
        ({"group_id": ""}, ErrorCode.INVALID_GROUP_ID),
        ({"timeout_ms": -1}, ErrorCode.INVALID_REQUEST),
        ({"members": []}, ErrorCode.INVALID_REQUEST),
        ({}, ErrorCode.GROUP_ID_NOT_FOUND),
    ):
        answer = ours.ask(apis.CONSUMER_GROUP_ANNOUNCE_LEAVING, **{**right, **wrong})
        assert (answer.error_code, answer.members) == (error, ())
        assert answer.error_message


# ---- ConsumerGroupAddMembers


def test_who_is_announced_is_shown_until_all_have_come(ours: Client, client: Client, topic: str, group: str) -> None:
    assert announce(ours, group, "i", "j") == {"i": ErrorCode.NONE, "j": ErrorCode.NONE}
    heartbeat(ours, group, "a", 0, instance_id="i", subscribed_topic_names=[topic])
    shown = describe(ours, group).expected_members
    assert [(member.instance_id, member.has_joined) for member in shown] == [("i", True), ("j", False)]
    assert all(member.expected_until > 1_700_000_000_000 for member in shown)
    assert describe(client, group).expected_members == ()  # a stock client sees nothing of it
    heartbeat(ours, group, "b", 0, instance_id="j", subscribed_topic_names=[topic])
    assert describe(ours, group).expected_members == ()


def test_an_announcement_that_makes_no_sense_is_refused(ours: Client, group: str) -> None:
    right = {"group_id": group, "members": [{"instance_id": "i"}], "timeout_ms": 1_000}
    for wrong, error in (
        ({"group_id": ""}, ErrorCode.INVALID_GROUP_ID),
        ({"timeout_ms": -1}, ErrorCode.INVALID_REQUEST),
        ({"members": []}, ErrorCode.INVALID_REQUEST),
    ):
        answer = ours.ask(apis.CONSUMER_GROUP_ADD_MEMBERS, **{**right, **wrong})
        assert (answer.error_code, answer.members) == (error, ())
        assert answer.error_message


def test_each_instance_has_a_result_of_its_own(ours: Client, topic: str, group: str) -> None:
    heartbeat(ours, group, "a", 0, instance_id="i", subscribed_topic_names=[topic])
    assert announce(ours, group, "i", "", "j") == {
        "i": ErrorCode.UNRELEASED_INSTANCE_ID,
        "": ErrorCode.INVALID_REQUEST,
        "j": ErrorCode.NONE,
    }
    assert announce(ours, group, "j", "k", timeout_ms=0) == {"j": ErrorCode.NONE, "k": ErrorCode.UNKNOWN_MEMBER_ID}
