"""Random walks of a group whose members change their protocol, come, go and fall silent; its coordinator fails over.

After every step the invariants hold, and no member works with what the coordinator does not reserve for it. Once the
disturbances end the group is stable, with everybody in it, and of the consumer protocol if anybody speaks that.
"""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.coordinator.settings import CoordinatorSettings, Profile
from tests.coordinator.migration_walk import CLIENTS, COOPERATIVE, FOO, Walk, steps
from tests.coordinator.stage import Stage
from tests.coordinator.walk_steps import Step
from tests.support.examples import examples


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(Profile), st.sampled_from(["range", COOPERATIVE]), st.lists(steps, min_size=10, max_size=40))
def test_whatever_members_change_to_the_invariants_hold_and_the_group_settles(
    profile: Profile, strategy: str, walk: list[Step]
) -> None:
    walker = Walk(Stage(CoordinatorSettings(profile=profile, group_consumer_assignment_interval_ms=0)), strategy)
    walker.stage.set_topic("foo", len(FOO))
    for name in CLIENTS[:3]:
        walker.start(name, "classic")
    walker.rounds(4)
    for each in walk:
        each(walker)
        walker.check()
    walker.settle()
