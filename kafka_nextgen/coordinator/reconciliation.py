"""One member on its way from what it owns to its target: the heart of the protocol, as set algebra.

A partition may be taken only after its owner has let it go, and every member walks on its own (KIP-848, "Member
Epoch - Reconciliation of the group"). With what a member owns (``assigned``) and what it is to own (``target``)::

    keep   = assigned & target
    revoke = assigned - keep
    wanted = target - keep
    grant  = those of wanted that nobody else owns or has still to give back

The step to take, ``_advance``, has two ends:

* There is something to revoke, and the request has not shown that it is gone: the member keeps its *epoch*, is
  told ``keep`` alone, and is UNREVOKED until it acknowledges. It acknowledges by naming what it owns, without
  ``revoke``.
* Otherwise it goes to the target's epoch with ``keep`` and ``grant``. It is STABLE if that is all it is to have,
  else UNRELEASED: it waits for others. Granting nothing is granting the empty set; there is no third end.

Which step is due depends on where the member stands:

| status | the request | step |
|---|---|---|
| STABLE at the target's epoch | any | none; give up what it no longer subscribes to, if it just said so |
| STABLE at an older epoch | any | advance |
| UNREVOKED | does not acknowledge | none; the same exception |
| UNREVOKED | acknowledges | advance, towards the *latest* target |
| UNRELEASED | any | advance: something may have become free |
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Set

from attrs import evolve, frozen

from kafka_nextgen.coordinator.records import CurrentMemberAssignment, MemberStatus
from kafka_nextgen.coordinator.share import Share, flatten
from kafka_nextgen.types import TopicId, TopicIdPartition

__all__ = ["Course", "reconcile"]

#: Partitions, each with the assignment epoch it was granted at.
Granted = dict[TopicIdPartition, int]


@frozen
class Course:
    """Where a member is to go, and what is known that bears on it."""

    target_epoch: int
    target: Share
    subscribed: Container[TopicId]
    owned: Set[TopicIdPartition] | None  # what the request says it owns; None if it does not say
    owners: Mapping[TopicIdPartition, str]  # of all partitions assigned or pending revocation
    trims: bool = False  # the member just changed its subscription, and the profile acts on that at once
    second_revocation_keeps_epoch: bool = True
    takes_back_at_once: bool = True

    def shows_gone(self, partitions: Set[TopicIdPartition]) -> bool:
        """Whether the request proves that the member let go of all these."""
        return not partitions or (self.owned is not None and self.owned.isdisjoint(partitions))


def reconcile(current: CurrentMemberAssignment, course: Course) -> CurrentMemberAssignment:
    """What the member owns after this heartbeat; ``current`` itself if nothing changes."""
    if current.status is MemberStatus.STABLE and current.member_epoch == course.target_epoch:
        return _trim(current, course) if course.trims else current
    if not course.shows_gone({partition for partition, _ in current.pending_revocation}):
        return _trim(current, course) if course.trims else current
    return _advance(current, course)


def _advance(current: CurrentMemberAssignment, course: Course) -> CurrentMemberAssignment:
    target = set(flatten({topic: numbers for topic, numbers in course.target.items() if topic in course.subscribed}))
    assigned = dict(current.assigned)
    keep = {partition: epoch for partition, epoch in assigned.items() if partition in target}
    revoke = {partition: epoch for partition, epoch in assigned.items() if partition not in target}
    if not course.shows_gone(revoke.keys()):
        return _result(current, _epoch_while_revoking(current, course), keep, revoke, waits=True)
    wanted = target - keep.keys()
    grant = {partition for partition in wanted if _is_free(partition, current.member_id, course)}
    now_assigned = keep | dict.fromkeys(grant, course.target_epoch)
    return _result(current, course.target_epoch, now_assigned, {}, waits=grant != wanted)


def _is_free(partition: TopicIdPartition, member_id: str, course: Course) -> bool:
    """What the member itself has just given back is free for it too: it may want it again by now. The first releases
    noticed only with the next heartbeat.
    """
    owner = course.owners.get(partition)
    return owner is None or (owner == member_id and course.takes_back_at_once)


def _epoch_while_revoking(current: CurrentMemberAssignment, course: Course) -> int:
    """Kept, so that the member may still commit for what it is giving up. Before Kafka 4.2 a member that had just
    acknowledged one revocation was moved on by one when told of the next.
    """
    moves = current.status is MemberStatus.UNREVOKED_PARTITIONS and not course.second_revocation_keeps_epoch
    return current.member_epoch + moves


def _trim(current: CurrentMemberAssignment, course: Course) -> CurrentMemberAssignment:
    """Give up what the member has just unsubscribed from, without waiting for the next target; the epoch stays."""
    assigned = dict(current.assigned)
    keep = {partition: epoch for partition, epoch in assigned.items() if partition.topic_id in course.subscribed}
    drop = {partition: epoch for partition, epoch in assigned.items() if partition not in keep}
    if not drop:
        return current
    if course.shows_gone(drop.keys()):
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
    # A member that goes on waiting at its epoch has had the answer that told it: the one before counts no more.
    return current if reached == current else reached


def _sorted(granted: Granted) -> tuple[tuple[TopicIdPartition, int], ...]:
    return tuple((partition, granted[partition]) for partition in sorted(granted))
