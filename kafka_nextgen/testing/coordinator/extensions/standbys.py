"""Hot standby: a group has a target size, and members beyond it stand by (KIP-345, "Future Works").

At most ``group.target.size`` members are *active*. A further member is a *standby*: it joins, sends heartbeats, owns
nothing, and assignments leave it out. Standbys have an order, in which they take over. A standby may say that it is
loading: then it takes over only if no other is ready. One that does not say counts as ready.

| event | effect |
|---|---|
| a member joins, and there are enough active ones | it stands by; the group epoch does not change |
| an active member leaves, is removed, or its session ends | the first standby that is ready takes over from it, or \
the first one if none is |
| an active static member leaves temporarily | the same; its instance stands by when it comes back |
| a member joins while a static member that no standby replaced is away | it takes over from that member |
| the target size is raised | the first standbys become active, ready ones before others |
| the target size is lowered | the active members with the fewest partitions become standbys, ahead of the others |
| the target size is removed, or the group converts to the classic protocol | all members are active |
| the coordinator fails over | standbys, their order, and who is loading are kept |

A standby that takes over gets its predecessor's target, so no other partition moves. If it subscribes to the same
topics, and nothing else changed, that is the group's next target, regardless of the assignor in use. Otherwise the
group's assignor makes the next target. In both cases the group does not wait for the assignment interval (KIP-1263).

``standby_changes`` decides which members change places; ``standby_answers`` has the information for standbys.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from attrs import evolve

from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.extensions.records import StandbyMembers, StandbyMembersRemoved
from kafka_nextgen.groups.records import MemberMetadata, TargetAssignmentMember, TargetAssignmentMetadata
from kafka_nextgen.groups.topic_partitions import NOTHING
from kafka_nextgen.testing.coordinator.admission import JOIN
from kafka_nextgen.testing.coordinator.classic.rebalance import rebalance_or_complete_join
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions.leaving.leavers import gone
from kafka_nextgen.testing.coordinator.extensions.registration.slots import waiting
from kafka_nextgen.testing.coordinator.extensions.standby_changes import (
    StandbyChange,
    Swap,
    is_away,
    is_settled,
    plan_change,
)
from kafka_nextgen.testing.coordinator.extensions.state import COMPUTING, LOADING, STANDBYS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.subscriptions import advance_epoch
from kafka_nextgen.testing.coordinator.topics import NamedTopics
from kafka_nextgen.types import RebalanceReason, StandbyState

__all__ = [
    "clear_targets",
    "instance_came_back",
    "replace_absent",
    "replace_leaving",
    "settle",
    "stands_by",
    "takes_over",
    "uncounted",
]


def uncounted(group: Group) -> Collection[str]:
    """The members that assignments leave out: those that wait for expected instances, and standbys."""
    return (*waiting(group), *STANDBYS.of(group))


# ---- what happens to the group


def stands_by(draft: Draft, member: MemberMetadata, stated: StandbyState) -> bool:
    """Whether the member stands by, or its request makes members change places. The group epoch is then up to date.

    ``stated`` is what the request says of the member's readiness.
    """
    queue, is_new = STANDBYS.of(draft.group), member.member_id not in draft.group.currents
    if not queue and not _target_size(draft):
        return False
    is_back = member.member_id in queue and draft.group.current(member.member_id).member_epoch == JOIN
    loading = _loading_with(draft.group, member.member_id, stated)
    if not is_new and not is_back and is_settled(draft.group, _target_size(draft)):
        _keep(draft, queue, loading)
        return _is_left_out(draft, member)
    change = _change_places(draft, (*queue, member.member_id) if is_new else queue, loading=loading)
    if change.is_empty or change == StandbyChange(queue, activated=(member.member_id,)):
        return _is_left_out(draft, member)
    cause = Cause(RebalanceReason.ADMIN)
    if is_new:
        cause = Cause(RebalanceReason.MEMBER_JOINED, member.member_id, member.instance_id)
    advance_epoch(draft, evolve(cause, text=str(change)))
    return True


def _loading_with(group: Group, member_id: str, stated: StandbyState) -> frozenset[str]:
    """The standbys that are loading, given the state in this member's heartbeat."""
    loading = LOADING.of(group)
    if stated is StandbyState.LOADING:
        return loading | {member_id}
    return loading - {member_id} if stated is StandbyState.READY else loading


