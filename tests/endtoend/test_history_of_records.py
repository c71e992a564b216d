"""A group's story as its records tell it: what a script of members did, read from ``__consumer_offsets`` by a consumer.

Kafka's own coordinator has written them, or the embedded one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest

from kafka_nextgen import Consumer, LeaveMode, OffsetAndMetadata, TopicPartition
from kafka_nextgen.history.events import Event, EventKind
from tests.endtoend.history_from_records import story_of
from tests.endtoend.reading import config_of, poll_until
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer

Owners = dict[str, frozenset[int]]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def named(events: Sequence[Event]) -> dict[str | None, str | None]:
    """The client ids of members."""
    return {event.member: event.client for event in events if event.kind is EventKind.JOINED}


def owners_after_each(events: Sequence[Event], topic: str) -> list[Owners]:
    """Who had what, after each event that changed it."""
    names, owned, seen = named(events), dict[str, frozenset[int]](), list[Owners]()
    for event in events:
        name = names.get(event.member) or ""
        if event.kind in (EventKind.ASSIGNED, EventKind.REVOKED) and event.partitions:
            assert event.topic == topic
            had, moved = owned.get(name, frozenset()), frozenset(event.partitions)
            owned[name] = had | moved if event.kind is EventKind.ASSIGNED else had - moved
            seen.append({each: parts for each, parts in owned.items() if parts})
    return seen


def owned_by(consumer: Consumer) -> frozenset[int]:
    return frozenset(partition.partition for partition in consumer.assignment())


def test_a_groups_records_tell_what_its_members_did(kafka: KafkaServer, protocol: str, stack: ExitStack) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "told", 4), unique("told")
    first, second = (
        stack.enter_context(Consumer(**config_of(kafka, group, protocol, client_id=name))) for name in ("one", "two")
    )
    first.subscribe([topic])
    poll_until([first], lambda: len(first.assignment()) == 4)
    first.commit({TopicPartition(topic, 3): OffsetAndMetadata(0)})
    second.subscribe([topic])
    poll_until([first, second], lambda: (len(first.assignment()), len(second.assignment())) == (2, 2))
    shared = {"one": owned_by(first), "two": owned_by(second)}
    second.close(leave=LeaveMode.LEAVE)
    poll_until([first], lambda: len(first.assignment()) == 4)
    first.close(leave=LeaveMode.LEAVE)

    events = story_of(kafka, group, topic)
    names = named(events)
    moves = (EventKind.JOINED, EventKind.LEFT, EventKind.FENCED)
    assert [(event.kind.value, names[event.member]) for event in events if event.kind in moves] == [
        ("joined", "one"),
        ("joined", "two"),
        ("left", "two"),
        ("left", "one"),
    ]
    owners = owners_after_each(events, topic)
    everything = {"one": frozenset(range(4))}
    assert [each for each in owners if each in (everything, shared)] == [everything, shared, everything]
    assert owners[-1] == {}
    epochs = [event for event in events if event.kind is EventKind.GROUP_EPOCH]
    numbers = [event.epoch or 0 for event in epochs]
    assert numbers == sorted(set(numbers))
    causes = [(event.cause, names.get(event.member)) for event in epochs if event.cause != "unknown"]
    assert causes[0] == ("member joined", "one")
    assert ("member joined", "two") in causes
    assert causes[-1] == ("member left", "one")
    assert {event.protocol for event in events} == {protocol}
    committed = [(event.topic, event.partitions, event.offset) for event in events if event.kind is EventKind.COMMITTED]
    assert committed == [(topic, (3,), 0)]
    assert [event.seq for event in events] == sorted({event.seq for event in events})


def test_a_static_members_restart(kafka: KafkaServer, stack: ExitStack) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "told", 2), unique("told")
    for name in ("before", "after"):
        config = config_of(kafka, group, client_id=name, group_instance_id="one")
        member = stack.enter_context(Consumer(**config))
        member.subscribe([topic])
        poll_until([member], lambda member=member: len(member.assignment()) == 2)  # type: ignore[misc]
        member.close(leave=LeaveMode.DEFAULT)
    events = story_of(kafka, group, topic)
    names = named(events)
    kinds = (EventKind.JOINED, EventKind.LEFT, EventKind.FENCED)
    told = [(event.kind.value, event.instance, event.cause) for event in events if event.kind in kinds]
    assert told == [
        ("joined", "one", None),
        ("left", "one", "left for a while"),
        ("joined", "one", "member restarted"),
        ("left", "one", "left for a while"),
    ]
    assert set(names.values()) == {"before", "after"}
    # Kafka 4.3.0 was seen to raise the epoch once more, by another hash of the topics; the restart must not.
    causes = [event.cause for event in events if event.kind is EventKind.GROUP_EPOCH]
    assert [cause for cause in causes if cause != "topic metadata changed"] == ["member joined"]
