"""The times in a group's history, while time is moved on."""

from __future__ import annotations

from kafka_nextgen import Consumer, GroupAdmin, JoinReason, RebalanceReason
from kafka_nextgen.testing import Cluster
from tests.support.clients import grow_topic


def test_the_delay_of_a_topics_change_includes_the_time_until_the_leader_notices_it(cluster: Cluster) -> None:
    """The draft "JoinReason": it begins with the change, not with the JoinGroup ten seconds later."""
    with (
        GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin,
        Consumer(
            bootstrap_servers=cluster.bootstrap_servers,
            group_id="billing",
            group_protocol="classic",
            metadata_max_age_ms=10_000,
        ) as leader,
    ):
        leader.subscribe(["orders"])
        until_it_has(leader, cluster, 1)
        grow_topic(cluster.bootstrap_servers, "orders", 2)
        until_it_has(leader, cluster, 2)
        joined, changed = admin.history("billing")
    assert joined.reason is RebalanceReason.MEMBER_JOINED
    assert (changed.reason, changed.stated) == (
        RebalanceReason.TOPIC_METADATA_CHANGED,
        JoinReason.TOPIC_METADATA_CHANGE,
    )
    assert changed.delay_s is not None
    assert 5 < changed.delay_s < 30


def until_it_has(consumer: Consumer, cluster: Cluster, partitions: int) -> None:
    while len(consumer.assignment()) < partitions:
        cluster.advance(seconds=1)
        consumer.poll(0.01)
