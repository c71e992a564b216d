"""Hot standby over sockets (KIP-345, "Future Works"): five members, three of them active, and one of these goes.

A standby gets exactly its partitions, and no other partition moves: none is revoked, and none changes its owner.
"""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import confluent_kafka
import confluent_kafka.admin
import pytest
from click.testing import CliRunner

from kafka_nextgen import (
    BrokerError,
    Consumer,
    GroupAdmin,
    OffsetReset,
    RequestTimeoutError,
    TopicPartition,
)
from kafka_nextgen.assignors import HotStandby, PartitionAssignor, RangeAssignor
from kafka_nextgen.cli.main import cli
from kafka_nextgen.testing import Cluster
from tests.endtoend.crew import Crew, Worker
from tests.endtoend.heard import Heard
from tests.endtoend.reading import poll_until
from tests.endtoend.report import Line
from tests.support.clients import unique
from tests.support.numbering import value_of
from tests.support.waiting import GUARD_S, eventually

TOPIC, PARTITIONS = "orders", 9
ACTIVE = 3


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    config = {
        "group.consumer.min.session.timeout.ms": 2_000,
        "group.consumer.session.timeout.ms": 2_000,
        "group.consumer.min.heartbeat.interval.ms": 100,
        "group.consumer.heartbeat.interval.ms": 300,
    }
    with Cluster(config=config) as running:
        running.create_topic(TOPIC, PARTITIONS)
        yield running


@pytest.fixture
def group(admin: GroupAdmin) -> str:
    group = unique("standby")
    admin.alter_config(group, {"group.target.size": ACTIVE})
    return group


class Members:
    """Consumers of one group, each with its listener."""

    def __init__(self, cluster: Cluster, group: str, stack: ExitStack) -> None:
        self._servers, self.group, self._stack = cluster.bootstrap_servers, group, stack
        self.consumers: list[Consumer] = []
        self.heard: list[Heard] = []
        self.gone: list[Consumer] = []

    def start(self, instance_id: str | None = None, **more: object) -> Consumer:
        config = {"bootstrap_servers": self._servers, "group_id": self.group, "enable_auto_commit": False}
        consumer = self._stack.enter_context(Consumer(**config, group_instance_id=instance_id, **more))
        self.consumers.append(consumer)
        self.heard.append(Heard())
        consumer.subscribe([TOPIC], listener=self.heard[-1])
        return consumer

    def close(self, consumer: Consumer) -> None:
        self.gone.append(consumer)
        consumer.close()

    def poll(self, until: Callable[[], object]) -> None:
        poll_until([consumer for consumer in self.consumers if consumer not in self.gone], lambda: bool(until()))

    def owned(self, *consumers: Consumer) -> list[set[int]]:
        return [{partition.partition for partition in each.assignment()} for each in consumers]

    def stand_by(self, admin: GroupAdmin) -> tuple[Consumer, Consumer]:
        """Start an active member, which has all partitions, and one that stands by."""
        admin.alter_config(self.group, {"group.target.size": 1})
        active = self.start()
        self.poll(lambda: len(active.assignment()) == PARTITIONS)
        standby = self.start()
        self.poll(lambda: told(self.heard[1], "standby"))
        return active, standby


def told(heard: Heard, what: str) -> list[set[int]]:
    """The partitions of each callback of that name."""
    return [partitions for each, partitions in heard.events if each == what]


@pytest.fixture
def members(cluster: Cluster, group: str, stack: ExitStack) -> Members:
    return Members(cluster, group, stack)


def join_all(members: Members, *instance_ids: str | None) -> None:
    """Start five members; the first three share the partitions, the others stand by, in this order."""
    for instance_id in instance_ids:
        members.start(instance_id)
        members.poll(lambda: is_shared(members.consumers))


def is_shared(consumers: list[Consumer]) -> bool:
    """Whether the active members share the partitions, and the others know their places."""
    active, standbys = consumers[:ACTIVE], consumers[ACTIVE:]
    sizes = [len(consumer.assignment()) for consumer in active]
    places = [consumer.health().standby_place for consumer in standbys]
    return (
        sum(sizes) == PARTITIONS
        and max(sizes) - min(sizes) <= 1
        and places == [each + 1 for each in range(len(places))]
    )


