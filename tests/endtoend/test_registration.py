"""Ten members that join a running group over sockets: announced before, they cost one rebalance, in any order."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest

from kafka_nextgen import Consumer, GroupAdmin
from kafka_nextgen.testing import Cluster
from tests.endtoend.reading import poll_until
from tests.support.clients import unique

INSTANCES = [f"worker-{number}" for number in range(10)]
TOPIC = "orders"
PARTITIONS = 22


@pytest.fixture(scope="module", params=[0, 1_000], ids=["every join", "Kafka 4.3"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    config = {
        "group.consumer.min.heartbeat.interval.ms": 50,
        "group.consumer.heartbeat.interval.ms": 100,
        "group.consumer.assignment.interval.ms": request.param,
        "group.initial.rebalance.delay.ms": 0,
    }
    with Cluster(config=config) as running:
        running.create_topic(TOPIC, PARTITIONS)
        yield running


def start(cluster: Cluster, stack: ExitStack, group: str, instance_id: str | None = None, **more: object) -> Consumer:
    consumer = Consumer(
        bootstrap_servers=cluster.bootstrap_servers,
        group_id=group,
        group_instance_id=instance_id,
        enable_auto_commit=False,
        **more,
    )
    stack.enter_context(consumer)
    consumer.subscribe([TOPIC])
    return consumer


def rebalances(admin: GroupAdmin, group: str) -> int:
    """How many targets were made of this group."""
    return len({rebalance.target_epoch for rebalance in admin.history(group)})


def shares(consumers: Sequence[Consumer]) -> set[int]:
    return {len(consumer.assignment()) for consumer in consumers}


def test_ten_announced_members_cost_one_rebalance(cluster: Cluster, admin: GroupAdmin, stack: ExitStack) -> None:
    group = unique("announced")
    consumers = [start(cluster, stack, group)]
    poll_until(consumers, lambda: shares(consumers) == {PARTITIONS})
    before, epoch = rebalances(admin, group), consumers[0].group_metadata().member_epoch
    assert [member.error for member in admin.add_members(group, INSTANCES, within=60)] == [None] * len(INSTANCES)

    *first, last = random.sample(INSTANCES, len(INSTANCES))
    consumers += [start(cluster, stack, group, instance_id) for instance_id in first]
    poll_until(consumers, lambda: len(admin.members(group)) == len(INSTANCES))
    described = admin.describe([group])[group]
    assert {expected.instance_id for expected in described.expected if not expected.has_joined} == {last}
    assert shares(consumers) == {PARTITIONS, 0}
    assert {consumer.group_metadata().member_epoch for consumer in consumers} <= {0, epoch}

    consumers.append(start(cluster, stack, group, last))
    poll_until(consumers, lambda: shares(consumers) == {2})
    assert rebalances(admin, group) - before == 1
    assert not admin.describe([group])[group].expected


def test_members_that_nobody_announced_cost_one_each(cluster: Cluster, admin: GroupAdmin, stack: ExitStack) -> None:
    group = unique("unannounced")
    consumers = [start(cluster, stack, group)]
    poll_until(consumers, lambda: shares(consumers) == {PARTITIONS})
    before = rebalances(admin, group)
    for instance_id in INSTANCES[:3]:
        consumers.append(start(cluster, stack, group, instance_id))
        poll_until(consumers, lambda: bool(consumers[-1].assignment()))
    assert rebalances(admin, group) - before == len(consumers) - 1


CLASSIC = {"group_protocol": "classic", "heartbeat_interval_ms": 100, "partition_assignment_strategy": "range"}


def test_a_classic_group_goes_on_until_all_have_come_and_rebalances_once(
    cluster: Cluster, admin: GroupAdmin, stack: ExitStack
) -> None:
    group = unique("classic")
    consumers = [start(cluster, stack, group, **CLASSIC)]
    poll_until(consumers, lambda: shares(consumers) == {PARTITIONS})
    before = rebalances(admin, group)
    admin.add_members(group, INSTANCES[:4], within=60)

    consumers += [start(cluster, stack, group, instance_id, **CLASSIC) for instance_id in INSTANCES[:3]]
    poll_until(consumers, lambda: [one.has_joined for one in admin.describe([group])[group].expected].count(True) == 3)
    assert shares(consumers) == {PARTITIONS, 0}

    consumers.append(start(cluster, stack, group, INSTANCES[3], **CLASSIC))
    poll_until(consumers, lambda: shares(consumers) == {4, 5})
    assert rebalances(admin, group) - before == 1


def test_members_that_are_removed_together_cost_one_rebalance(
    cluster: Cluster, admin: GroupAdmin, stack: ExitStack
) -> None:
    group = unique("removed")
    consumers = [start(cluster, stack, group)]
    admin.add_members(group, INSTANCES[:3], within=60)
    consumers += [start(cluster, stack, group, instance_id) for instance_id in INSTANCES[:3]]
    poll_until(consumers, lambda: shares(consumers) == {5, 6})
    for consumer in consumers[1:]:
        consumer.close(leave="remain")  # or those that hear of it would join again meanwhile
    before = admin.describe([group])[group].group_epoch
    assert before is not None
    assert not any(removed.error for removed in admin.remove_members(group, INSTANCES[:3]))
    assert admin.describe([group])[group].group_epoch == before + 1
