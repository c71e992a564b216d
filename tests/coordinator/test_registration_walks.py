"""Random walks as in ``test_walks``, of a group that expects members: they come, or not, or fall silent while they wait.

Whatever happens meanwhile, the invariants hold after every step, the log alone gives the same state, and in the end
nobody waits any more.
"""

from __future__ import annotations

from itertools import chain

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.coordinator.classic.requests import LeaveGroup, LeavingMember
from kafka_nextgen.coordinator.extensions.requests import AddMembers, ExpectedMember
from kafka_nextgen.coordinator.settings import CoordinatorSettings, Profile
from tests.coordinator.stage import GROUP, Stage
from tests.coordinator.test_walks import Step, Walk, disturbances, joins, rounds, step

LONGEST_MS = 30_000

instances = st.sampled_from(["one", "two", "three"])  # nobody comes but for the first
times_ms = st.sampled_from([0, 1_000, LONGEST_MS])


def announce(walk: Walk, names: frozenset[str], timeout_ms: int, session_timeout_ms: int) -> None:
    members = tuple(ExpectedMember(name, session_timeout_ms) for name in sorted(names))
    walk.stage.ask(AddMembers(GROUP, members, timeout_ms))


def take_out(walk: Walk, instance_id: str) -> None:
    walk.stage.ask(LeaveGroup(GROUP, (LeavingMember("", instance_id),)))


announcements = st.one_of(
    step(announce, st.frozensets(instances), times_ms, st.sampled_from([-1, 500])), step(take_out, instances)
)
walks = st.lists(st.tuples(joins, announcements, rounds, disturbances, rounds), min_size=3, max_size=12)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(Profile), st.sampled_from([0, 1000]), st.booleans(), walks)
def test_whatever_happens_to_those_who_are_expected_the_group_settles(
    profile: Profile, interval_ms: int, honest: bool, walk: list[tuple[Step, ...]]
) -> None:
    settings = CoordinatorSettings(
        profile=profile, group_consumer_assignment_interval_ms=interval_ms, extensions=True
    )
    walker = Walk(Stage(settings), honest)
    walker.grow("foo", 5)
    for take_step in chain.from_iterable(walk):
        take_step(walker)
        walker.check()
    walker.tick(LONGEST_MS / 1000)
    walker.settle()
    assert not walker.stage.group.places
