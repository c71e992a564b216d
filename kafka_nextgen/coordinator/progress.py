"""Reconcile one member with its group.

``reconciliation`` computes the step. This module gathers its input from the group and writes the result.
"""

from __future__ import annotations

from collections.abc import Set

from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.reconciliation import ReconciliationInput, reconcile
from kafka_nextgen.coordinator.records import CurrentMemberAssignment, MemberStatus
from kafka_nextgen.coordinator.subscriptions import Update
from kafka_nextgen.coordinator.timers import TimerKind
from kafka_nextgen.coordinator.topics import NamedTopics
from kafka_nextgen.types import TopicIdPartition

__all__ = ["reconcile_member"]


def reconcile_member(
    draft: Draft, update: Update, before: CurrentMemberAssignment, owned: Set[TopicIdPartition] | None
) -> CurrentMemberAssignment:
    """Move the member towards its target; ``owned`` is what it reports to own, None if it reports nothing."""
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
