"""Whose requests of the classic protocol a coordinator may accept, and which it still has to answer.

| rule | when it is looked at |
|---|---|
| a heartbeat, SyncGroup or commit is accepted only of who has the instance id, is a member, and is in the generation \
| before its outcome is in force |
| who has an instance id of another member is told so | the same |
| a JoinGroup or SyncGroup that waits is one that the group knows of | at the end |
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.requests import Heartbeat, JoinGroup, SyncGroup
from kafka_nextgen.coordinator.classic.responses import Parked
from kafka_nextgen.coordinator.coordinator import Outcome
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.requests import OffsetCommit, Request
from kafka_nextgen.coordinator.responses import OffsetsCommitted

__all__ = ["accepted", "fenced", "left_waiting"]

_FENCED = (ErrorCode.FENCED_INSTANCE_ID, ErrorCode.GROUP_MAX_SIZE_REACHED, ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
_ACCEPTED = (ErrorCode.NONE, ErrorCode.REBALANCE_IN_PROGRESS)


def accepted(group: Group, request: Request, outcome: Outcome) -> Iterator[str]:
    """What is wrong with a request that was accepted."""
    if not isinstance(request, Heartbeat | SyncGroup | OffsetCommit) or not _is_accepted(outcome):
        return
    if isinstance(request, OffsetCommit) and (group.classic is None or not group.classic.members):
        return  # of a consumer group there is a model of its own, and in an empty one anybody may commit
    generation = request.member_epoch if isinstance(request, OffsetCommit) else request.generation
    who = f"a {type(request).__name__} of {request.member_id} at {generation} is accepted, and"
    instances, members = (
        (group.instances, group.members) if group.classic is None else (group.classic.instances, group.classic.members)
    )
    if request.instance_id is not None and instances.get(request.instance_id) != request.member_id:
        yield f"{who} {request.instance_id} is not its instance id"
    elif request.member_id not in members:
        yield f"{who} it is no member"
    elif generation != (group.current(request.member_id).member_epoch if group.classic is None else _at(group)):
        yield f"{who} that is not its generation"


def fenced(group: Group, request: Request, outcome: Outcome) -> Iterator[str]:
    """Whether the former holder of an instance id learns that another process has taken its place."""
    if not isinstance(request, Heartbeat | SyncGroup | JoinGroup) or not request.member_id:
        return
    instances = group.instances if group.classic is None else group.classic.instances
    holder = instances.get(request.instance_id or "", request.member_id)
    error = getattr(outcome.response, "error", ErrorCode.NONE)
    if holder != request.member_id and error not in _FENCED:
        yield f"{request.member_id} has the instance id of {holder}, and is answered {error.name}"


def _at(group: Group) -> int:
    assert group.classic is not None, "it is a classic group"
    return group.classic.generation


def _is_accepted(outcome: Outcome) -> bool:
    answer = outcome.response
    if isinstance(answer, OffsetsCommitted):
        return ErrorCode.NONE in answer.errors.values()
    return isinstance(answer, Parked) or getattr(answer, "error", None) in _ACCEPTED


def left_waiting(group: Group, parked: Set[int]) -> Iterator[str]:
    """Requests that are parked, and that nothing will answer."""
    if not parked:
        return
    classic = group.classic
    members = [] if classic is None else list(classic.in_order())
    known = {number for member in members for number in (member.join, member.sync)}
    held = set() if classic is None else {request.number for request in classic.held.values()}
    if left := parked - known - held:
        yield f"{len(left)} requests are parked, and the group knows nothing of them"
