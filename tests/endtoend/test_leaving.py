"""Four static members leave over sockets: announced before, they cost one rebalance, however they leave."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest

from kafka_nextgen import AsyncGroupAdmin, Consumer, GroupAdmin, RebalanceReason
from kafka_nextgen.testing import Clock, Cluster
from tests.endtoend.reading import poll_until
from tests.support.clients import unique

INSTANCES = ["one", "two", "three", "four"]
TOPIC, PARTITIONS = "orders", 10
SHORT = {"heartbeat_interval_ms": 100, "partition_assignment_strategy": "range"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Heartbeats are often, and the time that the group waits passes when a test turns the clock."""
    config = {
        "group.consumer.min.heartbeat.interval.ms": 50,
        "group.consumer.heartbeat.interval.ms": 100,
        "group.consumer.assignment.interval.ms": 0,
        "group.initial.rebalance.delay.ms": 0,
    }
    with Cluster(clock=Clock(), config=config) as running:
        running.create_topic(TOPIC, PARTITIONS)
        yield running


@pytest.fixture
def group(protocol: str) -> str:
    return unique(f"leaving-{protocol}")


@pytest.fixture
def consumers(cluster: Cluster, stack: ExitStack, group: str, protocol: str) -> list[Consumer]:
    """A member that stays, and the four, each with two partitions."""
    classic = SHORT if protocol == "classic" else {}
    started = []
    for instance_id in (None, *INSTANCES):
        consumer = Consumer(
            bootstrap_servers=cluster.bootstrap_servers,
            group_id=group,
            group_protocol=protocol,
            group_instance_id=instance_id,
            enable_auto_commit=False,
            **classic,
        )
        stack.enter_context(consumer)
        consumer.subscribe([TOPIC])
        started.append(consumer)
    poll_until(started, lambda: shares(started) == [2] * 5)
    return started


def shares(consumers: Sequence[Consumer]) -> list[int]:
    return [len(consumer.assignment()) for consumer in consumers]


def rebalances(admin: GroupAdmin, group: str) -> int:
    """How often the group has rebalanced."""
    return admin.history(group)[-1].number


def told(admin: GroupAdmin, group: str) -> dict[str | None, bool]:
    """Which instances are announced to leave, and whether they have left."""
    return {each.instance_id: each.has_left for each in admin.describe([group])[group].leaving}


def test_four_announced_members_cost_one_rebalance(
    admin: GroupAdmin, consumers: Sequence[Consumer], group: str
) -> None:
    before, stays = rebalances(admin, group), consumers[:1]
    assert [member.error for member in admin.announce_leaving(group, INSTANCES, within=600)] == [None] * 4
    for consumer in consumers[1:4]:
        consumer.close(leave="leave")
    assert told(admin, group) == {"one": True, "two": True, "three": True, "four": False}
    assert rebalances(admin, group) == before

    consumers[4].close(leave="leave")
    poll_until(stays, lambda: shares(stays) == [PARTITIONS])
    assert rebalances(admin, group) == before + 1
    assert told(admin, group) == {}
    last = admin.history(group)[-1]
    assert (last.reason, last.text) == (RebalanceReason.MEMBER_LEFT, "as announced, one, two, three, four left")


def test_four_members_that_nobody_announced_cost_one_each(
    admin: GroupAdmin, consumers: Sequence[Consumer], group: str
) -> None:
    before = rebalances(admin, group)
    for number, consumer in enumerate(consumers[1:], 1):
        consumer.close(leave="leave")
        here = [consumers[0], *consumers[number + 1 :]]
        poll_until(here, lambda here=here: sum(shares(here)) == PARTITIONS)  # type: ignore[misc]
    assert rebalances(admin, group) == before + 4


def test_those_that_left_in_time_cost_one_rebalance_and_the_others_stay(
    cluster: Cluster, admin: GroupAdmin, consumers: Sequence[Consumer], group: str
) -> None:
    before, stay = rebalances(admin, group), [consumers[0], *consumers[3:]]
    admin.announce_leaving(group, INSTANCES, within=20)
    for consumer in consumers[1:3]:
        consumer.close(leave="leave")
    assert rebalances(admin, group) == before

    cluster.advance(seconds=20)
    poll_until(stay, lambda: sum(shares(stay)) == PARTITIONS)
    assert rebalances(admin, group) == before + 1
    assert told(admin, group) == {}
    assert {member.instance_id for member in admin.members(group)} == {None, "three", "four"}


@pytest.mark.parametrize("protocol", ["consumer"])
def test_static_members_that_just_close_are_not_waited_for(
    admin: GroupAdmin, consumers: Sequence[Consumer], group: str
) -> None:
    before, stays = rebalances(admin, group), consumers[:1]
    admin.announce_leaving(group, INSTANCES, within=600)
    for consumer in consumers[1:]:
        consumer.close()  # for a while, as static members do
    poll_until(stays, lambda: shares(stays) == [PARTITIONS])
    assert rebalances(admin, group) == before + 1
    assert len(admin.members(group)) == 1


@pytest.mark.parametrize("protocol", ["consumer"])
def test_an_asyncio_application_announces_it_too(
    cluster: Cluster, admin: GroupAdmin, consumers: Sequence[Consumer], group: str
) -> None:
    async def announce(within: float) -> list[str | None]:
        async with AsyncGroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as each:
            return [member.instance_id for member in await each.announce_leaving(group, ["one"], within=within)]

    assert asyncio.run(announce(60)) == ["one"]
    assert told(admin, group) == {"one": False}
    assert asyncio.run(announce(0)) == ["one"]
    assert told(admin, group) == {}
