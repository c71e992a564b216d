"""Members that are announced to leave: a model of its own of when the others take over.

| rule | when it is looked at |
|---|---|
| while one is in the group and its time goes on, the group does not rebalance for others that leave as announced | \
before the outcome is in force |
| what is announced does not outlive its time | after all healed |

That nobody is waited for in vain is an invariant (``tests.verification.invariants.extensions``).
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.extensions.records import Leaver, StandbyMembers, StandbyMembersRemoved
from kafka_nextgen.groups.leaving import LeaveGroup
from kafka_nextgen.testing.coordinator.admission import LEAVE_TEMPORARILY
from kafka_nextgen.testing.coordinator.classic.group import ClassicStatus
from kafka_nextgen.testing.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.testing.coordinator.extensions.state import LEAVERS, STANDBYS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, Request

#: Where these are written, the group may rebalance for another reason.
_OTHER_REASONS = (r.RegularExpression, r.ClassicGroupMetadata, StandbyMembers, StandbyMembersRemoved)


def asked(
    coordinator: Coordinator, group: Group, request: Request | None, outcome: Outcome, now: float
) -> Iterator[str]:
    """What is wrong with an outcome of a request, or of timers that ran out."""
    leavers = LEAVERS.of(group)
    if not leavers or not _is_leave(request):
        return
    gone = _gone(group, outcome)
    awaited = [each for each in leavers.values() if _is_awaited(group, each, gone, now)]
    if not gone or not gone.keys() <= leavers.keys() or not awaited:
        return
    if any(each.until_ms < 1000 * now + 1 for each in leavers.values()):
        return  # the time of one that has left is over
    leaving = f"{min(gone.values())} leaves as announced, {awaited[0].name} is yet to leave"
    if group.classic is not None:
        after = next(iter(outcome.classic), group.classic)
        if group.classic.is_in(ClassicStatus.STABLE) and not after.is_in(ClassicStatus.STABLE):
            yield f"{leaving}, and the group rebalances"
    elif group.checked_topics_version == coordinator.topics.version and _raises_epoch(group, outcome):
        yield f"{leaving}, and the group epoch rises"


def _is_leave(request: Request | None) -> bool:
    if isinstance(request, ConsumerGroupHeartbeat):
        return request.member_epoch < 0
    return request is None or isinstance(request, LeaveGroup)


def _gone(group: Group, outcome: Outcome) -> dict[tuple[str, str | None], str]:
    """The keys of the members that are no longer in the group, each with its member id."""
    if group.classic is not None:
        after = next(iter(outcome.classic), group.classic)
        left = [each for each in group.classic.in_order() if each.member_id not in after.members]
        return {Leaver(each.member_id, each.instance_id, 0).key: each.member_id for each in left}
    removed = {each.member_id for each in outcome.records if isinstance(each, r.MemberMetadataRemoved)}
    return {Leaver(each, group.members[each].instance_id, 0).key: each for each in removed & group.members.keys()}


def _is_awaited(group: Group, leaver: Leaver, gone: dict[tuple[str, str | None], str], now: float) -> bool:
    """Whether the member is in the group, has partitions to leave to others, and its time goes on."""
    if leaver.key in gone:
        return False
    if group.classic is not None:
        classic = group.classic
        return leaver.name in classic.instances or leaver.name in classic.members
    member_id = group.instances.get(leaver.name, leaver.name)
    waits = member_id in group.hooks.members_waiting(group) or member_id in STANDBYS.of(group)
    return member_id in group.members and group.current(member_id).member_epoch != LEAVE_TEMPORARILY and not waits


def _raises_epoch(group: Group, outcome: Outcome) -> bool:
    raised = [each for each in outcome.records if isinstance(each, r.GroupMetadata) and each.epoch > group.epoch]
    return bool(raised) and not any(isinstance(each, _OTHER_REASONS) for each in outcome.records)


def left_over(group: Group) -> Iterator[str]:
    """What is announced still, long after all times are over."""
    yield from (f"{each.name} is still announced to leave after all healed" for each in LEAVERS.of(group).values())
