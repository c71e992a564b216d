"""One run as its members, the records of its coordinator and a poller tell it, on a real Kafka as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest
from attrs import evolve

from kafka_nextgen import Consumer, EventLog, LeaveMode, Record, TopicPartition
from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.events import Event, EventKind, SourceKind
from kafka_nextgen.history.source_comparison import Difference, differences, source_views
from kafka_nextgen.offsets_topic.events import RecordStory, Row
from kafka_nextgen.offsets_topic.extensions import Skipped, decode
from kafka_nextgen.testing.broker.hashing import spread
from tests.collecting.members import Kept, Member
from tests.collecting.one_run import members_come_and_go, polled, until_told
from tests.endtoend.reading import config_of, poll_until
from tests.support.clients import admin_client, create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.client import Client
from tests.testing.broker.requests import topic_id_of

OFFSETS = "__consumer_offsets"
THREE = [SourceKind.CONSUMER, SourceKind.OFFSETS_TOPIC, SourceKind.POLLER]


def records_of(kafka: KafkaServer, group: str) -> list[Record]:
    """Read all records of the partition that has the group."""
    count = len(admin_client(kafka.bootstrap_servers).list_topics(OFFSETS, timeout=GUARD_S).topics[OFFSETS].partitions)
    partition = TopicPartition(OFFSETS, spread(group, count))
    with Consumer(bootstrap_servers=kafka.bootstrap_servers, auto_offset_reset="earliest") as reader:
        reader.assign([partition])
        end = reader.end_offsets([partition])[partition]
        return poll_until([reader], lambda: reader.position(partition) >= end)


def story_of(kafka: KafkaServer, group: str, topic: str) -> list[Event]:
    with Client(kafka.bootstrap_servers) as client:
        story = RecordStory("offsets:0", "test", {topic_id_of(client, topic): topic})
    return [event for event in story.tell(rows(records_of(kafka, group))) if event.group == group]


def rows(records: Sequence[Record]) -> Iterator[Row]:
    for record in records:
        assert isinstance(record.key, bytes)
        assert record.value is None or isinstance(record.value, bytes)
        found = decode(record.key, record.value)
        if not isinstance(found, Skipped):
            yield Row(record.offset, record.timestamp, found)


def all_of(kafka: KafkaServer, group: str, topic: str, told: Kept) -> list[Event]:
    """What members and the poller told, and what the records say."""
    (cluster,) = {event.cluster for event in told.of_group(group)}
    return told.of_group(group) + [evolve(event, cluster=cluster) for event in story_of(kafka, group, topic)]


def test_members_records_and_poller_tell_the_same_story(kafka: KafkaServer, protocol: str) -> None:
    topic, group, told = create_topic(kafka.bootstrap_servers, "three", 6), unique("three"), Kept()
    members_come_and_go(config_of(kafka, group, protocol), topic, 6, told)
    events = all_of(kafka, group, topic, told)
    of_each = source_views(events)
    assert list(of_each) == THREE
    assert sorted(of_each[SourceKind.CONSUMER].members.values()) == [(1, 1)] * 3
    different = differences(of_each)
    print("\n".join(map(str, different)))
    assert [each for each in different if not each.about.endswith("epochs")] == []
    assert not analyze(events).facts["overlaps"]


def test_that_a_member_died_is_told_by_the_others_only(kafka: KafkaServer) -> None:
    topic, group, told = create_topic(kafka.bootstrap_servers, "three", 4), unique("three"), Kept()
    config = config_of(kafka, group)
    with polled(kafka.bootstrap_servers, group, told), Member(config, topic, EventLog(told)) as staying:
        until_told(told, group, 4, [staying])
        dying = Member(config, topic, EventLog(told))
        until_told(told, group, 4, [staying, dying])
        with pytest.warns(ResourceWarning, match="without close"):
            dying.die()
        until_told(told, group, 4, [staying])
        about = f"member {dying.id}: times joined and left"
        gone = Difference(SourceKind.POLLER, about, "1, 1", "1, 0")
        eventually("the poller tells it", lambda: gone in differences(source_views(told.of_group(group))))
    different = differences(source_views(all_of(kafka, group, topic, told)))
    assert [each for each in different if each.about == about] == [
        evolve(gone, source=SourceKind.OFFSETS_TOPIC),
        gone,
    ]
    # The dead one could not tell that its partitions went; who had them next is told the same by all.
    assert not [each for each in different if "owners" in each.about]


def test_a_static_members_restart(kafka: KafkaServer, stack: ExitStack) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "told", 2), unique("told")
    for name in ("before", "after"):
        config = config_of(kafka, group, client_id=name, group_instance_id="one")
        member = stack.enter_context(Consumer(**config))
        member.subscribe([topic])
        poll_until([member], lambda member=member: len(member.assignment()) == 2)  # type: ignore[misc]
        member.close(leave=LeaveMode.DEFAULT)
    events = story_of(kafka, group, topic)
    names = {event.member: event.client for event in events if event.kind is EventKind.JOINED}
    kinds = (EventKind.JOINED, EventKind.LEFT, EventKind.FENCED)
    told = [(event.kind.value, event.instance, event.cause) for event in events if event.kind in kinds]
    assert told == [
        ("joined", "one", None),
        ("left", "one", "left temporarily"),
        ("joined", "one", "member restarted"),
        ("left", "one", "left temporarily"),
    ]
    assert set(names.values()) == {"before", "after"}
    # Kafka 4.3.0 was seen to raise the epoch once more, by another hash of the topics; the restart must not.
    causes = [event.cause for event in events if event.kind is EventKind.GROUP_EPOCH]
    assert [cause for cause in causes if cause != "topic metadata changed"] == ["member joined"]
