"""Reconcile one member from its current assignment to its target: the core of the protocol, as set algebra.

A member gets a partition only after the former owner has released it or was removed (``removal``); a returning static
instance inherits those of its former member (``static_members``). Every member moves on its own (KIP-848, "Member Epoch
- Reconciliation of the group"). With the current (``assigned``) and the target assignment (``target``)::

    keep   = assigned & target
    revoke = assigned - keep
    wanted = target - keep
    grant = those of wanted that no other member owns or still has to revoke

``_advance`` has two results:

* ``revoke`` is not empty, and the request has not shown that the member released it: the member keeps its *epoch*, gets
  ``keep`` alone, and is UNREVOKED until it acknowledges. It acknowledges by reporting owned partitions without
  ``revoke``.
* Otherwise the member goes to the target's epoch with ``keep`` and ``grant``. It is STABLE if that is its whole target,
  else UNRELEASED: it waits for other members. ``grant`` may be empty.

The step depends on the member's status:

| status | the request | step |
|---|---|---|
| STABLE at the target's epoch | any | none; but revoke topics that it has just unsubscribed from |
| STABLE at an older epoch | any | advance |
| UNREVOKED | does not acknowledge | none, with the same exception |
| UNREVOKED | acknowledges | advance, towards the *latest* target |
| UNRELEASED | any | advance: some partitions may be free now |
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Set

from attrs import evolve

from kafka_nextgen.groups.records import CurrentMemberAssignment, MemberStatus
from kafka_nextgen.groups.topic_partitions import TopicPartitions, flatten
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.subscriptions import Update
from kafka_nextgen.testing.coordinator.timers import TimerKind
from kafka_nextgen.testing.coordinator.topics import NamedTopics
from kafka_nextgen.types import TopicId, TopicIdPartition

__all__ = ["ReconciliationInput", "has_other_owner", "reconcile", "reconcile_member"]

#: Partitions, each with the assignment epoch it was granted at.
Granted = dict[TopicIdPartition, int]


@frozen
class ReconciliationInput:
    """A member's target, and the state of the group that reconciliation depends on."""

    target_epoch: int
    target: TopicPartitions
    subscribed: Container[TopicId]
    owned: Set[TopicIdPartition] | None  # as reported by the request; None if it reports nothing
    owners: Mapping[TopicIdPartition, str]  # who has each partition, assigned or pending revocation
    trims: bool = False  # the subscription just changed, and this release acts on that immediately
    second_revocation_keeps_epoch: bool = True
    takes_back_at_once: bool = True

    def shows_gone(self, partitions: Set[TopicIdPartition]) -> bool:
        """Whether the request proves that the member released all these."""
        return not partitions or (self.owned is not None and self.owned.isdisjoint(partitions))


def reconcile_member(
    draft: Draft, update: Update, before: CurrentMemberAssignment, owned: Set[TopicIdPartition] | None
) -> CurrentMemberAssignment:
    """Move the member towards its target; ``owned`` are the partitions that it reports, None if it reports nothing."""
    group, behaviour = draft.group, draft.settings.behaviour
    input_ = ReconciliationInput(
        target_epoch=group.assignment_epoch,
        target=group.target(before.member_id),
        subscribed=NamedTopics(group.topics_of(update.member), draft.topics),
        owned=owned,
        owners=group.owners,
        trims=update.subscription_changed and behaviour.trims_unsubscribed,
        second_revocation_keeps_epoch=behaviour.second_revocation_keeps_epoch,
        takes_back_at_once=behaviour.takes_back_at_once,
    )
    after = reconcile(before, input_)
    if after != group.currents.get(before.member_id):
        draft.write(after)
    if after != before and update.member.classic is None:
        _watch_revocation(draft, update, after)
    return after


def _watch_revocation(draft: Draft, update: Update, after: CurrentMemberAssignment) -> None:
    """Give a member that must revoke partitions its rebalance timeout to do so (KIP-848, "Group Coordinator"). A
    classic member has that time to send its next JoinGroup.
    """
    if after.status is MemberStatus.UNREVOKED_PARTITIONS:
        timeout_s = update.member.rebalance_timeout_ms / 1000
        draft.arm(TimerKind.REBALANCE, after.member_id, timeout_s, after.member_epoch)
    else:
        draft.cancel(TimerKind.REBALANCE, after.member_id)


