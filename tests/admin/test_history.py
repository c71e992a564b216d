"""What groups rebalanced for, asked through sockets, by programs and by people; and where nobody remembers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner

from kafka_nextgen import (
    ConfigError,
    Consumer,
    ConsumerConfig,
    GroupAdmin,
    GroupNotFoundError,
    JoinReason,
    RebalanceReason,
    UnsupportedProtocolError,
)
from kafka_nextgen.admin import GroupType, PastRebalance
from kafka_nextgen.cli.main import cli
from kafka_nextgen.testing import Cluster
from tests.endtoend.reading import QUICK_CLASSIC, config_of, poll_until
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer

TOPIC = "orders"
QUICK = {
    "group.consumer.heartbeat.interval.ms": 100,
    "group.consumer.min.heartbeat.interval.ms": 100,
    "group.consumer.assignment.interval.ms": 0,
    "group.initial.rebalance.delay.ms": 0,
    "group.rebalance.history.size": 4,
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=2, config=QUICK) as cluster:
        cluster.create_topic(TOPIC, 2)
        yield cluster


@pytest.fixture(scope="module")
def admin(cluster: Cluster) -> Iterator[GroupAdmin]:
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        yield admin


@pytest.fixture
def group() -> str:
    return unique("remembered")


def member(
    cluster: Cluster, group: str, protocol: str = "consumer", topics: tuple[str, ...] = (TOPIC,), **more: object
) -> Consumer:
    own = QUICK_CLASSIC if protocol == "classic" else {}
    consumer = Consumer(
        bootstrap_servers=cluster.bootstrap_servers, group_id=group, group_protocol=protocol, **own, **more
    )
    consumer.subscribe(topics)
    return consumer


def has(consumer: Consumer, *topics: str) -> Callable[[], bool]:
    return lambda: {tp.topic for tp in consumer.assignment()} == set(topics)


def is_assigned(rebalance: PastRebalance, stated: JoinReason) -> bool:
    return rebalance.stated is stated and rebalance.assigned_at is not None


def test_who_came_and_left_is_remembered_with_when_and_for_how_long(
    cluster: Cluster, admin: GroupAdmin, group: str
) -> None:
    with member(cluster, group, group_instance_id="one") as first:
        poll_until([first], lambda: len(first.assignment()) == 2)
        with member(cluster, group) as second:
            poll_until([first, second], lambda: len(first.assignment()) == len(second.assignment()) == 1)
        poll_until([first], lambda: len(first.assignment()) == 2)
        history = admin.history(group)
        who = first.group_metadata().member_id
    joined, left = RebalanceReason.MEMBER_JOINED, RebalanceReason.MEMBER_LEFT
    assert [rebalance.reason for rebalance in history] == [joined, joined, left]
    assert [(rebalance.number, rebalance.type) for rebalance in history] == [(n, GroupType.CONSUMER) for n in (1, 2, 3)]
    assert (history[0].member_id, history[0].instance_id) == (who, "one")
    assert (history[1].member_id, history[1].instance_id) == (history[2].member_id, None)
    assert [rebalance.target_epoch for rebalance in history] == [rebalance.epoch for rebalance in history]
    assert all(rebalance.delay_s is not None and rebalance.delay_s >= 0 for rebalance in history)
    assert sorted(history, key=lambda rebalance: rebalance.caused_at) == list(history)


def test_the_latest_survive_the_coordinator_and_go_with_the_group(
    cluster: Cluster, admin: GroupAdmin, group: str
) -> None:
    for _ in range(3):  # each comes and leaves
        with member(cluster, group) as alone:
            poll_until([alone], lambda: len(alone.assignment()) == 2)
    before = admin.history(group)
    assert [rebalance.number for rebalance in before] == [3, 4, 5, 6]
    coordinator = cluster.coordinator_of(group)
    assert coordinator is not None
    cluster.move_coordinator(group, 3 - coordinator)
    assert admin.history(group) == before
    admin.delete([group]).all()
    with pytest.raises(GroupNotFoundError, match=group):
        admin.history(group)


def test_a_static_member_that_is_back_states_whether_it_needs_a_rebalance(
    cluster: Cluster, admin: GroupAdmin, group: str
) -> None:
    for stated in (None, None, "upgrade"):  # a static member states RESTART without being configured
        with member(cluster, group, group_instance_id="one", join_reason=stated) as alone:
            poll_until([alone], lambda: len(alone.assignment()) == 2)
    first, second = admin.history(group)
    assert (first.reason, first.stated) == (RebalanceReason.MEMBER_JOINED, JoinReason.RESTART)
    assert (second.reason, second.stated) == (RebalanceReason.MEMBER_RESTARTED, JoinReason.UPGRADE)


def test_a_static_member_that_is_back_with_another_topic_rebalances_a_classic_group(
    cluster: Cluster, admin: GroupAdmin, group: str
) -> None:
    other = create_topic(cluster.bootstrap_servers, "other", 1)
    for topics in ((TOPIC,), (TOPIC, other)):
        with member(cluster, group, "classic", topics, group_instance_id="one") as alone:
            poll_until([alone], has(alone, *topics))
    _, changed = admin.history(group)
    assert (changed.reason, changed.stated) == (RebalanceReason.SUBSCRIPTION_CHANGED, JoinReason.RESTART)
    assert (changed.instance_id, changed.text) == ("one", "subscribed")


def test_what_members_of_a_classic_group_say_goes_in_and_out(cluster: Cluster, admin: GroupAdmin, group: str) -> None:
    with member(cluster, group, "classic") as leader:
        poll_until([leader], lambda: len(leader.assignment()) == 2)
        with member(cluster, group, "classic", group_instance_id="two", join_reason="restart") as follower:
            both = [leader, follower]
            poll_until(both, lambda: len(leader.assignment()) == len(follower.assignment()) == 1)
            follower.enforce_rebalance("version 2", JoinReason.UPGRADE)
            poll_until(both, lambda: is_assigned(admin.history(group)[-1], JoinReason.UPGRADE))
        removed = admin.remove_members(group, ["two"], reason="moved away")
    assert [one.error for one in removed] == [None]
    told = {rebalance.reason: rebalance for rebalance in admin.history(group)}
    wished, taken_out = told[RebalanceReason.MEMBER_REQUESTED], told[RebalanceReason.ADMIN]
    assert (wished.type, wished.instance_id) == (GroupType.CLASSIC, "two")
    assert (wished.stated, wished.text) == (JoinReason.UPGRADE, "version 2")
    assert (taken_out.instance_id, taken_out.text) == ("two", "member was removed by an admin: moved away")


def test_a_table_shows_the_delay_and_json_all(cluster: Cluster, admin: GroupAdmin, group: str) -> None:
    with member(cluster, group, group_instance_id="one") as alone:
        poll_until([alone], lambda: len(alone.assignment()) == 2)
        (known,) = admin.history(group)
        arguments = ["groups", "history", group, "-b", cluster.bootstrap_servers]
        shown = CliRunner().invoke(cli, arguments)
        printed = CliRunner().invoke(cli, [*arguments, "--json"])
    header, line = shown.stdout.splitlines()
    columns = ["NUMBER", "CAUSED AT", "DELAY", "TYPE", "EPOCH", "TARGET EPOCH", "REASON", "MEMBER", "STATED", "TEXT"]
    assert [name.strip() for name in header.split("  ") if name.strip()] == columns
    cells = [cell.strip() for cell in line.split("  ") if cell.strip()]
    assert known.delay_s is not None
    epoch = str(known.epoch)
    assert cells[2:] == [f"{known.delay_s:.3f}s", "consumer", epoch, epoch, "member joined", "one", "restart", "-"]
    (document,) = json.loads(printed.stdout)
    assert (document["reason"], document["delay_s"]) == ("member_joined", known.delay_s)
    assert (shown.exit_code, printed.exit_code) == (0, 0)


def test_a_stock_broker_remembers_nothing_and_says_so(real_kafka: KafkaServer, group: str) -> None:
    with (
        GroupAdmin(bootstrap_servers=real_kafka.bootstrap_servers) as admin,
        pytest.raises(UnsupportedProtocolError, match=r"keeps no history .*no release of Apache Kafka has") as raised,
    ):
        admin.history(group)
    assert raised.value.group == group


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_who_states_why_it_joins_is_let_in_by_a_stock_broker_too(kafka: KafkaServer, group: str, protocol: str) -> None:
    topic = create_topic(kafka.bootstrap_servers, "stated", 1)
    with Consumer(config_of(kafka, group, protocol, join_reason="upgrade")) as consumer:
        consumer.subscribe([topic])
        poll_until([consumer], lambda: len(consumer.assignment()) == 1)


@pytest.mark.parametrize("wrong", ["topic_metadata_change", "because", 1, JoinReason.UNKNOWN])
def test_applications_state_restart_or_upgrade(wrong: object) -> None:
    with pytest.raises(ConfigError, match="must be restart or upgrade"):
        ConsumerConfig.parse(bootstrap_servers="localhost:9092", group_id="g", join_reason=wrong)
    for right in ("restart", "Upgrade", JoinReason.RESTART):
        assert ConsumerConfig.parse(bootstrap_servers="localhost:9092", group_id="g", join_reason=right)