def test_a_standby_takes_over_from_a_member_that_leaves(
    cluster: Cluster, admin: GroupAdmin, group: str, members: Members
) -> None:
    join_all(members, *[None] * 5)
    first, second, third, standby, other = members.consumers
    before = members.owned(first, second, third)
    described = {member.member_id: member.standby_place for member in admin.members(group)}
    assert sorted(described.values()) == [0, 0, 0, 1, 2]
    check_command_line(cluster, admin, group)
    assert [told(heard, "standby")[-1] for heard in members.heard[3:]] == [set(range(PARTITIONS))] * 2

    for heard in members.heard:
        heard.events.clear()
    members.close(second)
    members.poll(lambda: bool(standby.assignment()) and other.health().standby_place == 1)
    assert members.owned(first, standby, third) == before
    assert [told(members.heard[number], "revoked") for number in (0, 2)] == [[], []]
    assert standby.health().standby_place == 0
    assert f"standby {standby.group_metadata().member_id} took over for" in str(admin.history(group)[-1])


def test_a_static_member_that_is_back_stands_by(group: str, members: Members) -> None:
    join_all(members, "one", "two", "three", "four", "five")
    first, second, third, standby, other = members.consumers
    before = members.owned(first, second, third)
    members.close(second)  # it leaves temporarily
    members.poll(lambda: len(standby.assignment()) == ACTIVE)
    assert members.owned(first, standby, third) == before
    back = members.start("two")
    members.poll(lambda: back.health().standby_place == 2)
    assert other.health().standby_place == 1
    assert members.owned(first, standby, third, other, back) == [*before, set(), set()]


def test_a_member_that_was_active_gives_its_partitions_up_before_it_stands_by(
    admin: GroupAdmin, group: str, members: Members
) -> None:
    """``on_partitions_revoked`` may drop the very state that ``on_standby`` loads."""
    join_all(members, *[None] * 3)
    for heard in members.heard:
        heard.events.clear()
    admin.alter_config(group, {"group.target.size": ACTIVE - 1})
    members.poll(lambda: any(told(heard, "standby") for heard in members.heard))
    [demoted] = [heard for heard in members.heard if told(heard, "standby")]
    assert [what for what, _ in demoted.moves() if what != "assigned"] == ["revoked", "standby"]
    assert told(demoted, "standby") == [set(range(PARTITIONS))]


def check_command_line(cluster: Cluster, admin: GroupAdmin, group: str) -> None:
    def groups(*arguments: str) -> Any:
        done = CliRunner().invoke(cli, ["groups", *arguments, "-b", cluster.bootstrap_servers])
        assert done.exit_code == 0, done.stderr
        return done.stdout

    without = unique("without")
    admin.alter_offsets(without, {TopicPartition(TOPIC, 0): OffsetReset.EARLIEST})
    table = groups("describe", group, without).splitlines()
    assert [re.split(" {2,}", line)[-1] for line in table] == ["STANDBYS", "2", "0"]
    heading, *rows = groups("members", group).splitlines()
    column = heading.index("STANDBY")
    assert sorted(row[column:].split()[0] for row in rows) == ["-", "-", "-", "1", "2"]
    [document] = json.loads(groups("describe", group, "--members", "--json"))
    assert document["standby_count"] == 2
    assert sorted(member["standby_place"] for member in document["members"]) == [0, 0, 0, 1, 2]


def test_a_standby_knows_how_far_its_group_is_behind(cluster: Cluster, admin: GroupAdmin, members: Members) -> None:
    active, standby = members.stand_by(admin)
    produce(cluster, TOPIC, {0: [b""] * 5, 1: [b""] * 3})
    ends = active.end_offsets(active.assignment())
    behind = TopicPartition(TOPIC, 0)
    ahead = TopicPartition(TOPIC, 2)  # as after its leader lost records
    active.commit({behind: ends[behind] - 2, ahead: ends[ahead] + 2})
    lag = standby.group_lag()
    assert (lag.keys(), lag[behind], lag[ahead]) == (ends.keys(), 2, 0)
    assert lag == active.group_lag()
    assert standby.group_lag([TopicPartition(TOPIC, 1)]) == {TopicPartition(TOPIC, 1): None}, "nothing is committed"
    assert standby.lag() == {}, "it reads none of them"
    with pytest.raises(RequestTimeoutError, match="timed out after 0 s"):
        standby.group_lag(timeout=0)