def reconcile(current: CurrentMemberAssignment, input_: ReconciliationInput) -> CurrentMemberAssignment:
    """The member's assignment after this heartbeat; ``current`` itself if nothing changes."""
    if current.status is MemberStatus.STABLE and current.member_epoch == input_.target_epoch:
        return _trim(current, input_) if input_.trims else current
    if not input_.shows_gone({partition for partition, _ in current.pending_revocation}):
        return _trim(current, input_) if input_.trims else current
    return _advance(current, input_)


def _advance(current: CurrentMemberAssignment, input_: ReconciliationInput) -> CurrentMemberAssignment:
    target = set(flatten({topic: numbers for topic, numbers in input_.target.items() if topic in input_.subscribed}))
    assigned = dict(current.assigned)
    keep = {partition: epoch for partition, epoch in assigned.items() if partition in target}
    revoke = {partition: epoch for partition, epoch in assigned.items() if partition not in target}
    if not input_.shows_gone(revoke.keys()):
        return _result(current, _epoch_while_revoking(current, input_), keep, revoke, waits=True)
    wanted = target - keep.keys()
    grant = {partition for partition in wanted if _is_free(partition, current.member_id, input_)}
    now_assigned = keep | dict.fromkeys(grant, input_.target_epoch)
    return _result(current, input_.target_epoch, now_assigned, {}, waits=grant != wanted)


def _is_free(partition: TopicIdPartition, member_id: str, input_: ReconciliationInput) -> bool:
    """Whether no member owns the partition. A partition that the member has just released is free for the member
    itself, which may get it again; early releases of Kafka notice that only at the next heartbeat.
    """
    if has_other_owner(partition, member_id, input_.owners):
        return False
    return input_.takes_back_at_once or partition not in input_.owners


def has_other_owner(partition: TopicIdPartition, member_id: str, owners: Mapping[TopicIdPartition, str]) -> bool:
    """Whether another member has the partition, assigned or pending revocation."""
    return owners.get(partition, member_id) != member_id


def _epoch_while_revoking(current: CurrentMemberAssignment, input_: ReconciliationInput) -> int:
    """The member keeps its epoch, so that it may still commit for the partitions it revokes. Before Kafka 4.2 the epoch
    increased by one if the member had just acknowledged another revocation.
    """
    moves = current.status is MemberStatus.UNREVOKED_PARTITIONS and not input_.second_revocation_keeps_epoch
    return current.member_epoch + moves


def _trim(current: CurrentMemberAssignment, input_: ReconciliationInput) -> CurrentMemberAssignment:
    """Revoke topics that the member has just unsubscribed from, before the next target; the epoch does not change."""
    assigned = dict(current.assigned)
    keep = {partition: epoch for partition, epoch in assigned.items() if partition.topic_id in input_.subscribed}
    drop = {partition: epoch for partition, epoch in assigned.items() if partition not in keep}
    if not drop:
        return current
    if input_.shows_gone(drop.keys()):
        return evolve(current, assigned=_sorted(keep), previous_member_epoch=current.member_epoch)
    pending = dict(current.pending_revocation) | drop
    return _result(current, current.member_epoch, keep, pending, waits=True)


def _result(
    current: CurrentMemberAssignment, epoch: int, assigned: Granted, pending: Granted, *, waits: bool
) -> CurrentMemberAssignment:
    if pending:
        status = MemberStatus.UNREVOKED_PARTITIONS
    else:
        status = MemberStatus.UNRELEASED_PARTITIONS if waits else MemberStatus.STABLE
    reached = evolve(
        current,
        member_epoch=epoch,
        status=status,
        assigned=_sorted(assigned),
        pending_revocation=_sorted(pending),
        previous_member_epoch=current.member_epoch,
    )
    # A member that still waits at its epoch has received that epoch, so its previous epoch is no longer accepted.
    return current if reached == current else reached


def _sorted(granted: Granted) -> tuple[tuple[TopicIdPartition, int], ...]:
    return tuple((partition, granted[partition]) for partition in sorted(granted))