def _is_left_out(draft: Draft, member: MemberMetadata) -> bool:
    if member.member_id not in STANDBYS.of(draft.group):
        return False
    cause = Cause(RebalanceReason.MIGRATION, member.member_id, member.instance_id)
    advance_epoch(draft, cause if _has_classic_target(draft.group) else None)
    return True


def _has_classic_target(group: Group) -> bool:
    """Whether the target is still that of the former classic group, whose leader may have left out partitions."""
    return group.assignment_timestamp_ms == 0 and group.assignment_epoch >= group.epoch


def settle(draft: Draft) -> None:
    """The group or its target size changed: standbys become active, or active members stand by."""
    if draft.group.classic is not None:
        _activate_in_classic(draft)
    else:
        change = _change_places(draft, STANDBYS.of(draft.group))
        if not change.is_empty:
            advance_epoch(draft, Cause(RebalanceReason.ADMIN, text=str(change)))


def replace_leaving(draft: Draft, members: Sequence[MemberMetadata], cause: Cause | None) -> Cause | None:
    """Let standbys take over from members that are about to be removed; return the cause, which mentions it."""
    leaving = [member.member_id for member in members]
    if cause is None:  # the epoch does not change; ``settle`` raises it if others change places
        _keep(draft, tuple(each for each in STANDBYS.of(draft.group) if each not in leaving))
        return None
    change = _change_places(draft, STANDBYS.of(draft.group), leaving)
    return evolve(cause, text=", ".join(filter(None, (cause.text, str(change)))))


def replace_absent(draft: Draft, member: MemberMetadata) -> None:
    """Let a standby take over from a static member that left temporarily. The member stands by from now on."""
    change = _change_places(draft, STANDBYS.of(draft.group))
    if not change.is_empty:
        cause = Cause(RebalanceReason.MEMBER_LEFT, member.member_id, member.instance_id, text=str(change))
        advance_epoch(draft, cause)


def instance_came_back(draft: Draft, former_id: str, member_id: str) -> None:
    """A static member that stands by has a new member id."""
    queue = STANDBYS.of(draft.group)
    _keep(draft, tuple(member_id if each == former_id else each for each in queue))


def _activate_in_classic(draft: Draft) -> None:
    """The group has become a classic one, which has no standbys. It rebalances, so that they get partitions."""
    queue = STANDBYS.of(draft.group)
    if queue:
        _keep(draft, ())
        text = f"it was a consumer group, in which {', '.join(queue)} stood by"
        rebalance_or_complete_join(draft, Cause(RebalanceReason.MIGRATION, text=text))


def takes_over(draft: Draft) -> bool:
    """Use the former target, with standbys in place of their predecessors, if it is due; return whether it was."""
    group, computing = draft.group, COMPUTING.of(draft.group)
    if computing.taken_over_at != group.epoch:
        return False
    COMPUTING.put(group, evolve(computing, is_urgent=False, taken_over_at=-1))
    draft.write(
        TargetAssignmentMetadata(
            group.group_id, group.epoch, draft.now_ms, assignor=group.client_assignor, error=group.assignment_error
        )
    )
    draft.hooks.assignment_made(draft)
    return True


def clear_targets(draft: Draft) -> None:
    """A new target assignment was made: standbys that were active before have none from now on."""
    for member_id in STANDBYS.of(draft.group):
        if draft.group.target(member_id):
            draft.write(TargetAssignmentMember(draft.group.group_id, member_id, NOTHING, None))