def test_a_standby_hears_again_when_it_joins_again_and_knows_nothing_once_it_left(
    admin: GroupAdmin, members: Members
) -> None:
    _, standby = members.stand_by(admin)
    admin.remove_members(members.group, member_ids=[standby.group_metadata().member_id])
    members.poll(lambda: len(told(members.heard[1], "standby")) == 2)
    assert standby.health().standby_place == 1
    standby.unsubscribe()
    assert (standby.health().standby_place, standby.group_lag()) == (0, {})


def produce(cluster: Cluster, topic: str, values: Mapping[int, Sequence[bytes]]) -> None:
    producer = confluent_kafka.Producer({"bootstrap.servers": cluster.bootstrap_servers})
    for partition, value in ((partition, value) for partition, each in values.items() for value in each):
        producer.produce(topic, value, partition=partition)
    assert producer.flush(GUARD_S) == 0


def run_out_of_space(*_: object) -> None:
    raise ValueError("out of space")


def test_an_exception_of_on_standby_is_raised_by_poll_once(members: Members) -> None:
    join_all(members, *[None] * 3)
    standby = members.start()
    members.heard[3].actions = {"standby": run_out_of_space}
    with pytest.raises(ValueError, match="out of space"):
        members.poll(lambda: False)
    members.close(members.consumers[0])
    members.poll(standby.assignment)


def all_own(workers: list[Worker], size: int) -> bool:
    return all(len(worker.owned()) >= size for worker in workers)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
def test_a_standby_reads_soon_after_the_session_of_an_active_member_ends(
    cluster: Cluster, admin: GroupAdmin, group: str, tmp_path: Path, how: signal.Signals, figures: Callable[[str], None]
) -> None:
    topic = unique("orders")
    cluster.create_topic(topic, PARTITIONS)
    with Crew(cluster.bootstrap_servers, group, topic, PARTITIONS, tmp_path) as crew:
        for count, name in enumerate("abcde", 1):
            crew.start(name)
            size = PARTITIONS // min(count, ACTIVE)
            active = [crew.workers[each] for each in "abcde"[: min(count, ACTIVE)]]
            crew.wait_until(f"{name} is in", partial(all_own, active, size))
            eventually(f"{name} is in", lambda: len(admin.members(group)) >= len(crew.workers))
        before = {name: crew.owned(name) for name in "abc"}
        given_up = len(lines_of(crew, "ac", "revoked"))
        crew.workers["b"].may_end = True
        crew.workers["b"].process.send_signal(how)
        produce(cluster, topic, {partition: [value_of(partition)] for partition in range(PARTITIONS)})
        crew.wait_until("a, c and d have read everything", lambda: crew.records_read() == PARTITIONS)
        assert (crew.owned("a"), crew.owned("c"), crew.owned("d")) == (before["a"], before["c"], before["b"])
        assert not crew.owned("e")
        assert len(lines_of(crew, "ac", "revoked")) == given_up
        assert not lines_of(crew, "ac", "lost")
        expired_s = admin.history(group)[-1].caused_at - time.time() + time.monotonic()
        owned_s, read_s = (lines_of(crew, "d", what)[-1].at - expired_s for what in ("assigned", "delivered"))
        figures(
            f"the standby had its partitions {owned_s * 1000:.0f} ms after the session ended, all were read after "
            f"{read_s * 1000:.0f} ms"
        )
        if how is signal.SIGSTOP:
            crew.workers["b"].process.send_signal(signal.SIGKILL)


def lines_of(crew: Crew, names: str, what: str) -> list[Line]:
    return [line for name in names for line in crew.workers[name].lines if line.what == what]


