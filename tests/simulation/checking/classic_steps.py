"""What a request to a classic group has to come to: a model of its own, beside ``classic_answers``.

| rule | when it is looked at |
|---|---|
| a member that joins counts with what it offers | before the outcome is in force |
| a static member that comes back to a stable group has what the instance had, and takes the place of the former | the \
same |
| who asks for its part gets what the leader gave it; so do those that waited | the same |
| a settled group that a member leaves rebalances | the same |
| a member that did not join in time is out, unless it is static | when a generation begins |
| no session that is over ends a member that waits for the others | when timers run out |
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.group import ClassicGroup, ClassicStatus
from kafka_nextgen.coordinator.classic.requests import JoinGroup, LeaveGroup, SyncGroup
from kafka_nextgen.coordinator.classic.responses import JoinGroupAnswer, LeaveGroupAnswer, Parked, SyncGroupAnswer
from kafka_nextgen.coordinator.coordinator import Outcome
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.requests import Request

__all__ = ["asked", "in_force"]

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
            yield f"{len(is_gone)} members leave a group that is {before.status.value}, and it does not rebalance"


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
