"""Random walks of groups, of either protocol or from one to the other, without extensions and with them.

Members join, say true and untrue things, fall silent, die and come back; topics come and go, coordinators fail over.
After every step the invariants hold, the log alone gives the same state, every request is answered at most once, and no
member works with what the coordinator does not reserve for it. Once the disturbances end and every member does what it
is told, the group settles.

With extensions members are announced and come or leave, or not, and in the end none is waited for; and the group has a
target size, which changes: in the end exactly so many members are active.
"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.groups.extensions.adding import AddMembers, ExpectedMember
from kafka_nextgen.groups.extensions.leaving import AnnounceLeaving, NamedMember
from kafka_nextgen.groups.leaving import LeaveGroup, LeavingMember
from kafka_nextgen.testing.coordinator.extensions.state import LEAVERS, SLOTS
from kafka_nextgen.testing.coordinator.requests import Request
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, Profile
from tests.support.examples import examples
from tests.testing.coordinator import classic_walk as classic
from tests.testing.coordinator import consumer_walk as consumer
from tests.testing.coordinator import migration_walk as migration
from tests.testing.coordinator.stage import GROUP, Stage
from tests.testing.coordinator.walk_steps import ParkingWalk, Step, step
from tests.verification.invariants.standbys import missing_active

PROFILES, INTERVALS_MS = st.sampled_from(Profile), st.sampled_from([0, 1000])
Steps = list[Step]
Rounds = list[tuple[Step, ...]]


def stage_of(profile: Profile = Profile.V4_4, interval_ms: int = 0, *, extensions: bool = False) -> Stage:
    return Stage(
        CoordinatorSettings(profile=profile, group_consumer_assignment_interval_ms=interval_ms, extensions=extensions)
    )


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(PROFILES, INTERVALS_MS, st.booleans(), consumer.walks)
def test_a_consumer_group_settles(profile: Profile, interval_ms: int, honest: bool, walk: Rounds) -> None:
    walker = consumer.Walk(stage_of(profile, interval_ms), honest)
    walker.play(walk)
    before = list(walker.stage.log)
    for name in consumer.MEMBERS:
        walker.beat(name)
    assert walker.stage.log == before, "a settled group writes nothing"


@settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))
@given(st.sampled_from([3, 8, 9]), st.lists(classic.steps, min_size=10, max_size=60))
def test_a_classic_group_settles(version: int, walk: Steps) -> None:
    walker = classic.Walk(stage_of(), version)
    walker.begin()
    walker.play(walk)


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(PROFILES, st.sampled_from(["range", migration.COOPERATIVE]), st.lists(migration.steps, min_size=10, max_size=40))
def test_a_group_that_changes_its_protocol_settles(profile: Profile, strategy: str, walk: Steps) -> None:
    walker = migration.Walk(stage_of(profile), strategy)
    walker.begin()
    walker.play(walk)


# With extensions.


def ask(walk: Any, request: Request) -> None:
    outcome = walk.stage.ask(request)
    if isinstance(walk, ParkingWalk):
        walk.released(outcome)


def announced(walk: Any, names: frozenset[str], timeout_ms: int, session_timeout_ms: int) -> None:
    ask(walk, AddMembers(GROUP, tuple(ExpectedMember(name, session_timeout_ms) for name in sorted(names)), timeout_ms))


def announced_to_leave(walk: Any, names: frozenset[str], timeout_ms: int) -> None:
    """By instance id and by member id; not all of them are members."""
    by_instance = (NamedMember("", name) for name in sorted(names))
    members = {*walk.stage.group.members, *(walk.stage.group.classic.members if walk.stage.group.classic else ())}
    ask(walk, AnnounceLeaving(GROUP, (*by_instance, *map(NamedMember, sorted(members)[: len(names)])), timeout_ms))


def taken_out(walk: Any, instance_id: str) -> None:
    ask(walk, LeaveGroup(GROUP, (LeavingMember("", instance_id),)))


def sized(walk: Any, size: str) -> None:
    walk.stage.configure_group({"group.target.size": size})


LONGEST_MS = 30_000
instances = st.sampled_from(["one", "two", "three"])  # the last of which nobody has
announcements = step(
    announced, st.frozensets(instances), st.sampled_from([0, 1_000, LONGEST_MS]), st.sampled_from([-1, 500])
)
leaving = step(announced_to_leave, st.frozensets(instances), st.sampled_from([0, 1_000, LONGEST_MS]))
sizes = step(sized, st.sampled_from(["", "1", "2", "3"]))
extensions = st.one_of(announcements, leaving, step(taken_out, instances), sizes)
extended_walks = st.lists(
    st.tuples(consumer.joins, extensions, consumer.joins, consumer.rounds, consumer.disturbances, consumer.rounds),
    min_size=3,
    max_size=12,
)
extended_classic = st.one_of(classic.steps, announcements, leaving, step(taken_out, instances))
extended_migration = st.one_of(migration.steps, announcements, leaving, sizes)


def check_nobody_is_waited_for(stage: Stage) -> None:
    assert not SLOTS.of(stage.group)
    assert not LEAVERS.of(stage.group)
    assert missing_active(stage.group, stage.group_config.get("group.target.size", 0)) == 0


@settings(max_examples=examples(75), suppress_health_check=list(HealthCheck))
@given(PROFILES, INTERVALS_MS, st.booleans(), st.sampled_from(["", "2"]), extended_walks)
def test_a_consumer_group_settles_with_extensions(
    profile: Profile, interval_ms: int, honest: bool, size: str, walk: Rounds
) -> None:
    walker = consumer.Walk(stage_of(profile, interval_ms, extensions=True), honest)
    sized(walker, size)
    walker.play([*walk, (Step(consumer.Walk.tick, (LONGEST_MS / 1000,)),)])
    check_nobody_is_waited_for(walker.stage)


@settings(max_examples=examples(50), suppress_health_check=list(HealthCheck))
@given(st.lists(extended_classic, min_size=10, max_size=60))
def test_a_classic_group_settles_with_extensions(walk: Steps) -> None:
    walker = classic.Walk(stage_of(extensions=True), version=9)
    walker.begin()
    walker.play(walk)
    assert not SLOTS.of(walker.stage.group)
    assert not LEAVERS.of(walker.stage.group)


@settings(max_examples=examples(75), suppress_health_check=list(HealthCheck))
@given(PROFILES, st.sampled_from(["", "2"]), st.lists(extended_migration, min_size=10, max_size=40))
def test_a_group_that_changes_its_protocol_settles_with_extensions(profile: Profile, size: str, walk: Steps) -> None:
    walker = migration.Walk(stage_of(profile, extensions=True), "range")
    walker.begin()
    sized(walker, size)
    walker.play(walk)
    check_nobody_is_waited_for(walker.stage)
