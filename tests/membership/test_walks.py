"""Random walks of a member beside a peer, in the pair world of scenarios, each step in their language.

After every step all holds that is watched there. Once the faults stop, the member has what its coordinator says.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.membership.states import Status
from tests.support.examples import examples
from tests.verification.scenario_language.walking import PairWalk

WELL = "quick me assign revoke lose commit topics; release me->coordinator coordinator->me; poll me; tick 5s"
STUCK = "slow me assign revoke lose commit topics; hold me->coordinator coordinator->me; pause-poll me"
REFUSED = "answer me heartbeat error="

#: Most steps are ordinary ones, so that a walk gets far; each disturbance then meets another moment.
STEPS = [
    *[f"{WELL}; {STUCK}"] * 4,
    *["deliver me->coordinator", "deliver coordinator->me", "poll me; pause-poll me", "settle"] * 4,
    *["answer me assign", "answer me revoke", "answer me lose", "answer me commit", "answer me topics"] * 3,
    *["answer me assign error=disk", "answer me revoke error=disk", "answer me lose error=disk"],
    *["answer me commit error=disk", "answer me topics orders"],
    *["tick 50ms", "tick 200ms", "tick 2s", "tick 6s", "tick 6s"],
    *["drop me->coordinator", "drop coordinator->me", "coordinator restart"],
    *[REFUSED + code for code in ("NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS")],
    *[REFUSED + code for code in ("TOPIC_AUTHORIZATION_FAILED", "FENCED_MEMBER_EPOCH", "UNKNOWN_MEMBER_ID")],
    REFUSED + "GROUP_AUTHORIZATION_FAILED",
    *["subscribe me orders", "subscribe me orders audit", "unsubscribe me"],
    *["subscribe peer orders", "subscribe peer orders audit", "unsubscribe peer"] * 2,
    *["recreate orders 3", "tick 46s", "tick 400s"],
]


def check_end(walk: PairWalk) -> None:
    client, group = walk.world.clients["me"], walk.world.host.group
    assert client.member is not None
    if client.watch.failed:
        assert client.member.status is Status.FATAL
    elif client.subscription is None:
        assert client.member.status is Status.UNSUBSCRIBED
    else:
        assert client.member.status is Status.STABLE
        current = group.current(client.member.member_id)
        assert client.member.state.owned == {partition for partition, _ in current.assigned}
        assert client.member.member_epoch == group.epoch == client.watch.published_epoch
    assert client.watch.told == client.watch.done == client.watch.applied == client.member.owned


@settings(max_examples=examples(150))
@given(
    st.sampled_from(["auto", "manual"]),
    st.sampled_from(["", " instance=one"]),
    st.lists(st.sampled_from(STEPS), min_size=10, max_size=60),
)
def test_whatever_happens_a_member_comes_to_its_target(commit: str, instance: str, steps: list[str]) -> None:
    members = f"member me commit={commit}{instance}; member peer"
    walk = PairWalk("topic orders 3; topic audit 2", members, "subscribe me orders", STUCK)
    for step in steps:
        walk.take(step)
    walk.do(f"{WELL}; tick 3m")
    check_end(walk)
    assert "epoch=" not in walk.do("tick 50s"), "a group that has settled is quiet"
    assert "me left" in walk.do("close me leave=leave; settle")
    watch = walk.world.clients["me"].watch
    assert (watch.told, watch.applied, watch.published_epoch) == (frozenset(), frozenset(), -1)
