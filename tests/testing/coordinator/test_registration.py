"""Pre-registration beyond what the scenarios tell: how many rebalances it saves, in whichever order members come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.extensions.adding import AddMembers, ExpectedMember, MembersAdded
from kafka_nextgen.testing.coordinator.extensions.state import SLOTS
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, DeleteGroups
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, Profile
from tests.support.examples import examples
from tests.testing.coordinator.stage import GROUP, Stage

INSTANCES = [f"worker-{number}" for number in range(10)]


def stage_of(profile: Profile = Profile.V4_3, interval_ms: int = 0, *, with_owner: bool = True) -> Stage:
    """A group with a topic of 60 partitions, and one member that has them all, or nobody."""
    stage = Stage(
        CoordinatorSettings(profile=profile, group_consumer_assignment_interval_ms=interval_ms, extensions=True)
    )
    stage.set_topic("foo", 60)
    if with_owner:
        join(stage, "owner")
    return stage


def join(stage: Stage, name: str) -> ConsumerGroupHeartbeatAnswer:
    answer = stage.join(name, instance_id=name if name in INSTANCES else None, rebalance_timeout_ms=60_000)
    assert answer.error is ErrorCode.NONE
    return answer


def beat(stage: Stage, names: Iterable[str]) -> None:
    """Have each member say what it was left with, as one does that gives up at once what it is told to."""
    for name in names:
        current = stage.group.current(name)
        owned = frozenset(partition for partition, _ in current.assigned)
        stage.ask(ConsumerGroupHeartbeat(GROUP, name, current.member_epoch, owned=owned))


def announce(stage: Stage, instance_ids: Sequence[str], timeout_ms: int = 60_000) -> MembersAdded:
    answer = stage.ask(AddMembers(GROUP, tuple(map(ExpectedMember, instance_ids)), timeout_ms)).response
    assert isinstance(answer, MembersAdded)
    return answer


def pass_time(stage: Stage, seconds: float) -> None:
    for _ in stage.pass_time(seconds):
        stage.check()


def targets_in(log: Iterable[r.Record]) -> list[int]:
    """The epochs of the targets that moved a partition."""
    moved, epochs = False, []
    for record in log:
        moved |= isinstance(record, r.TargetAssignmentMember) and bool(record.partitions)
        if isinstance(record, r.TargetAssignmentMetadata):
            epochs += [record.assignment_epoch] if moved else []
            moved = False
    return epochs


def scale_out(stage: Stage, spacing_s: float) -> list[int]:
    """Members come one after the other, with everybody's heartbeats between them; the targets that follow."""
    before = len(stage.log)
    pass_time(stage, 5)
    for name in INSTANCES:
        join(stage, name)
        beat(stage, sorted(stage.group.members))
        pass_time(stage, spacing_s)
        stage.check()
    for _ in range(3):
        pass_time(stage, 5)
        beat(stage, sorted(stage.group.members))
    stage.check()
    assert {len(list(stage.group.current(name).assigned)) for name in INSTANCES} <= {5, 6}
    return targets_in(stage.log[before:])


@pytest.mark.parametrize(
    ("interval_ms", "spacing_s", "rebalances"),
    [(0, 0.2, 10), (1_000, 0.2, 3), (1_000, 2.0, 10)],
    ids=["every join", "Kafka 4.3, started together", "Kafka 4.3, started one by one"],
)
def test_ten_members_cost_one_rebalance_if_they_were_announced(
    interval_ms: int, spacing_s: float, rebalances: int
) -> None:
    announced, not_announced = stage_of(interval_ms=interval_ms), stage_of(interval_ms=interval_ms)
    announce(announced, INSTANCES)
    assert len(scale_out(announced, spacing_s)) == 1
    assert len(scale_out(not_announced, spacing_s)) == rebalances


@settings(max_examples=examples(30), suppress_health_check=list(HealthCheck))
@given(
    profile=st.sampled_from(Profile),
    order=st.permutations(INSTANCES),
    fails_over_after=st.integers(0, len(INSTANCES) - 1),
    with_owner=st.booleans(),
)
def test_they_may_come_in_any_order_and_coordinators_may_fail_over(
    profile: Profile, order: list[str], fails_over_after: int, with_owner: bool
) -> None:
    stage = stage_of(profile, with_owner=with_owner)
    announce(stage, INSTANCES)
    before = len(stage.log)
    for number, name in enumerate(order):
        if number == fails_over_after:
            stage.fail_over()
        answer = join(stage, name)
        assert answer.member_epoch > 0
        assert bool(answer.assignment) <= (number == len(order) - 1)
        beat(stage, sorted(stage.group.members))
        stage.check()
    assert len(targets_in(stage.log[before:])) == 1
    assert not SLOTS.of(stage.group)


def test_the_group_is_remembered_as_long_as_somebody_is_expected_and_deleted_with_the_slots() -> None:
    stage = stage_of(with_owner=False)
    announce(stage, INSTANCES, timeout_ms=7_200_000)
    pass_time(stage, 3_600)
    assert SLOTS.of(stage.group)
    stage.ask(DeleteGroups((GROUP,)))
    assert stage.coordinator.groups == {}
    stage.check()


def test_who_goes_over_to_a_coordinator_without_extensions_is_not_waited_for() -> None:
    stage = stage_of()
    announce(stage, INSTANCES)
    join(stage, "worker-0")
    stage.settings = stage.coordinator.settings = CoordinatorSettings(group_consumer_assignment_interval_ms=0)
    stage.fail_over()
    assert not SLOTS.of(stage.group)
    assert len(stage.group.members) == 2
    assert stage.group.epoch > stage.group.assignment_epoch


def test_the_log_says_who_did_not_come() -> None:
    stage = stage_of()
    announce(stage, INSTANCES[:3], timeout_ms=1_000)
    join(stage, INSTANCES[0])
    notes = [note for outcome in stage.pass_time(1) for note in outcome.notes]
    assert notes == ["group g continues without worker-1, worker-2, which did not join in time"]
