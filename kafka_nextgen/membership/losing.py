"""Lose all partitions at once: after fencing, a fatal error, or a missed poll deadline.

Nothing of the partitions is handed out or committed from here on, for others may own them already (KIP-848,
"Fencing": the member "immediately gives up all its partitions"). ``on_partitions_lost`` tells the application;
revoking would invite it to commit. What it was told to give up before is not lost on top.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership.effects import ApplyAssignment, CallOnLost, Effect, StopFetching
from kafka_nextgen.membership.heartbeats import publish_epoch
from kafka_nextgen.membership.numbering import numbered
from kafka_nextgen.membership.state import NOT_A_MEMBER, NOTHING, MemberState, Outcome, by_name
from kafka_nextgen.membership.states import CALLBACK_RUNS, Phase

__all__ = ["ASSIGN_NOTHING", "abandon_all", "count_out", "stop_all"]

#: The application knows that all its partitions are gone.
ASSIGN_NOTHING = ApplyAssignment(frozenset(), (), frozenset())


def stop_all(state: MemberState) -> tuple[Effect, ...]:
    """Stop fetching everything that is fetched."""
    everything = by_name(state, state.owned | state.held)
    return (StopFetching(everything),) if everything else ()


def abandon_all(state: MemberState) -> Outcome:
    """Own nothing, and tell the application what it lost.

    The membership ends before its partitions do. So a commit that was asked for in it is refused for lack of a
    membership, and is not sent once more as the commit of a member that gives partitions up.

    The phase is IDLE afterwards if there is nothing to tell and no callback to wait for: one may be running for
    a reconciliation, and its partitions must not come back before it has returned. Callbacks run in the order
    of their effects, so that a loss is heard of only after that.
    """
    stop = stop_all(state)
    lost = tuple(sorted(by_name(state, state.held)))
    state, published = count_out(evolve(state, owned=NOTHING, held=NOTHING, target=None, goal=None))
    ended = (*published, *stop)
    if lost:
        state, number = numbered(state)
        state = evolve(state, phase=Phase.LOSING, waits_for=number)
        return state, (*ended, CallOnLost(number, lost))
    if state.phase in CALLBACK_RUNS:
        return state, ended
    emptied = (ASSIGN_NOTHING,) if stop else ()
    return evolve(state, phase=Phase.IDLE, waits_for=None), (*ended, *emptied)


def count_out(state: MemberState) -> Outcome:
    """Note that the member is out of the group, and stop its heartbeats."""
    state = evolve(
        state,
        member_epoch=NOT_A_MEMBER,
        in_flight=None,
        sent=None,
        instance_id_deadline=None,
        deadlines={},
    )
    return publish_epoch(state)
