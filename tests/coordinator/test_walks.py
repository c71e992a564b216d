"""Random walks: members join, say true and untrue things, fall silent, topics come and go, coordinators fail over.

After every step the invariants hold and the log alone gives the same state; once the disturbances end and every member
does what it is told, the group settles and then stays as it is.
"""

from __future__ import annotations

from itertools import chain

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.coordinator.settings import CoordinatorSettings, Profile
from tests.coordinator.consumer_walk import MEMBERS, Walk, walks
from tests.coordinator.stage import Stage
from tests.coordinator.walk_steps import Step
from tests.support.examples import examples


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(Profile), st.sampled_from([0, 1000]), st.booleans(), walks)
def test_whatever_happens_the_invariants_hold_and_the_group_settles(
    profile: Profile, interval_ms: int, honest: bool, walk: list[tuple[Step, ...]]
) -> None:
    settings = CoordinatorSettings(profile=profile, group_consumer_assignment_interval_ms=interval_ms)
    walker = Walk(Stage(settings), honest)
    walker.grow("foo", 5)
    for take_step in chain.from_iterable(walk):
        take_step(walker)
        walker.check()
    walker.settle()

    before = list(walker.stage.log)
    for name in MEMBERS:
        walker.beat(name)
    assert walker.stage.log == before, "a settled group writes nothing"
