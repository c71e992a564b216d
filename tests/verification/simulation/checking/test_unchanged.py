"""What is not checked again is only what is as it was."""

from __future__ import annotations

from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup
from kafka_nextgen.testing.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.testing.coordinator.extensions.state import COMPUTING, Computing
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.testing.coordinator.timers import Arm, TimerKey, TimerKind
from kafka_nextgen.testing.coordinator.topics import Topics
from kafka_nextgen.types import TopicPartition
from tests.verification.simulation.checking.unchanged import Unchanged, changes_nothing

OF_OFFSETS = Outcome(None, records=(r.OffsetRemoved("g", TopicPartition("t", 0)),))
OF_THE_GROUP = Outcome(None, records=(*OF_OFFSETS.records, r.GroupMetadataRemoved("g")))


def test_a_group_is_checked_again_after_whatever_may_change_it() -> None:
    unchanged, coordinator, group = Unchanged(), Coordinator(CoordinatorSettings()), Group("g", 0)
    assert unchanged.is_new(coordinator, group)
    unchanged.in_force(OF_OFFSETS)
    assert not unchanged.is_new(coordinator, group)
    unchanged.in_force(OF_THE_GROUP)
    assert unchanged.is_new(coordinator, group)
    coordinator.timers.change(Arm(TimerKey("g", TimerKind.SESSION, "m"), 1.0))
    assert unchanged.is_new(coordinator, group)
    coordinator.topics = Topics(version=1)
    assert unchanged.is_new(coordinator, group)
    group.classic = ClassicGroup("g")
    assert unchanged.is_new(coordinator, group)
    group.checked_topics_version = 1
    assert unchanged.is_new(coordinator, group)
    COMPUTING.put(group, Computing("m", "assignor"))
    assert unchanged.is_new(coordinator, group)
    assert not unchanged.is_new(coordinator, group)
    assert unchanged.is_new(Coordinator(CoordinatorSettings()), group)


def test_an_outcome_changes_nothing_if_the_group_is_as_before_with_it() -> None:
    coordinator, group = Coordinator(CoordinatorSettings()), Group("g", 0)
    as_before = Outcome(None, checked_topics=(("g", -1),), remembered=(("g", group.remembered),))
    assert not changes_nothing(coordinator, "g", as_before), "there is no such group"
    coordinator.groups["g"] = group
    assert changes_nothing(coordinator, "g", as_before)
    assert not changes_nothing(coordinator, "g", OF_OFFSETS)
    assert not changes_nothing(coordinator, "g", Outcome(None, topics=Topics()))
    assert not changes_nothing(coordinator, "g", Outcome(None, checked_topics=(("g", 0),)))
    assert not changes_nothing(
        coordinator, "g", Outcome(None, remembered=(("g", {"computing": Computing("m", "assignor")}),))
    )
    assert not changes_nothing(coordinator, "g", Outcome(None, classic=(ClassicGroup("g"),)))
