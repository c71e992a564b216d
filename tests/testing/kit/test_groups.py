"""What a test sees of a group: its members, its offsets and its rebalances."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from kafka_nextgen import Consumer, GroupState, RebalanceReason, TopicPartition
from kafka_nextgen.admin.history import PastRebalance
from kafka_nextgen.testing import Clock, Cluster, KafkaCluster, RealCluster
from tests.support.clients import unique
from tests.support.waiting import GUARD_S

Join = Callable[..., Consumer]


@pytest.fixture
def join(cluster: KafkaCluster) -> Iterator[Join]:
    with ExitStack() as stack:

        def begin(group: str, topic: str, **more: object) -> Consumer:
            servers = cluster.bootstrap_servers
            config = {"auto_offset_reset": "earliest", "enable_auto_commit": False, **more}
            consumer = stack.enter_context(Consumer(bootstrap_servers=servers, group_id=group, **config))
            consumer.subscribe([topic])
            return consumer

        yield begin


def test_a_group_that_does_not_exist_is_dead(cluster: KafkaCluster) -> None:
    group = cluster.group(unique("nobody"))
    assert (group.state, group.members, group.owners, group.is_stable) == (GroupState.DEAD, (), {}, False)
    assert str(group) == f"group {group.group_id} does not exist"
    assert cluster.committed(group.group_id) == {}
    assert cluster.rebalances(group.group_id) == ()


def test_groups_and_topics_are_named_by_text(embedded: Cluster) -> None:
    for call in (embedded.group, embedded.committed, embedded.rebalances, lambda each: embedded.lag(each, "orders")):
        with pytest.raises(TypeError, match="a group id is text, not a list"):
            call([])  # type: ignore[arg-type]
    for call in (embedded.records, lambda each: embedded.lag("billing", each)):
        with pytest.raises(TypeError, match="a topic is text, not a "):
            call(None)  # type: ignore[arg-type]


def test_two_members_share_the_partitions(cluster: KafkaCluster, join: Join) -> None:
    orders, billing = unique("orders"), unique("billing")
    cluster.create_topic(orders, partitions=2)
    first, second = join(billing, orders, client_id="first"), join(billing, orders, client_id="second")

    cluster.wait_until_stable(first, second, timeout=GUARD_S)
    group = cluster.group(billing)
    one, two = first.group_metadata().member_id, second.group_metadata().member_id
    assert group.assignment == {one: first.assignment(), two: second.assignment()}
    assert sorted(map(len, group.assignment.values())) == [1, 1]
    assert group.owners.keys() == {(orders, 0), (orders, 1)}
    assert {member.member_epoch for member in group.members} == {group.epoch}
    assert str(group).startswith(f"consumer group {billing}: Stable, epoch {group.epoch}, 2 members\n")
    assert f"first/{one} at epoch {group.epoch} owns {orders}[" in str(group)


def test_rebalances_have_their_causes(cluster: KafkaCluster, join: Join) -> None:
    orders, billing = unique("orders"), unique("billing")
    cluster.create_topic(orders, partitions=2)
    first = join(billing, orders)
    cluster.wait_until_stable(first, timeout=GUARD_S)
    assert ", 1 member\n" in str(cluster.group(billing))
    second = join(billing, orders)
    cluster.wait_until_stable(first, second, timeout=GUARD_S)
    gone = second.group_metadata().member_id
    second.close()

    def of_members() -> list[PastRebalance]:
        """A real coordinator may learn of the topic only after the first member has joined: a rebalance more."""
        return [
            each for each in cluster.rebalances(billing) if each.reason is not RebalanceReason.TOPIC_METADATA_CHANGED
        ]

    cluster.wait_until(lambda: len(of_members()) == 3, GUARD_S, polling=[first])
    told = of_members()
    assert [each.reason.name for each in told] == ["MEMBER_JOINED", "MEMBER_JOINED", "MEMBER_LEFT"]
    assert [each.member_id for each in told] == [first.group_metadata().member_id, gone, gone]
    numbers = [each.number for each in cluster.rebalances(billing)]
    assert numbers == [*range(1, len(numbers) + 1)]
    assert all(each.target_epoch is not None and each.epoch <= each.target_epoch for each in told[:2])
    assert all(each.assigned_at is not None and each.caused_at <= each.assigned_at for each in told[:2])
    assert str(told[-1]).startswith(f"epoch {told[-1].epoch}: {gone} left")


def test_a_topic_that_is_created_later_is_the_cause_of_a_rebalance(cluster: KafkaCluster, join: Join) -> None:
    orders, billing = unique("orders"), unique("billing")
    consumer = join(billing, orders, allow_auto_create_topics=False)
    cluster.wait_until(lambda: len(cluster.group(billing).members) == 1, GUARD_S, polling=[consumer])
    cluster.create_topic(orders, partitions=2)
    cluster.wait_until(lambda: len(consumer.assignment()) == 2, GUARD_S, polling=[consumer])
    told = [(each.reason.name, each.member_id) for each in cluster.rebalances(billing)]
    assert told == [("MEMBER_JOINED", consumer.group_metadata().member_id), ("TOPIC_METADATA_CHANGED", None)]


def test_rebalances_of_other_groups_are_left_out() -> None:
    config = {"offsets.topic.num.partitions": 1, "group.consumer.assignment.interval.ms": 0}
    with Cluster(clock=Clock(), config=config) as cluster, RealCluster(cluster.bootstrap_servers) as remote:
        cluster.create_topic("orders")
        servers = cluster.bootstrap_servers
        with (
            Consumer(bootstrap_servers=servers, group_id="billing") as billing,
            Consumer(bootstrap_servers=servers, group_id="shipping") as shipping,
        ):
            billing.subscribe(["orders"])
            shipping.subscribe(["orders"])
            cluster.wait_until_stable(billing, shipping, timeout=GUARD_S)
            (told,) = remote.rebalances("billing")
            assert told.member_id == billing.group_metadata().member_id
            (same,) = cluster.rebalances("billing")
            assert (told.reason, told.epoch, told.type) == (same.reason, same.epoch, same.type)


def test_committed_offsets_and_the_lag(cluster: KafkaCluster, join: Join) -> None:
    orders, billing = unique("orders"), unique("billing")
    cluster.create_topic(orders, partitions=2)
    cluster.produce(orders, ["a", "b", "c"], partition=0)
    cluster.produce(orders, ["d"], partition=1)
    assert cluster.lag(billing, orders) == 4
    consumer = join(billing, orders)
    cluster.wait_until_stable(consumer, timeout=GUARD_S)
    consumer.commit({TopicPartition(orders, 0): 2})
    assert cluster.committed(billing) == {(orders, 0): 2}
    assert cluster.lag(billing, orders) == 2


def test_polling_takes_no_records(cluster: KafkaCluster, join: Join) -> None:
    orders = unique("orders")
    cluster.create_topic(orders)
    cluster.produce(orders, ["a", "b"])
    consumer = join(unique("billing"), orders)
    polls = 0

    def has_polled_often() -> bool:
        nonlocal polls
        polls += bool(consumer.assignment())
        return polls > 20

    cluster.wait_until(has_polled_often, GUARD_S, polling=[consumer])
    read: list[bytes | None] = []
    while len(read) < 2:
        read += [record.value for record in consumer.poll()]
    assert read == [b"a", b"b"]


def test_waiting_for_a_group_says_what_it_is_like(embedded: Cluster) -> None:
    embedded.create_topic("orders")
    with Consumer(bootstrap_servers=embedded.bootstrap_servers, group_id="billing") as consumer:
        consumer.subscribe(["orders"])
        with pytest.raises(AssertionError, match=r"group billing does not exist|consumer group billing: "):
            embedded.wait_until_stable(consumer, timeout=0)


def test_a_classic_group_is_waited_for_too(embedded: Cluster) -> None:
    embedded.create_topic("orders", partitions=2)
    config = {"bootstrap_servers": embedded.bootstrap_servers, "group_id": "billing", "group_protocol": "classic"}
    with Consumer(**config) as first, Consumer(**config) as second:
        first.subscribe(["orders"])
        second.subscribe(["orders"])
        embedded.wait_until_stable(first, second, timeout=GUARD_S)
        assert len(first.assignment()) == len(second.assignment()) == 1
