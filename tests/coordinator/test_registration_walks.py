"""Random walks through groups of either protocol that expect members: these come, or not, or fall silent.

Whatever happens meanwhile, the invariants hold after every step, the log alone gives the same state, and in the end
nobody waits any more.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.coordinator.classic.requests import LeaveGroup, LeavingMember
from kafka_nextgen.coordinator.extensions.requests import AddMembers, ExpectedMember
from kafka_nextgen.coordinator.extensions.state import PLACES
from kafka_nextgen.coordinator.settings import CoordinatorSettings, Profile
from tests.coordinator import classic_walk as classic
from tests.coordinator import consumer_walk as consumer
from tests.coordinator import migration_walk as migration
from tests.coordinator.stage import GROUP, Stage
from tests.coordinator.walk_steps import Step, step
from tests.support.examples import examples

LONGEST_MS = 30_000

instances = st.sampled_from(["one", "two", "three"])  # the last of which nobody has
times_ms = st.sampled_from([0, 1_000, LONGEST_MS])
sessions_ms = st.sampled_from([-1, 500])


def announced(walk: Any, names: frozenset[str], timeout_ms: int, session_timeout_ms: int) -> Any:
    members = tuple(ExpectedMember(name, session_timeout_ms) for name in sorted(names))
    return walk.stage.ask(AddMembers(GROUP, members, timeout_ms))


def taken_out(walk: Any, instance_id: str) -> Any:
    return walk.stage.ask(LeaveGroup(GROUP, (LeavingMember("", instance_id),)))


def migration_announced(walk: migration.Walk, *said: Any) -> None:
    walk._released(announced(walk, *said))


def classic_announced(walk: classic.Walk, *said: Any) -> None:
    walk._commit_released(announced(walk, *said))


def classic_taken_out(walk: classic.Walk, instance_id: str) -> None:
    walk._commit_released(taken_out(walk, instance_id))


announcements = st.one_of(step(announced, st.frozensets(instances), times_ms, sessions_ms), step(taken_out, instances))
walks = st.lists(
    st.tuples(consumer.joins, announcements, consumer.rounds, consumer.disturbances, consumer.rounds),
    min_size=3,
    max_size=12,
)
classic_steps = st.one_of(
    classic.steps,
    step(classic_announced, st.frozensets(instances), times_ms, sessions_ms),
    step(classic_taken_out, instances),
)
migration_steps = st.one_of(migration.steps, step(migration_announced, st.frozensets(instances), times_ms, sessions_ms))


def extended(**more: Any) -> Stage:
    return Stage(CoordinatorSettings(extensions=True, **more))


@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(Profile), st.sampled_from([0, 1000]), st.booleans(), walks)
def test_a_consumer_group_settles_whatever_happens_to_those_it_expects(
    profile: Profile, interval_ms: int, honest: bool, walk: list[tuple[Step, ...]]
) -> None:
    stage = extended(profile=profile, group_consumer_assignment_interval_ms=interval_ms)
    walker = consumer.Walk(stage, honest)
    walker.grow("foo", 5)
    for take_step in chain.from_iterable(walk):
        take_step(walker)
        walker.check()
    walker.tick(LONGEST_MS / 1000)
    walker.settle()
    assert not PLACES.of(stage.group)


@settings(max_examples=examples(50), suppress_health_check=list(HealthCheck))
@given(st.lists(classic_steps, min_size=10, max_size=60))
def test_a_classic_group_settles_whatever_happens_to_those_it_expects(walk: list[Step]) -> None:
    stage = extended()
    walker = classic.Walk(stage, version=9)
    for name in classic.CLIENTS[:3]:
        walker.start(name, ("range",))
    for each in walk:
        each(walker)
        walker.check()
    walker.settle()
    assert not PLACES.of(stage.group)


@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(Profile), st.lists(migration_steps, min_size=10, max_size=40))
def test_a_group_that_changes_its_protocol_settles_whatever_happens_to_those_it_expects(
    profile: Profile, walk: list[Step]
) -> None:
    stage = extended(profile=profile, group_consumer_assignment_interval_ms=0)
    walker = migration.Walk(stage, "range")
    stage.set_topic("foo", len(migration.FOO))
    for name in migration.CLIENTS[:3]:
        walker.start(name, "classic")
    walker.rounds(4)
    for each in walk:
        each(walker)
        walker.check()
    walker.settle()
    assert not PLACES.of(stage.group)
