"""One member's step in its group: from what it owned before a request to what it owns after it.

The step itself is ``reconciliation``. Here it gets what it has to know of the group, and its result is written.
"""

from __future__ import annotations

from collections.abc import Set

from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.reconciliation import Course, reconcile
from kafka_nextgen.coordinator.records import CurrentMemberAssignment, MemberStatus
from kafka_nextgen.coordinator.subscriptions import Update
from kafka_nextgen.coordinator.timers import TimerKind
from kafka_nextgen.coordinator.topics import NamedTopics
from kafka_nextgen.types import TopicIdPartition

__all__ = ["reconcile_member"]


def reconcile_member(
    draft: Draft, update: Update, before: CurrentMemberAssignment, owned: Set[TopicIdPartition] | None
) -> CurrentMemberAssignment:
    """Move the member on towards the target; ``owned`` is what it says it owns, None if it does not say."""
    group, behaviour = draft.group, draft.settings.behaviour
    course = Course(
        target_epoch=group.assignment_epoch,
        target=group.target(before.member_id),
        subscribed=NamedTopics(group.topics_of(update.member), draft.topics),
        owned=owned,
        owners=group.owners,
        trims=update.subscription_changed and behaviour.trims_unsubscribed,
        second_revocation_keeps_epoch=behaviour.second_revocation_keeps_epoch,
        takes_back_at_once=behaviour.takes_back_at_once,
    )
    after = reconcile(before, course)
    if after != group.currents.get(before.member_id):
        draft.write(after)
    if after != before and update.member.classic is None:
        _watch_revocation(draft, update, after)
    return after


def _watch_revocation(draft: Draft, update: Update, after: CurrentMemberAssignment) -> None:
    """A member told to give something up has its rebalance timeout to do so (KIP-848, "Group Coordinator"). A classic
    one has that for its next JoinGroup.
    """
    if after.status is MemberStatus.UNREVOKED_PARTITIONS:
        timeout_s = update.member.rebalance_timeout_ms / 1000
        draft.arm(TimerKind.REBALANCE, after.member_id, timeout_s, after.member_epoch)
    else:
        draft.cancel(TimerKind.REBALANCE, after.member_id)
