"""A pattern is the coordinator's to match: a topic made later joins the assignment, a deleted one leaves it."""

from __future__ import annotations

from kafka_nextgen import Consumer, RebalanceCause, SubscriptionPattern
from tests.endtoend.reading import poll_until, poll_until_assigned
from tests.support.clients import admin_client, create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S


def test_a_pattern_picks_up_a_topic_made_later_and_drops_one_deleted(kafka: KafkaServer) -> None:
    servers, family = kafka.bootstrap_servers, unique("family")
    first = create_topic(servers, f"{family}-a")
    other = create_topic(servers, "stranger")
    with Consumer(bootstrap_servers=servers, group_id=unique("patterns"), metadata_max_age_ms=1000) as consumer:
        consumer.subscribe(SubscriptionPattern(f"{family}-.*"))
        poll_until_assigned(consumer, {first}, lambda: f"{consumer.assignment()} is not {first} alone")
        later = create_topic(servers, f"{family}-b")
        poll_until_assigned(consumer, {first, later}, lambda: f"{later} was not picked up")
        admin = admin_client(servers)  # its futures end with it, so it has to outlive them
        admin.delete_topics([first])[first].result(timeout=GUARD_S)
        poll_until_assigned(consumer, {later}, lambda: f"{first} was not dropped")
        assert other not in {tp.topic for tp in consumer.assignment()}
        causes = [rebalance.cause for rebalance in consumer.rebalances()]
        assert causes[0] is RebalanceCause.JOINED
        assert RebalanceCause.REASSIGNED in causes


def test_a_pattern_replaced_by_one_that_matches_nothing_passes_its_partitions_on(kafka: KafkaServer) -> None:
    """Kafka 4.3.0 would leave them unread if the member told the new pattern at once.

    On 4.0.0 the member keeps them in either case, so this does not run there.
    """
    servers, family, group = kafka.bootstrap_servers, unique("family"), unique("patterns")
    topics = {create_topic(servers, f"{family}-a"), create_topic(servers, f"{family}-b")}
    with (
        Consumer(bootstrap_servers=servers, group_id=group) as leaving,
        Consumer(bootstrap_servers=servers, group_id=group) as staying,
    ):
        leaving.subscribe(SubscriptionPattern(f"{family}-.*"))
        poll_until_assigned(leaving, topics, lambda: f"{leaving.assignment()} is not {topics}")
        staying.subscribe(sorted(topics))
        poll_until([leaving, staying], lambda: bool(staying.assignment()))
        leaving.subscribe(SubscriptionPattern(f"nothing-like-{family}"))
        poll_until_assigned(leaving, set(), lambda: f"{leaving.assignment()} is still read")
        poll_until_assigned(staying, topics, lambda: f"{staying.assignment()} is not {topics}")
