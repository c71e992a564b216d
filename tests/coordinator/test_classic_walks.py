"""Random walks of a classic group: members join, sync, fall silent, die, come back, say what is no longer so.

After every step the invariants hold, every request is answered at most once, and nobody of the group's generation has
another's partition. Once the disturbances end the group is stable, with everybody in it.
"""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.coordinator.classic_walk import CLIENTS, Walk, steps
from tests.coordinator.stage import Stage
from tests.coordinator.walk_steps import Step
from tests.support.examples import examples


@settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))
@given(st.sampled_from([3, 8, 9]), st.lists(steps, min_size=10, max_size=60))
def test_whatever_happens_the_invariants_hold_and_the_group_settles(version: int, walk: list[Step]) -> None:
    walker = Walk(Stage(), version)
    for name in CLIENTS[:3]:
        walker.start(name, ("range",))
    for each in walk:
        each(walker)
        walker.check()
    walker.settle()
