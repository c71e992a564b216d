"""Random walks of members that compute their group's assignment.

They come and go, say this and that, fall silent in the midst of it, make nonsense of it or install it unasked, and
coordinators fail over. Once everybody does what it is told, there is a target, made by a member if all have an assignor
in common, else by the coordinator.
"""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.testing.coordinator.describe import state_of
from kafka_nextgen.testing.coordinator.extensions.assignor_selection import common_assignor
from tests.support.examples import examples
from tests.verification.scenario_language.walking import PairWalk

STEPS = [
    *["tick 5s", "settle"] * 8,
    *["tick 500ms", "tick 11s", "tick 46s", "coordinator restart", "recreate foo 3", "recreate foo 5"],
    *[
        step.replace("A", name)
        for name in "ABCDE"
        for step in (
            *["subscribe A foo", "slow A assignor", "quick A assignor", "answer A assignor"] * 2,
            *["answer A assignor error=boom", "computed A A=foo[0-2]", "computed A X=foo[0]"],
            *["say A this v1:x", "say A this v0:y/r1", "say A that v1", "unsubscribe A", "crash A", "restart A"],
            *["hold A->coordinator", "hold coordinator->A", "release A->coordinator coordinator->A"],
            *["drop A->coordinator", "drop coordinator->A", "leave A", "prepare A epoch=1", "install A B=-"],
        )
    ],
]
WORDS = st.sampled_from(["v0/0-1", "v1/0-1", "v2/1-2", "v1/-1-2"])


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(["4.0", "4.3"]),
    st.sampled_from(["0s", "1s"]),
    st.tuples(*[WORDS] * 4),
    st.lists(st.sampled_from(STEPS), min_size=10, max_size=60),
)
def test_whoever_computes_and_fails_the_group_comes_to_a_target(
    profile: str, interval: str, words: tuple[str, ...], steps: list[str]
) -> None:
    walk = PairWalk(
        f"settings extensions=on profile={profile} assignment_interval={interval}; topic foo 3",
        *(f"member {name} local=this said={word}" for name, word in zip("AB", words, strict=False)),
        *(
            f"member {name} local=this that said={word} instance=one"
            for name, word in zip("CD", words[2:], strict=True)
        ),
        "member E; subscribe A foo; subscribe B foo; tick 5s",
    )
    for step in steps:
        walk.take(step)
    for name in "ABCDE":
        walk.do(f"quick {name} assignor; release {name}->coordinator coordinator->{name}")
    for word in ("hear", "me"):
        for name in "ABCD":
            walk.take(f"say {name} this v1:{word}")
        walk.do("tick 2m")
    group = walk.world.host.group
    assert state_of(group) in ("Stable", "Empty")
    assert not group.members or group.client_assignor == common_assignor(group, walk.world.host.settings)
