"""One run as its members, the records of its coordinator and a poller tell it, on a real Kafka as well."""

from __future__ import annotations

import pytest
from attrs import evolve

from kafka_nextgen import EventLog
from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.events import Event, SourceKind
from kafka_nextgen.history.source_comparison import Difference, differences, source_views
from tests.collecting.members import Kept, Member
from tests.collecting.one_run import members_come_and_go, polled, until_told
from tests.endtoend.history_from_records import story_of
from tests.endtoend.reading import config_of
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually

THREE = [SourceKind.CONSUMER, SourceKind.OFFSETS_TOPIC, SourceKind.POLLER]


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
        about = f"member {dying.id}: joined, out"
        gone = Difference(SourceKind.POLLER, about, "1, 1", "1, 0")
        eventually("the poller tells it", lambda: gone in differences(source_views(told.of_group(group))))
    different = differences(source_views(all_of(kafka, group, topic, told)))
    assert [each for each in different if each.about == about] == [
        evolve(gone, source=SourceKind.OFFSETS_TOPIC),
        gone,
    ]
    # The dead one could not tell that its partitions went; who had them next is told the same by all.
    assert not [each for each in different if "owners" in each.about]
