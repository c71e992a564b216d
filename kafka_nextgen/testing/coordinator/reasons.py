"""Why a member makes its group rebalance: tables, read from the top.

In a consumer group, by a heartbeat or by a classic member's JoinGroup:

| the member | reason |
|---|---|
| is the first of the consumer protocol in a classic group | MIGRATION |
| is new | MEMBER_JOINED |
| changed its subscription | SUBSCRIPTION_CHANGED |
| changed the assignor that most members request | ASSIGNOR_CHANGED |
| requests a rebalance through its assignor (an extension) | ASSIGNOR_REQUESTED |
| requests one (an extension), and replaced its instance's former member | MEMBER_RESTARTED |
| requests one (an extension) otherwise | MEMBER_REQUESTED |

In a classic group, when the member joins again:

| the member | reason |
|---|---|
| changed its protocols, or its subscription where the coordinator can read it | SUBSCRIPTION_CHANGED |
| anything else | MEMBER_REQUESTED |

A LeaveGroup is from an administrator (ADMIN) if it names several members, a member by its instance id alone, or one
that speaks the consumer protocol, or if its reason is the one of Kafka's admin client. Otherwise the member left.
"""

from __future__ import annotations

from collections.abc import Collection

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE, decode_subscription
from kafka_nextgen.groups.leaving import REMOVED_BY_ADMIN, LeavingMember
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.subscriptions import Update
from kafka_nextgen.types import JoinReason, RebalanceReason

__all__ = ["cause_of_change", "cause_of_joining_again", "cause_of_leaving", "changes_subscription"]


def cause_of_change(
    draft: Draft, update: Update, stated: JoinReason, *, is_back: bool, migrates: bool = False, text: str = ""
) -> Cause | None:
    """Why a member's request raises the group epoch, or None. ``is_back``: it took its instance's place."""
    # Epoch 0 means that a member is still joining, so no group with members may stay at it (Kafka before 4.3).
    calls = update.calls_for_assignment or update.assignor_changed or draft.group.epoch == 0
    if not calls and not draft.hooks.asks_for_rebalance(draft, update, stated, is_back):
        return None
    reason = _reason_of_change(update, is_back, migrates)
    cause = Cause(reason, update.member.member_id, update.member.instance_id, text=text)
    return draft.hooks.with_statement(draft, cause, stated)


def _reason_of_change(update: Update, is_back: bool, migrates: bool) -> RebalanceReason:
    if migrates:
        return RebalanceReason.MIGRATION
    if update.is_new:
        return RebalanceReason.MEMBER_JOINED
    if update.subscription_changed:
        return RebalanceReason.SUBSCRIPTION_CHANGED
    if update.assignor_changed:
        return RebalanceReason.ASSIGNOR_CHANGED
    if update.asks_for_assignment:
        return RebalanceReason.ASSIGNOR_REQUESTED
    return RebalanceReason.MEMBER_RESTARTED if is_back else RebalanceReason.MEMBER_REQUESTED


def cause_of_joining_again(draft: Draft, member: ClassicMember, request: JoinGroup) -> Cause:
    """Why a member of a classic group that joins again makes it rebalance."""
    group = draft.classic
    is_same = _offer(group, member.protocols) == _offer(group, request.protocols)
    reason = RebalanceReason.MEMBER_REQUESTED if is_same else RebalanceReason.SUBSCRIPTION_CHANGED
    cause = Cause(reason, member.member_id, member.instance_id, text=request.reason or "")
    return draft.hooks.with_statement(draft, cause, request.join_reason)


def changes_subscription(group: ClassicGroup, former: ClassicMember, member: ClassicMember) -> bool:
    """Whether a member returned to its classic group with other topics; False if they can't be decoded.

    Only the metadata for the group's assignor is compared, because a fail-over preserves no other.
    """
    if group.protocol_type != PROTOCOL_TYPE:
        return False
    try:
        before, now = (decode_subscription(each.metadata(group.protocol)).topics for each in (former, member))
    except DecodeError:
        return False
    return before != now


def _offer(group: ClassicGroup, protocols: tuple[OfferedProtocol, ...]) -> object:
    """A member's protocols and subscription for comparison; the raw protocols if it is not a consumer."""
    if group.protocol_type != PROTOCOL_TYPE:
        return protocols
    try:
        return [(offered.name, decode_subscription(offered.metadata).topics) for offered in protocols]
    except DecodeError:
        return protocols


def cause_of_leaving(left: Collection[tuple[str, LeavingMember]], *, speaks_consumer: bool = False) -> Cause:
    """Why a LeaveGroup that removed these members makes the group rebalance."""
    member_id, who = next(iter(left))
    is_by_admin = len(left) > 1 or not who.member_id or speaks_consumer
    is_by_admin = is_by_admin or (who.reason or "").startswith(REMOVED_BY_ADMIN)
    others = [f"{member_id} left" for member_id, _ in list(left)[1:]]
    text = ", ".join(filter(None, (who.reason, *others)))
    reason = RebalanceReason.ADMIN if is_by_admin else RebalanceReason.MEMBER_LEFT
    return Cause(reason, member_id, who.instance_id, text=text)
