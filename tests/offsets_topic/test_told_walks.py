"""Random lives of groups: the events of their records, gone through, come to what the coordinator knows at the end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.offsets_topic.events import RecordStory, Row
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, Profile
from tests.support.examples import examples
from tests.testing.coordinator import classic_walk as classic
from tests.testing.coordinator import consumer_walk as consumer
from tests.testing.coordinator.stage import Stage
from tests.testing.coordinator.walk_steps import Step

Owned = set[tuple[str, str, str, int]]

sizes = st.lists(st.integers(1, 9), min_size=1, max_size=5)


def told(stage: Stage, batch_sizes: Sequence[int]) -> list[Event]:
    names = {topic_id: topic.name for topic_id, topic in stage.coordinator.topics.by_id.items()}
    story = RecordStory("offsets:0", "test", names)
    times = chain.from_iterable([at] * size for at, size in enumerate(batch_sizes * (len(stage.log) + 1)))
    rows = [Row(offset, at, record) for (offset, record), at in zip(enumerate(stage.log), times, strict=False)]
    return story.tell(rows)


def gone_through(events: Sequence[Event]) -> tuple[set[tuple[str, str]], Owned]:
    """Who is in which group, and who has what."""
    members, owned = set[tuple[str, str]](), Owned()
    for event in events:
        who = (event.group, event.member or "")
        parts = {(*who, event.topic or "", number) for number in event.partitions or ()}
        if event.kind is EventKind.JOINED:
            members.add(who)
        elif event.kind in (EventKind.LEFT, EventKind.FENCED):
            members.discard(who)
        elif event.kind is EventKind.ASSIGNED:
            assert not owned & parts
            owned |= parts
        elif event.kind is EventKind.REVOKED:
            assert owned >= parts
            owned -= parts
    return members, owned


def check(stage: Stage, batch_sizes: Sequence[int]) -> None:
    events = told(stage, batch_sizes)
    members, owned = gone_through(events)
    topics, expected, kept = stage.coordinator.topics.by_id, Owned(), set[tuple[str, str]]()
    for group_id, group in stage.coordinator.groups.items():
        recorded = group.classic_record
        kept |= {(group_id, each.member_id) for each in (recorded.members if recorded else ())}
        for member_id in group.members:
            current = group.current(member_id)
            if current.member_epoch != -2:
                kept.add((group_id, member_id))
            if current.member_epoch > 0:
                for each, _ in (*current.assigned, *current.pending_revocation):
                    name = topics[each.topic_id].name if each.topic_id in topics else str(each.topic_id)
                    expected.add((group_id, member_id, name, each.partition))
    assert members == kept
    in_consumer_groups = {group_id for group_id, group in stage.coordinator.groups.items() if group.members}
    assert {each for each in owned if each[0] in in_consumer_groups} == expected
    assert {each[:2] for each in owned} <= members


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(Profile), consumer.walks, sizes)
def test_of_consumer_groups(profile: Profile, walk: list[tuple[Step, ...]], batch_sizes: list[int]) -> None:
    walker = consumer.Walk(Stage(CoordinatorSettings(profile=profile)), honest=False)
    walker.grow("foo", 5)
    for take_step in chain.from_iterable(walk):
        take_step(walker)
    check(walker.stage, batch_sizes)


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(st.lists(classic.steps, min_size=10, max_size=60), sizes)
def test_of_classic_groups(walk: list[Step], batch_sizes: list[int]) -> None:
    walker = classic.Walk(Stage(), 9)
    for name in classic.CLIENTS[:3]:
        walker.start(name, ("range",))
    for step in walk:
        step(walker)
    check(walker.stage, batch_sizes)
