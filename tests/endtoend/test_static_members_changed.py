"""Static members of a classic group that find something changed when they return (KIP-345; the draft "JoinReason").

The coordinator keeps their assignment. Kafka's rebalances neither for another subscription (KAFKA-12759) nor for topics
that grew while the leader was away, so the members notice it themselves. ``stock`` is the embedded broker without
extensions; with them its coordinator notices another subscription first.

Sessions outlast a test: no member expires, which would rebalance the group as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest

from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.testing import Cluster
from tests.conftest import REAL, or_skip
from tests.endtoend.reading import config_of, poll_until
from tests.support.clients import create_named_topic, create_topic, grow_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.servers import Servers

SESSION_TIMEOUT_MS = 1_800_000


@pytest.fixture(scope="module")
def stock() -> Iterator[KafkaServer]:
    with Cluster(extensions=False, config={"group.initial.rebalance.delay.ms": 0}) as cluster:
        yield KafkaServer(cluster.bootstrap_servers, "embedded-4.4")


@pytest.fixture(scope="module", params=["stock", "embedded", *REAL])
def kafka(request: pytest.FixtureRequest, servers: Servers, stock: KafkaServer) -> KafkaServer:
    return stock if request.param == "stock" else or_skip(lambda: servers.get(request.param))


@pytest.mark.parametrize("assignor", ["range", "cooperative-sticky"])
def test_members_that_return_with_another_topic_read_it(
    kafka: KafkaServer, group: str, stack: ExitStack, assignor: str
) -> None:
    one, other = topics_of(kafka)
    with ExitStack() as before:
        settled(kafka, group, before, one, assignor=assignor)
    both = [join(stack, kafka, group, name, one, other, assignor=assignor) for name in "ab"]
    poll_until(both, lambda: shares(both) == [2, 2])
    assert assigned(both) == partitions(one) | partitions(other)


@pytest.mark.parametrize("assignor", ["range", "cooperative-sticky", "roundrobin"])
def test_members_that_return_one_by_one_share_the_other_topic(
    kafka: KafkaServer, group: str, stack: ExitStack, assignor: str
) -> None:
    one, other = topics_of(kafka)
    first, second = settled(kafka, group, stack, one, assignor=assignor)
    first.close()
    first = join(stack, kafka, group, "a", one, other, assignor=assignor)
    poll_until([first, second], lambda: partitions(other) <= assigned([first]))
    second.close()
    second = join(stack, kafka, group, "b", one, other, assignor=assignor)
    poll_until([first, second], lambda: shares([first, second]) == [2, 2])
    assert assigned([first, second]) == partitions(one) | partitions(other)


def test_a_topic_that_grew_while_the_leader_was_away_is_read(kafka: KafkaServer, group: str, stack: ExitStack) -> None:
    topic, _ = topics_of(kafka)
    leader, follower = settled(kafka, group, stack, topic)
    leader.close()
    grow_topic(kafka.bootstrap_servers, topic, 4)
    leader = join(stack, kafka, group, "a", topic)
    poll_until([leader, follower], lambda: shares([leader, follower]) == [2, 2])
    assert assigned([leader, follower]) == partitions(topic, 4)


def test_a_leader_that_subscribes_again_reads_the_other_topic(kafka: KafkaServer, group: str, stack: ExitStack) -> None:
    """Its generation is the same as before, but not the topics it assigned in it."""
    one, other = topics_of(kafka)
    leader = join(stack, kafka, group, "a", one)
    poll_until([leader], lambda: shares([leader]) == [2])
    leader.unsubscribe()
    leader.subscribe([one, other])
    poll_until([leader], lambda: assigned([leader]) == partitions(one) | partitions(other))


def test_a_topic_that_is_created_after_its_only_subscriber_returned_is_read(
    kafka: KafkaServer, group: str, stack: ExitStack
) -> None:
    """The leader does not know that anybody subscribes to it."""
    topic, _ = topics_of(kafka)
    late = unique("late")
    leader, follower = settled(kafka, group, stack, topic)
    follower.close()
    follower = join(stack, kafka, group, "b", topic, late, metadata_max_age_ms=500, allow_auto_create_topics=False)
    poll_until([leader, follower], lambda: shares([leader, follower]) == [1, 1])
    create_named_topic(kafka.bootstrap_servers, late)
    poll_until([leader, follower], lambda: partitions(late, 1) <= assigned([follower]))


def test_members_that_return_unchanged_rebalance_nobody(kafka: KafkaServer, group: str, stack: ExitStack) -> None:
    topic, _ = topics_of(kafka)
    both = settled(kafka, group, stack, topic)
    generations = {generation_of(consumer) for consumer in both}
    for consumer in both:
        consumer.close()
    both = [join(stack, kafka, group, name, topic) for name in "ab"]
    poll_until(both, lambda: shares(both) == [1, 1])
    for _ in range(8):  # through more than one heartbeat, so that they would hear of it
        for consumer in both:
            consumer.poll(timeout=0.1)
    assert {generation_of(consumer) for consumer in both} == generations


def topics_of(kafka: KafkaServer) -> tuple[str, str]:
    """Create two topics with two partitions each."""
    return create_topic(kafka.bootstrap_servers, "one", 2), create_topic(kafka.bootstrap_servers, "other", 2)


def settled(
    kafka: KafkaServer, group: str, stack: ExitStack, topic: str, *, assignor: str = "range"
) -> tuple[Consumer, Consumer]:
    """Return the static members ``a``, which leads, and ``b`` once each has one of the topic's two partitions."""
    leader = join(stack, kafka, group, "a", topic, assignor=assignor)
    poll_until([leader], lambda: shares([leader]) == [2])
    follower = join(stack, kafka, group, "b", topic, assignor=assignor)
    poll_until([leader, follower], lambda: shares([leader, follower]) == [1, 1])
    return leader, follower


def join(
    stack: ExitStack, kafka: KafkaServer, group: str, name: str, *topics: str, assignor: str = "range", **more: object
) -> Consumer:
    classic = {"partition_assignment_strategy": assignor, "session_timeout_ms": SESSION_TIMEOUT_MS, **more}
    consumer = stack.enter_context(Consumer(config_of(kafka, group, "classic", group_instance_id=name, **classic)))
    consumer.subscribe(topics)
    return consumer


def generation_of(consumer: Consumer) -> int:
    return consumer.group_metadata().member_epoch


def shares(consumers: Sequence[Consumer]) -> list[int]:
    return [len(consumer.assignment()) for consumer in consumers]


def assigned(consumers: Sequence[Consumer]) -> set[TopicPartition]:
    return {tp for consumer in consumers for tp in consumer.assignment()}


def partitions(topic: str, count: int = 2) -> set[TopicPartition]:
    return {TopicPartition(topic, number) for number in range(count)}
