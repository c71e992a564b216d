"""What a request to a classic group has to come to: a model of its own. Looked at before the outcome is in force:

- a heartbeat, SyncGroup or commit is accepted only of who has the instance id, is a member, and is in the generation
- who has an instance id of another member is told so
- a member that joins counts with what it offers
- a static member that comes back to a stable group has what the instance had, and takes the place of the former
- one that states a reason, and comes back to a stable group with other topics, rebalances it (an extension)
- who asks for its part gets what the leader gave it; so do those that waited
- a settled group that a member leaves rebalances, unless it was announced and others are yet to leave (``leaving``)

Looked at when a generation begins, when timers run out, and at the end:

- a member that did not join in time is out, unless it is static
- no session that is over ends a member that waits for the others
- a JoinGroup or SyncGroup that waits is one that the group knows of
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import decode_subscription
from kafka_nextgen.groups.extensions.records import Leaver
from kafka_nextgen.groups.leaving import LeaveGroup, LeaveGroupAnswer
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.requests import Heartbeat, JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import JoinGroupAnswer, Parked, SyncGroupAnswer
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.extensions.state import LEAVERS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import OffsetCommit, Request
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted
from kafka_nextgen.types import JoinReason

_SETTLED = (ClassicStatus.STABLE, ClassicStatus.COMPLETING_REBALANCE)


def asked(group: Group, request: Request, outcome: Outcome) -> Iterator[str]:
    """What is wrong with the outcome of a request, which is not in force yet."""
    before, after = group.classic, next(iter(outcome.classic), None)
    if before is None or after is None:
        return
    if isinstance(request, JoinGroup):
        yield from _joined(before, after, request, outcome)
    elif isinstance(request, SyncGroup):
        yield from _synced(before, request, outcome)
    elif isinstance(request, LeaveGroup) and isinstance(outcome.response, LeaveGroupAnswer):
        is_gone = before.members.keys() - after.members.keys()
        if is_gone and after.members and before.is_in(*_SETTLED) and after.is_in(*_SETTLED):
            if before.is_in(ClassicStatus.STABLE) and _others_are_to_leave(group, before, after):
                return
            yield f"{len(is_gone)} members leave a group that is {before.status.value}, and it does not rebalance"


def _others_are_to_leave(group: Group, before: ClassicGroup, after: ClassicGroup) -> bool:
    keys = {each.member_id: Leaver(each.member_id, each.instance_id, 0).key for each in before.in_order()}
    gone = {keys[each] for each in before.members.keys() - after.members.keys()}
    return gone <= LEAVERS.of(group).keys() and any(keys[each] in LEAVERS.of(group) for each in after.members)


def _joined(before: ClassicGroup, after: ClassicGroup, request: JoinGroup, outcome: Outcome) -> Iterator[str]:
    answer = outcome.response
    if not isinstance(answer, Parked) and getattr(answer, "error", None) is not ErrorCode.NONE:
        return
    member_id = request.member_id or request.new_member_id
    member = after.members.get(member_id)
    if member is None:
        return  # it is to wait for others that are expected
    if member.protocols != request.protocols:
        yield f"{member_id} joins, and does not count with what it offers"
    former = before.members.get(before.instances.get(request.instance_id or "", member_id))
    if former is not None and former.member_id != member_id:
        if former.member_id in after.members:
            yield f"{member_id} comes back, and {former.member_id} stays"
        if after.is_in(ClassicStatus.STABLE) and member.assignment != former.assignment:
            yield f"{member_id} comes back, and has not what the instance had"
        is_stated = request.join_reason is not JoinReason.UNKNOWN
        if is_stated and after.is_in(ClassicStatus.STABLE) and _topics(after, member) != _topics(after, former):
            yield f"{member_id} comes back with other topics, and the group does not rebalance"


def _topics(group: ClassicGroup, member: ClassicMember) -> frozenset[str]:
    return decode_subscription(member.metadata(group.protocol)).topics


def _synced(before: ClassicGroup, request: SyncGroup, outcome: Outcome) -> Iterator[str]:
    given = dict(request.assignments)
    syncs = {member.sync: member.member_id for member in before.in_order()} | {request.number: request.member_id}
    for number, answer in ((request.number, outcome.response), *outcome.released):
        if not isinstance(answer, SyncGroupAnswer) or answer.error is not ErrorCode.NONE:
            continue
        member_id = syncs[number]
        is_stable = before.is_in(ClassicStatus.STABLE)
        due = before.members[member_id].assignment if is_stable else given.get(member_id, b"")
        if answer.assignment != due:
            yield f"{member_id} is given another part than the leader's"


def in_force(group: Group, request: Request | None, outcome: Outcome) -> Iterator[str]:
    """What is wrong with an outcome that is in force."""
    classic = group.classic
    if classic is None or not outcome.released:
        return
    answers = (outcome.response, *(answer for _, answer in outcome.released))
    here = {each.member_id for each in answers if isinstance(each, JoinGroupAnswer) and each.error is ErrorCode.NONE}
    if here and classic.is_in(ClassicStatus.COMPLETING_REBALANCE):
        for member in classic.in_order():
            if member.instance_id is None and member.member_id not in here:
                yield f"{member.member_id} has not joined generation {classic.generation}, and counts as a member"
    if request is None:
        known = set() if group.classic_record is None else {each.member_id for each in group.classic_record.members}
        for _, answer in outcome.released:
            is_put_out = getattr(answer, "error", None) is ErrorCode.UNKNOWN_MEMBER_ID
            if is_put_out and (isinstance(answer, SyncGroupAnswer) or getattr(answer, "member_id", None) in known):
                yield "the session of a member that waits for the others ends"


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
