"""A member that is new to a classic group, whose first JoinGroup is parked until the next generation.

It sends no heartbeats yet, so the coordinator can't tell whether it is alive, and limits the wait.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.coordinator.classic.group import ClassicMember
from kafka_nextgen.coordinator.classic.requests import JoinGroup
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.timers import TimerKind

__all__ = ["add_member"]

#: How long a new member's first join may be parked before the member is given up.
_NEW_MEMBER_TIMEOUT_S = 300.0


def add_member(draft: Draft, request: JoinGroup, member_id: str) -> None:
    """Add the member. The caller makes the group rebalance."""
    member = ClassicMember(
        member_id=member_id,
        instance_id=request.instance_id,
        client_id=request.client_id,
        client_host=request.client_host,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        session_timeout_ms=request.session_timeout_ms,
        protocols=request.protocols,
        is_new=True,
        join=request.number,
    )
    group = draft.classic
    if group.initial_wait is not None:
        group = evolve(group, initial_wait=evolve(group.initial_wait, somebody_came=True))
    if not group.members:
        group = evolve(group, protocol_type=request.protocol_type)
    draft.group.classic = group.with_member(member)
    draft.arm(TimerKind.SESSION, member_id, _NEW_MEMBER_TIMEOUT_S)
