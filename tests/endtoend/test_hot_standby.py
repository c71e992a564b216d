"""Hot standby over sockets (KIP-345, "Future Works"): five members, three of them active, and one of these goes.

A standby gets exactly its partitions, and no other partition moves: none is revoked, and none changes its owner.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from kafka_nextgen import BrokerError, Consumer, GroupAdmin, RebalanceConsumer, RebalanceListener, TopicPartition
from kafka_nextgen.assignors import HotStandby
from kafka_nextgen.testing import Cluster
from tests.endtoend.crew import Crew, Worker
from tests.endtoend.reading import poll_until
from tests.support.clients import unique
from tests.support.waiting import eventually

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
def admin(cluster: Cluster) -> Iterator[GroupAdmin]:
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        yield admin


@pytest.fixture
def group(admin: GroupAdmin) -> str:
    group = unique("standby")
    admin.alter_config(group, {"group.target.size": ACTIVE})
    return group


class Heard(RebalanceListener):
    """What a listener was told."""

    def __init__(self) -> None:
        self.standby: list[set[int]] = []
        self.revoked: set[int] = set()

    def on_standby(self, consumer: RebalanceConsumer, partitions: Collection[TopicPartition]) -> None:
        self.standby.append({partition.partition for partition in partitions})

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Collection[TopicPartition]) -> None:
        self.revoked |= {partition.partition for partition in partitions}


class Members:
    """Consumers of one group, each with its listener."""

    def __init__(self, cluster: Cluster, group: str, stack: ExitStack) -> None:
        self._servers, self._group, self._stack = cluster.bootstrap_servers, group, stack
        self.consumers: list[Consumer] = []
        self.heard: list[Heard] = []
        self.gone: list[Consumer] = []

    def start(self, instance_id: str | None = None) -> Consumer:
        consumer, heard = (
            Consumer(
                bootstrap_servers=self._servers,
                group_id=self._group,
                group_instance_id=instance_id,
                enable_auto_commit=False,
            ),
            Heard(),
        )
        self._stack.enter_context(consumer)
        consumer.subscribe([TOPIC], listener=heard)
        self.consumers.append(consumer)
        self.heard.append(heard)
        return consumer

    def close(self, consumer: Consumer) -> None:
        self.gone.append(consumer)
        consumer.close()

    def poll(self, until: Callable[[], object]) -> None:
        poll_until([consumer for consumer in self.consumers if consumer not in self.gone], until)

    def owned(self, *consumers: Consumer) -> list[set[int]]:
        return [{partition.partition for partition in each.assignment()} for each in consumers]


@pytest.fixture
def members(cluster: Cluster, group: str) -> Iterator[Members]:
    with ExitStack() as stack:
        yield Members(cluster, group, stack)


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


def test_a_standby_takes_over_from_a_member_that_leaves(admin: GroupAdmin, group: str, members: Members) -> None:
    join_all(members, *[None] * 5)
    first, second, third, standby, other = members.consumers
    before = members.owned(first, second, third)
    described = {member.member_id: member.standby_place for member in admin.members(group)}
    assert sorted(described.values()) == [0, 0, 0, 1, 2]
    assert members.heard[3].standby[-1] == members.heard[4].standby[-1] == set(range(PARTITIONS))

    for heard in members.heard:
        heard.revoked.clear()
    members.close(second)
    members.poll(lambda: bool(standby.assignment()) and other.health().standby_place == 1)
    assert members.owned(first, standby, third) == before
    assert not members.heard[0].revoked | members.heard[2].revoked
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


def all_own(workers: list[Worker], size: int) -> bool:
    return all(len(worker.owned()) >= size for worker in workers)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
def test_a_standby_takes_over_soon_after_the_session_of_an_active_member_ends(
    cluster: Cluster, admin: GroupAdmin, group: str, tmp_path: Path, how: signal.Signals, figures: Callable[[str], None]
) -> None:
    with Crew(cluster.bootstrap_servers, group, TOPIC, PARTITIONS, tmp_path) as crew:
        for count, name in enumerate("abcde", 1):
            crew.start(name)
            size = PARTITIONS // min(count, ACTIVE)
            active = [crew.workers[each] for each in "abcde"[: min(count, ACTIVE)]]
            crew.wait_until(f"{name} is in", partial(all_own, active, size))
            eventually(f"{name} is in", lambda: len(admin.members(group)) >= len(crew.workers))
        before = {name: crew.owned(name) for name in "abc"}
        crew.workers["b"].may_end = True
        crew.workers["b"].process.send_signal(how)
        crew.wait_until("d took over", lambda: crew.owned("d") == before["b"])
        taken_at = next(line.at for line in crew.workers["d"].lines if line.what == "assigned" and line.partitions)
        expired_s = admin.history(group)[-1].caused_at
        now_s, now = time.time(), time.monotonic()
        assert crew.owned("a") == before["a"]
        assert crew.owned("c") == before["c"]
        assert not crew.owned("e")
        after_s = taken_at - (expired_s - now_s + now)
        figures(f"{after_s * 1000:.0f} ms after the session ended, the standby had its partitions")
        if how is signal.SIGSTOP:
            crew.workers["b"].process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("value", ["0", "-1", "many", "99999999999"])
def test_a_target_size_that_can_not_be_is_refused(admin: GroupAdmin, value: str) -> None:
    with pytest.raises(BrokerError, match=r"group\.target\.size"):
        admin.alter_config(unique("standby"), {"group.target.size": value})


def are_active(consumers: list[Consumer], size: int) -> bool:
    """Whether so many of the members share all partitions, and all have joined."""
    sizes = [len(consumer.assignment()) for consumer in consumers]
    has_joined = all(consumer.group_metadata().member_epoch >= 0 for consumer in consumers)
    return has_joined and sum(sizes) == PARTITIONS and sum(map(bool, sizes)) == min(size, len(sizes))


def test_by_the_classic_protocol_an_assignor_keeps_members_in_reserve(cluster: Cluster) -> None:
    group = unique("standby")
    with ExitStack() as stack:
        consumers = []
        for _ in range(4):
            consumer = Consumer(
                bootstrap_servers=cluster.bootstrap_servers,
                group_id=group,
                group_protocol="classic",
                group_local_assignors=[HotStandby(target_size=2)],
                heartbeat_interval_ms=100,
                session_timeout_ms=6_000,
                enable_auto_commit=False,
            )
            stack.enter_context(consumer)
            consumer.subscribe([TOPIC])
            consumers.append(consumer)
            poll_until(consumers, lambda: are_active(consumers, 2))
        active = [consumer for consumer in consumers if consumer.assignment()]
        kept, gone = active
        before = [kept.assignment(), gone.assignment()]
        gone.close()
        standbys = [consumer for consumer in consumers if consumer not in active]
        poll_until([kept, *standbys], lambda: any(each.assignment() == before[1] for each in standbys))
        assert kept.assignment() == before[0]
        assert sorted(len(each.assignment()) for each in standbys) == [0, len(before[1])]
