"""Random walks through groups with a target size, which changes: members beyond it stand by, and take over.

The invariants hold after every step, the log alone gives the same state, and in the end exactly so many members are
active as the group is to have.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.coordinator.extensions.requests import AddMembers, ExpectedMember
from kafka_nextgen.coordinator.settings import CoordinatorSettings, Profile
from tests.coordinator import consumer_walk as consumer
from tests.coordinator import migration_walk as migration
from tests.coordinator.stage import GROUP, Stage
from tests.coordinator.walk_steps import Step, step
from tests.invariants.standbys import missing_active
from tests.support.examples import examples

LONGEST_MS = 5_000


def sized(walk: Any, size: str) -> None:
    walk.stage.configure_group({"group.target.size": size})


def announced(walk: consumer.Walk, names: frozenset[str]) -> None:
    members = tuple(ExpectedMember(name, -1) for name in sorted(names))
    walk.stage.ask(AddMembers(GROUP, members, LONGEST_MS))


sizes = step(sized, st.sampled_from(["", "1", "2", "3"]))
others = st.one_of(sizes, step(announced, st.frozensets(st.sampled_from(["one", "two"]))))
walks = st.lists(
    st.tuples(consumer.joins, others, consumer.joins, consumer.rounds, consumer.disturbances, consumer.rounds),
    min_size=3,
    max_size=12,
)


@settings(max_examples=examples(50), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(Profile), st.sampled_from([0, 1000]), st.booleans(), walks)
def test_as_many_members_are_active_as_the_group_is_to_have(
    profile: Profile, interval_ms: int, honest: bool, walk: list[tuple[Step, ...]]
) -> None:
    stage = Stage(
        CoordinatorSettings(extensions=True, profile=profile, group_consumer_assignment_interval_ms=interval_ms)
    )
    walker = consumer.Walk(stage, honest)
    walker.grow("foo", 5)
    sized(walker, "2")
    for take_step in chain.from_iterable(walk):
        take_step(walker)
        walker.check()
    walker.tick(LONGEST_MS / 1000)
    walker.settle()
    assert missing_active(stage.group, stage.group_config.get("group.target.size", 0)) == 0


@settings(max_examples=examples(50), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(Profile), st.lists(st.one_of(migration.steps, sizes), min_size=10, max_size=40))
def test_a_group_that_changes_its_protocol_has_standbys_only_by_the_consumer_protocol(
    profile: Profile, walk: list[Step]
) -> None:
    stage = Stage(CoordinatorSettings(extensions=True, profile=profile, group_consumer_assignment_interval_ms=0))
    walker = migration.Walk(stage, "range")
    stage.set_topic("foo", len(migration.FOO))
    for name in migration.CLIENTS[:3]:
        walker.start(name, "classic")
    walker.rounds(4)
    sized(walker, "2")
    for each in walk:
        each(walker)
        walker.check()
    walker.settle()
    assert missing_active(stage.group, stage.group_config.get("group.target.size", 0)) == 0
