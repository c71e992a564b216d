"""Lose all partitions immediately: after fencing, a fatal error, or a missed poll deadline (KIP-848, "Fencing",
"Fenced").

From then on, no record of the partitions is handed over or committed, because others may already own them: the member
"immediately gives up all its partitions". The application gets ``on_partitions_lost``, because
``on_partitions_revoked`` would make it commit. Partitions for which ``on_partitions_revoked`` has been called are not
reported again as lost.

A fenced member joins again with the same member id and epoch 0, but only after ``on_partitions_lost``: the application
must not get a partition back while it is still working on it. After a fatal error nothing more is sent.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership import joining
from kafka_nextgen.membership.any_member import report_loss, stop_fetching
from kafka_nextgen.membership.effects import RaiseToApplication
from kafka_nextgen.membership.heartbeats import publish_epoch
from kafka_nextgen.membership.settings import MemberContext
from kafka_nextgen.membership.state import NOT_A_MEMBER, NOTHING, MemberState, Outcome
from kafka_nextgen.membership.states import Phase, Status

__all__ = ["abandon_all", "be_fenced", "count_out", "fail_for_good"]


def abandon_all(state: MemberState) -> Outcome:
    """Drop all partitions and report the loss.

    The membership ends before its partitions are given up. So a commit from that membership fails because the
    membership has ended. It is not sent again as a commit for partitions that are being given up.
    """
    stop, lost = stop_fetching(state, state.owned | state.held), state.held
    state, published = count_out(evolve(state, owned=NOTHING, held=NOTHING, target=None, goal=None))
    return report_loss(state, lost, (*published, *stop), had_any=bool(stop))


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


def be_fenced(state: MemberState, at: MemberContext) -> Outcome:
    """Abandon everything and join again, immediately if nothing was lost."""
    state, effects = abandon_all(state)
    if state.phase is Phase.IDLE:
        return joining.join(state, at), effects
    return evolve(state, status=Status.FENCED), effects


def fail_for_good(state: MemberState, error: RaiseToApplication) -> Outcome:
    """Abandon everything and raise the fatal error from ``poll``."""
    state, effects = abandon_all(state)
    return evolve(state, status=Status.FATAL), (error, *effects)
