"""Topics that change under a member: one vanishes, grows, appears, or comes back as another one.

The coordinator tells a member of the consumer protocol. In a classic group the leader notices by itself, every
``metadata.max.age.ms``; that a topic came back as another one, each member does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kafka_nextgen import Consumer, RebalanceConsumer, TopicPartition
from tests.endtoend.heard import Heard
from tests.endtoend.reading import config_of, numbers, poll_until, read
from tests.support.clients import (
    create_named_topic,
    create_topic,
    delete_topic,
    grow_topic,
    produce,
    stored_offsets,
    unique,
)
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S


@contextmanager
def member(kafka: KafkaServer, protocol: str, *topics: str, **more: object) -> Iterator[tuple[Consumer, Heard]]:
    """A member that reads these topics, and what it hears."""
    config = {"group_protocol": protocol, "metadata_max_age_ms": 500, **more}
    with Consumer(**config_of(kafka, unique("change"), **config)) as consumer:
        heard = Heard()
        consumer.subscribe(topics, listener=heard)
        yield consumer, heard


def has(consumer: Consumer, *topics: str) -> Callable[[], bool]:
    return lambda: {tp.topic for tp in consumer.assignment()} == set(topics)


def test_a_topic_that_vanishes_is_revoked_and_the_others_are_read_on(kafka: KafkaServer, protocol: str) -> None:
    doomed, other = (create_topic(kafka.bootstrap_servers, name) for name in ("doomed", "other"))
    produce(kafka.bootstrap_servers, doomed, 10)
    with member(kafka, protocol, doomed, other, enable_auto_commit=True) as (consumer, heard):
        read(consumer, 10)
        delete_topic(kafka.bootstrap_servers, doomed)
        poll_until([consumer], has(consumer, other))
        assert "revoked" in {what for what, _ in heard.moves()}
        assert consumer.health().problem is None
        produce(kafka.bootstrap_servers, other, 10)
        assert numbers(read(consumer, 10)) == list(range(10))


def test_a_commit_in_the_revocation_of_a_topic_that_vanished_leaves_it_out(kafka: KafkaServer, protocol: str) -> None:
    """Paused, so that no fetch tells of it; the commit names it all the same, since records of it were handed over."""
    doomed, other = (create_topic(kafka.bootstrap_servers, name) for name in ("doomed", "other"))
    for topic in (doomed, other):
        produce(kafka.bootstrap_servers, topic, 10)
    with member(kafka, protocol, doomed, other) as (consumer, heard):
        heard.actions = {"revoked": lambda view, _: view.commit(timeout=GUARD_S)}
        read(consumer, 20)
        consumer.pause([TopicPartition(doomed, 0)])
        delete_topic(kafka.bootstrap_servers, doomed)
        poll_until([consumer], has(consumer, other))
        assert "lost" not in {what for what, _ in heard.moves()}
        assert consumer.health().problem is None
        committed = consumer.committed([TopicPartition(other, 0)])[TopicPartition(other, 0)]
        assert committed is not None
        assert committed.offset == 10
        produce(kafka.bootstrap_servers, other, 10, first=10)
        assert numbers(read(consumer, 10)) == list(range(10, 20))


def test_a_commit_in_a_revocation_does_not_wait_for_a_kept_topic_that_vanishes(kafka: KafkaServer) -> None:
    """Of two topics the second member takes part of one; the other is deleted in on_partitions_revoked."""
    group = unique("change")
    doomed, shared = create_topic(kafka.bootstrap_servers, "doomed"), create_topic(kafka.bootstrap_servers, "shared", 2)
    settings = config_of(kafka, group)
    offsets = {TopicPartition(topic, 0): 0 for topic in (doomed, shared)} | {TopicPartition(shared, 1): 0}
    heard = Heard()

    def delete_and_commit(view: RebalanceConsumer, _: object) -> None:
        heard.actions = {}
        delete_topic(kafka.bootstrap_servers, doomed)
        view.commit(offsets, timeout=GUARD_S)

    with Consumer(**settings) as first, Consumer(**settings) as second:
        first.subscribe([doomed, shared], listener=heard)
        poll_until([first], lambda: first.assignment() == offsets.keys())
        heard.actions = {"revoked": delete_and_commit}
        second.subscribe([shared])
        poll_until([first, second], lambda: bool(second.assignment()))
        assert heard.actions == {}
        assert stored_offsets(kafka.bootstrap_servers, group) == {0: 0, 1: 0}


def test_partitions_added_to_a_topic_are_read(kafka: KafkaServer, protocol: str) -> None:
    topic = create_topic(kafka.bootstrap_servers, "growing")
    produce(kafka.bootstrap_servers, topic, 10)
    with member(kafka, protocol, topic, enable_auto_commit=True) as (consumer, _):
        read(consumer, 10)
        grow_topic(kafka.bootstrap_servers, topic, 3)
        produce(kafka.bootstrap_servers, topic, 30, partitions=3)
        assert len(read(consumer, 30)) == 30
        assert len(consumer.assignment()) == 3


def test_a_topic_that_is_made_after_it_was_subscribed_to_is_read(kafka: KafkaServer, protocol: str) -> None:
    topic = unique("later")
    with member(kafka, protocol, topic) as (consumer, _):
        consumer.poll(timeout=1.0)
        assert consumer.assignment() == frozenset()
        create_named_topic(kafka.bootstrap_servers, topic)
        produce(kafka.bootstrap_servers, topic, 10)
        assert numbers(read(consumer, 10)) == list(range(10))


def test_a_topic_that_comes_back_under_its_name_is_read_from_its_own_beginning(
    kafka: KafkaServer, protocol: str
) -> None:
    topic = create_topic(kafka.bootstrap_servers, "again")
    produce(kafka.bootstrap_servers, topic, 20)
    with member(kafka, protocol, topic, enable_auto_commit=True, auto_commit_interval_ms=50) as (consumer, heard):
        group = consumer.group_metadata().group_id
        read(consumer, 20)
        poll_until([consumer], lambda: stored_offsets(kafka.bootstrap_servers, group) == {0: 20})
        delete_topic(kafka.bootstrap_servers, topic)
        create_named_topic(kafka.bootstrap_servers, topic)
        produce(kafka.bootstrap_servers, topic, 100, first=1000)
        assert numbers(read(consumer, 100)) == list(range(1000, 1100))
        if protocol == "consumer":
            assert heard.moves() == [("assigned", {0}), ("revoked", {0}), ("assigned", {0})]
        poll_until([consumer], lambda: stored_offsets(kafka.bootstrap_servers, group) == {0: 100})
        assert consumer.position(TopicPartition(topic, 0)) == 100
        assert consumer.health().gone == ()
