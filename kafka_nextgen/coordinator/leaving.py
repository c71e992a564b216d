"""A heartbeat that leaves the group: epoch -1 for good, -2 temporarily.

A leave is accepted at any member epoch. A static member's -1 is for good as well (KIP-1092). The answer repeats the
epoch and asks for no further heartbeat.
"""

from __future__ import annotations

from kafka_nextgen.coordinator.cause import Cause
from kafka_nextgen.coordinator.draft import Draft, Outcome, refused
from kafka_nextgen.coordinator.fencing import refuse_leave
from kafka_nextgen.coordinator.removal import remove_members
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.coordinator.static_members import leave_for_a_while
from kafka_nextgen.coordinator.validation import LEAVE_FOR_A_WHILE
from kafka_nextgen.types import RebalanceReason

__all__ = ["leave"]


def leave(draft: Draft, request: ConsumerGroupHeartbeat) -> Outcome:
    """Handle a leave."""
    if refusal := refuse_leave(request, draft.group, draft.settings):
        return refused(refusal)
    if request.member_epoch == LEAVE_FOR_A_WHILE:
        leave_for_a_while(draft, request.member_id)
    else:
        cause = Cause(RebalanceReason.MEMBER_LEFT, request.member_id, request.instance_id)
        remove_members(draft, [request.member_id], cause, for_good=True)
    return draft.outcome(ConsumerGroupHeartbeatAnswer(member_id=request.member_id, member_epoch=request.member_epoch))