def test_stock_clients_may_be_in_the_group(cluster: Cluster, group: str) -> None:
    """For librdkafka a standby is a member without partitions."""
    with ExitStack() as stack:
        consumers = [confluent(cluster, group, stack) for _ in range(5)]
        poll_stock(consumers, lambda: has_standbys(consumers))
        active = [consumer for consumer in consumers if consumer.assignment()]
        before = [owned_by(consumer) for consumer in active]
        active[1].close()
        others = [consumer for consumer in consumers if consumer is not active[1]]
        poll_stock(others, lambda: any(owned_by(each) == before[1] for each in others))
        assert [owned_by(active[0]), owned_by(active[2])] == [before[0], before[2]]


def confluent(cluster: Cluster, group: str, stack: ExitStack) -> confluent_kafka.Consumer:
    consumer = confluent_kafka.Consumer(
        {"bootstrap.servers": cluster.bootstrap_servers, "group.id": group, "group.protocol": "consumer"}
    )
    stack.callback(consumer.close)
    consumer.subscribe([TOPIC])
    return consumer


def owned_by(consumer: confluent_kafka.Consumer) -> set[int]:
    return {each.partition for each in consumer.assignment()}


def has_standbys(consumers: list[confluent_kafka.Consumer]) -> bool:
    return sorted(len(owned_by(each)) for each in consumers) == [0, 0, *[PARTITIONS // ACTIVE] * ACTIVE]


def poll_stock(consumers: list[confluent_kafka.Consumer], until: Callable[[], object]) -> None:
    def polled() -> object:
        for consumer in consumers:
            consumer.poll(0.02)
        return until()

    eventually("the group is as wanted", polled)


def test_a_target_size_that_can_not_be_is_refused_for_what_it_is(admin: GroupAdmin) -> None:
    for value in ("0", "-1", "many", "99999999999"):
        with pytest.raises(BrokerError, match=r"group\.target\.size"):
            admin.alter_config(unique("standby"), {"group.target.size": value})
    with pytest.raises(BrokerError, match="INVALID_REQUEST: Error due to duplicate config keys"):
        admin.alter_config(unique("standby"), {"group.target.size": 2, "target.group.size": 3})


def are_active(consumers: list[Consumer], size: int) -> bool:
    """Whether so many of the members share all partitions, and all have joined."""
    sizes = [len(consumer.assignment()) for consumer in consumers]
    has_joined = all(consumer.group_metadata().member_epoch >= 0 for consumer in consumers)
    return has_joined and sum(sizes) == PARTITIONS and sum(map(bool, sizes)) == min(size, len(sizes))


class Reserve:
    """A classic group with two active members and, by ``HotStandby``, two standbys that know their places."""

    def __init__(self, cluster: Cluster, stack: ExitStack) -> None:
        self.members, assignors = Members(cluster, unique("standby"), stack), [HotStandby(target_size=2)]
        consumers = self.members.consumers
        for _ in range(4):
            self.members.start(group_protocol="classic", group_local_assignors=assignors, heartbeat_interval_ms=100)
            self.members.poll(lambda: are_active(consumers, 2))
        self.active = [consumer for consumer in consumers if consumer.assignment()]
        self.standbys = [consumer for consumer in consumers if consumer not in self.active]
        self.heard = [self.members.heard[consumers.index(each)] for each in self.standbys]
        self.members.poll(lambda: all(told(each, "standby") for each in self.heard))


def test_by_the_classic_protocol_an_assignor_keeps_members_in_reserve(
    cluster: Cluster, admin: GroupAdmin, stack: ExitStack
) -> None:
    reserve = Reserve(cluster, stack)
    group, consumers = reserve.members.group, reserve.members.consumers
    assert [told(each, "standby")[-1] for each in reserve.heard] == [set(range(PARTITIONS))] * 2
    assert sorted(each.health().standby_place for each in consumers) == [0, 0, 1, 2]
    assert reserve.standbys[0].group_lag().keys() == {TopicPartition(TOPIC, number) for number in range(PARTITIONS)}
    described = {member.member_id: member.standby_place for member in admin.members(group)}
    assert described == {each.group_metadata().member_id: each.health().standby_place for each in consumers}
    check_classic_command_line(cluster, group)
    check_stock_description(cluster, group)


@pytest.mark.parametrize("is_built_in", [False, True])
def test_by_the_classic_protocol_a_group_that_changes_to_another_assignor_has_no_standby(
    cluster: Cluster, stack: ExitStack, is_built_in: bool
) -> None:
    """With one partition for three members, two of them are idle, but none of these stands by."""
    topic = unique("single")
    cluster.create_topic(topic)
    group, consumers = unique("standby"), list[Consumer]()
    more: dict[str, Any] = {"partition_assignment_strategy": "range"} if is_built_in else {}

    def start(instance_id: str, *assignors: PartitionAssignor) -> None:
        consumer = Consumer(
            bootstrap_servers=cluster.bootstrap_servers,
            group_id=group,
            group_instance_id=instance_id,
            group_protocol="classic",
            group_local_assignors=assignors,
            heartbeat_interval_ms=100,
            **more,
        )
        consumers.append(stack.enter_context(consumer))
        consumer.subscribe([topic])

    def places() -> list[int]:
        """The place of each member, once all are in the same generation."""
        generations = {each.group_metadata().member_epoch for each in consumers}
        is_assigned = len(generations) == 1 and any(each.assignment() for each in consumers)
        return [each.health().standby_place for each in consumers] if is_assigned else []

    others = [] if is_built_in else [RangeAssignor()]
    start("a", HotStandby(target_size=1), *others)
    start("b", HotStandby(target_size=1), *others)
    poll_until(consumers, lambda: places() == [0, 1])
    start("c", *others)
    poll_until(consumers, lambda: places() == [0, 0, 0])


def test_by_the_classic_protocol_a_standby_takes_over_and_the_other_is_not_called_again(
    cluster: Cluster, stack: ExitStack
) -> None:
    reserve = Reserve(cluster, stack)
    members, (kept, gone), standbys = reserve.members, reserve.active, reserve.standbys
    before = [kept.assignment(), gone.assignment()]
    for each in reserve.heard:
        each.events.clear()
    members.close(gone)
    members.poll(lambda: any(each.assignment() == before[1] for each in standbys))
    assert kept.assignment() == before[0]
    assert sorted(len(each.assignment()) for each in standbys) == [0, len(before[1])]
    members.poll(lambda: sorted(each.health().standby_place for each in standbys) == [0, 1])
    assert [told(each, "standby") for each in reserve.heard] == [[], []], "what they may get is the same"


def test_by_the_classic_protocol_a_static_standby_that_restarts_stands_by_again(
    cluster: Cluster, stack: ExitStack
) -> None:
    """Its former assignment, which it gets back without a rebalance, names its place."""
    members, assignors = Members(cluster, unique("standby"), stack), [HotStandby(target_size=1)]

    def start(instance_id: str) -> Consumer:
        classic = {"group_protocol": "classic", "heartbeat_interval_ms": 100}
        return members.start(instance_id, group_local_assignors=assignors, **classic)

    active = start("a")
    members.poll(lambda: len(active.assignment()) == PARTITIONS)
    standby = start("b")
    members.poll(lambda: told(members.heard[1], "standby"))
    generation = active.group_metadata().member_epoch
    members.close(standby)
    back = start("b")
    members.poll(lambda: told(members.heard[2], "standby"))
    assert told(members.heard[2], "standby") == [set(range(PARTITIONS))]
    assert (back.health().standby_place, back.group_metadata().member_epoch) == (1, generation)
    assert active.group_metadata().member_epoch == generation


def check_stock_description(cluster: Cluster, group: str) -> None:
    """For librdkafka a standby is a member without partitions, here too."""
    admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    described = admin.describe_consumer_groups([group])[group].result(GUARD_S)
    sizes = [len(member.assignment.topic_partitions) for member in described.members]
    assert sorted(size > 0 for size in sizes) == [False, False, True, True]
    assert sum(sizes) == PARTITIONS


def check_classic_command_line(cluster: Cluster, group: str) -> None:
    done = CliRunner().invoke(cli, ["groups", "members", group, "-b", cluster.bootstrap_servers])
    assert done.exit_code == 0, done.stderr
    heading, *rows = done.stdout.splitlines()
    column = heading.index("STANDBY")
    assert sorted(row[column:].split()[0] for row in rows) == ["-", "-", "1", "2"]
