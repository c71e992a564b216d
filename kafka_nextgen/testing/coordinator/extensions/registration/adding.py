"""AddMembers: pre-register instances and keep a slot for each, so that all of them cost the group one rebalance (the
batched join that KIP-345 proposes in "Future Works", with timeouts and an assignor for each member, and a result for
each).

What must hold for the request:

| what must hold | else |
|---|---|
| this coordinator has extensions | UNSUPPORTED_VERSION |
| the group id is not empty | INVALID_GROUP_ID |
| the waiting time is not negative, and an instance is named if it is above 0 | INVALID_REQUEST |

What must hold for each instance, checked separately, from top to bottom:

| what must hold | else |
|---|---|
| the instance id is not empty | INVALID_REQUEST |
| each timeout is above 0, or -1 for none | INVALID_SESSION_TIMEOUT, INVALID_REQUEST |
| the assignor is one of this coordinator's | UNSUPPORTED_ASSIGNOR |
| no member has the instance id, even one that left temporarily | UNRELEASED_INSTANCE_ID |
| the group has room, counting its slots | GROUP_MAX_SIZE_REACHED |

A slot is kept for the time in the request, or for the member's session timeout if that is shorter. A later request for
the same instance replaces the slot, even if the instance has joined and waits. A new group is an empty consumer group
with slots, until a member joins with the classic protocol.

A waiting time of 0 removes slots: the named ones, or all if none is named. Missing instances are dropped, and waiting
members count immediately.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.extensions.adding import AddMembers, ExpectedMember, MembersAdded
from kafka_nextgen.groups.extensions.records import Slot
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.extensions.registration.slots import (
    begin_group,
    has_come,
    keep_slots,
    seats_kept,
)
from kafka_nextgen.testing.coordinator.extensions.registration.waiting import let_in, settle
from kafka_nextgen.testing.coordinator.extensions.state import SLOTS

__all__ = ["add_members"]

#: An error code, and what is wrong.
_Result = tuple[ErrorCode, str | None]

_FINE: _Result = (ErrorCode.NONE, None)
_UNKNOWN: _Result = (ErrorCode.UNKNOWN_MEMBER_ID, "it is not expected")
_NOT_STATED = -1


def add_members(draft: Draft, request: AddMembers) -> Outcome:
    """Keep slots for these instances, or remove them."""
    error, message = _refusal(draft, request)
    if error:
        return Outcome(MembersAdded(error, message))
    serve = _keep if request.timeout_ms else _give_up
    return draft.outcome(MembersAdded(results=serve(draft, request)))


def _refusal(draft: Draft, request: AddMembers) -> _Result:
    if not draft.settings.extensions:
        return ErrorCode.UNSUPPORTED_VERSION, "this coordinator keeps no slots: its extensions are off"
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID, "GroupId is empty"
    if request.timeout_ms < 0:
        return ErrorCode.INVALID_REQUEST, "TimeoutMs is negative; 0 removes expected members"
    if request.timeout_ms > 0 and not request.members:
        return ErrorCode.INVALID_REQUEST, "Members is empty; name the expected members"
    return _FINE


def _keep(draft: Draft, request: AddMembers) -> dict[str, _Result]:
    results: dict[str, _Result] = {}
    slots = dict(SLOTS.of(draft.group))
    for member in request.members:
        results[member.instance_id] = result = _judge(draft, member, len(slots.keys() - SLOTS.of(draft.group).keys()))
        if result[0] is ErrorCode.NONE:
            slots[member.instance_id] = _slot(draft, member, request.timeout_ms)
    if slots:
        begin_group(draft)
    keep_slots(draft, slots.values())
    settle(draft)
    return results


def _slot(draft: Draft, member: ExpectedMember, timeout_ms: int) -> Slot:
    own_ms = timeout_ms if member.session_timeout_ms == _NOT_STATED else member.session_timeout_ms
    until_ms = draft.now_ms + min(timeout_ms, own_ms)
    return Slot(member.instance_id, until_ms, member.rebalance_timeout_ms, member.assignor)


def _judge(draft: Draft, member: ExpectedMember, num_new: int) -> _Result:
    names = [assignor.name for assignor in draft.settings.group_consumer_assignors]
    if not member.instance_id:
        return ErrorCode.INVALID_REQUEST, "InstanceId is empty"
    if member.session_timeout_ms != _NOT_STATED and member.session_timeout_ms < 1:
        return ErrorCode.INVALID_SESSION_TIMEOUT, "SessionTimeoutMs must be above 0, or -1 to leave it out"
    if member.rebalance_timeout_ms != _NOT_STATED and member.rebalance_timeout_ms < 1:
        return ErrorCode.INVALID_REQUEST, "RebalanceTimeoutMs must be above 0, or -1 to leave it out"
    if member.assignor is not None and member.assignor not in names:
        message = f"{member.assignor!r} is not one of this coordinator's assignors: {', '.join(names)}"
        return ErrorCode.UNSUPPORTED_ASSIGNOR, message
    is_expected = member.instance_id in SLOTS.of(draft.group)
    return _FINE if is_expected else _judge_new(draft, member.instance_id, num_new)


def _judge_new(draft: Draft, instance_id: str, num_new: int) -> _Result:
    """Whether a slot can be kept for another instance; ``num_new`` come from the same request."""
    group, settings = draft.group, draft.settings
    if has_come(group, instance_id):
        return ErrorCode.UNRELEASED_INSTANCE_ID, "it is already a member of the group"
    members = group.members if group.classic is None else group.classic.members
    most = settings.group_max_size if group.classic is not None else settings.group_consumer_max_size
    if len(members) + seats_kept(group, instance_id) + num_new >= most:
        return ErrorCode.GROUP_MAX_SIZE_REACHED, f"the group is full: it has or expects {most} members"
    return _FINE


def _give_up(draft: Draft, request: AddMembers) -> dict[str, _Result]:
    slots = SLOTS.of(draft.group)
    named = dict.fromkeys([member.instance_id for member in request.members] or slots)
    results = {name: _FINE if name in slots else _UNKNOWN for name in named}
    let_in(draft, named.keys())
    settle(draft)
    return results