# ---- how members change places


def _change_places(
    draft: Draft, queue: Sequence[str], leaving: Collection[str] = (), loading: frozenset[str] | None = None
) -> StandbyChange:
    """Write who changes places. The caller raises the group epoch, and removes members that leave."""
    change = plan_change(draft.group, _target_size(draft), queue, leaving, loading)
    if change.swaps:
        _take_over(draft, change, leaving)
    for member_id in (*(swap.predecessor for swap in change.swaps), *change.sidelined):
        if is_away(draft.group, member_id):
            _take_partitions(draft, member_id)
    _keep(draft, change.queue, loading)
    return change


def _take_over(draft: Draft, change: StandbyChange, leaving: Collection[str]) -> None:
    group = draft.group
    unreplaced = set(leaving) - set(uncounted(group)) - {swap.predecessor for swap in change.swaps}
    is_whole_change = not (change.activated or change.sidelined or unreplaced) and _is_target_up_to_date(draft)
    is_whole_target = is_whole_change and all(_subscribe_alike(group, swap) for swap in change.swaps)
    taken_over_at = group.epoch + 1 if is_whole_target else -1
    COMPUTING.put(group, evolve(COMPUTING.of(group), is_urgent=True, taken_over_at=taken_over_at))
    for swap in change.swaps:
        _give_target(draft, swap)


def _target_size(draft: Draft) -> int:
    """How many members are active; 0 if all are."""
    return draft.settings.group_target_size if draft.settings.extensions else 0


def _is_target_up_to_date(draft: Draft) -> bool:
    group = draft.group
    topics_hash = draft.topics.metadata_hash(group.counted_topics())
    is_latest = group.epoch in (group.assignment_epoch, COMPUTING.of(group).taken_over_at)
    is_whole = not gone(group) and not _has_classic_target(group)
    return is_latest and topics_hash == group.metadata_hash and is_whole


def _subscribe_alike(group: Group, swap: Swap) -> bool:
    predecessor, successor = group.members[swap.predecessor], group.members[swap.successor]
    return group.topics_of(predecessor) == group.topics_of(successor)


def _give_target(draft: Draft, swap: Swap) -> None:
    """Give the successor its predecessor's target, except for topics to which it does not subscribe.

    A successor that was active until now still has its own target, and keeps it until the next one.
    """
    group = draft.group
    if group.target(swap.successor):
        return
    subscribed = NamedTopics(group.topics_of(group.members[swap.successor]), draft.topics)
    target = group.target(swap.predecessor)
    if any(topic_id not in subscribed for topic_id in target):
        target = {topic_id: numbers for topic_id, numbers in target.items() if topic_id in subscribed}
    metadata = group.target_metadata.get(swap.predecessor)
    draft.write(TargetAssignmentMember(group.group_id, swap.successor, target, metadata))


def _take_partitions(draft: Draft, member_id: str) -> None:
    """A member that is away has closed, so its partitions are free immediately."""
    group = draft.group
    if group.target(member_id):
        draft.write(TargetAssignmentMember(group.group_id, member_id, NOTHING, None))
    if group.current(member_id).assigned:
        draft.write(evolve(group.current(member_id), assigned=()))


def _keep(draft: Draft, queue: tuple[str, ...], loading: frozenset[str] | None = None) -> None:
    """Write the queue, and which of its members are loading, if either has changed."""
    group = draft.group
    before = LOADING.of(group)
    loading = before if loading is None else loading
    if queue is STANDBYS.of(group) and loading is before:
        return  # each heartbeat comes here, so this must not depend on the number of standbys
    loading = loading.intersection(queue)
    if queue != STANDBYS.of(group) or loading != before:
        in_order = tuple(member_id for member_id in queue if member_id in loading)
        record = StandbyMembers(group.group_id, queue, in_order) if queue else StandbyMembersRemoved(group.group_id)
        draft.write(record)
