"""Why a member makes its group rebalance: tables, read from the top.

In a consumer group, by a heartbeat or by a classic member's JoinGroup, where one of the first column is so:

| what | reason |
|---|---|
| it is the first by this protocol, in a group that was a classic one | MIGRATION |
| it is new | MEMBER_JOINED |
| it subscribes to something else | SUBSCRIPTION_CHANGED |
| an assignor of its own has a reason, or other metadata than before; but not if it states RESTART, with the place of \
its instance's former member | ASSIGNOR_REQUESTED |
| it states UPGRADE, with the place of its instance's former member | MEMBER_RESTARTED |
| it states UPGRADE, and nothing is under way | MEMBER_REQUESTED |

In a classic group, where it joins again:

| what | reason |
|---|---|
| it leads, and states TOPIC_METADATA_CHANGE | TOPIC_METADATA_CHANGED |
| it subscribes to something else, as far as that can be read, or by other protocols | SUBSCRIPTION_CHANGED |
| anything else | MEMBER_REQUESTED |

A LeaveGroup is an administrator's (ADMIN) if it names several, or a member by its instance id alone, or one that speaks
the consumer protocol; and if its reason says so in the words of Kafka's own client. Else its member left.
"""

from __future__ import annotations

from collections.abc import Collection

from kafka_nextgen.coordinator.classic.group import ClassicGroup, ClassicMember
from kafka_nextgen.coordinator.classic.requests import REMOVED_BY_ADMIN, JoinGroup, LeavingMember, OfferedProtocol
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.extensions.history.records import Cause
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.subscriptions import Update
from kafka_nextgen.embedded import PROTOCOL_TYPE, decode_subscription
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.types import JoinReason, RebalanceReason

__all__ = ["cause_of_change", "cause_of_joining_again", "cause_of_leaving", "stated_in"]


def stated_in(draft: Draft, stated: JoinReason) -> JoinReason:
    """What a member states, if this coordinator listens to that."""
    return stated if draft.settings.extensions else JoinReason.UNKNOWN


def cause_of_change(
    draft: Draft, update: Update, stated: JoinReason, *, is_back: bool, migrates: bool = False, text: str = ""
) -> Cause | None:
    """Why what a member said raises the group epoch, if it does. ``is_back`` if it took its instance's place."""
    group, member = draft.group, update.member
    stated = stated_in(draft, stated)
    wants_one = stated is JoinReason.UPGRADE and (is_back or _is_settled(group, member.member_id))
    asks = update.asks_for_assignment and not (is_back and stated is JoinReason.RESTART)
    # A member at epoch 0 would still be joining, so no group with members may stay there (Kafka before 4.3).
    if not (update.calls_for_assignment or asks or wants_one or group.epoch == 0):
        return None
    return Cause(_reason_of_change(update, is_back, migrates), member.member_id, member.instance_id, stated, text)


def _is_settled(group: Group, member_id: str) -> bool:
    """Whether nothing is under way that the member could mean, stating the same once more after a lost answer."""
    return group.current(member_id).member_epoch == group.epoch


def _reason_of_change(update: Update, is_back: bool, migrates: bool) -> RebalanceReason:
    if migrates:
        return RebalanceReason.MIGRATION
    if update.is_new:
        return RebalanceReason.MEMBER_JOINED
    if update.subscription_changed:
        return RebalanceReason.SUBSCRIPTION_CHANGED
    if update.asks_for_assignment:
        return RebalanceReason.ASSIGNOR_REQUESTED
    return RebalanceReason.MEMBER_RESTARTED if is_back else RebalanceReason.MEMBER_REQUESTED


def cause_of_joining_again(draft: Draft, member: ClassicMember, request: JoinGroup) -> Cause:
    """Why a member of a classic group that joins again makes it rebalance."""
    stated = stated_in(draft, request.join_reason)
    reason = _reason_of_joining_again(draft.classic, member, request, stated)
    return Cause(reason, member.member_id, member.instance_id, stated, request.reason or "")


def _reason_of_joining_again(
    group: ClassicGroup, member: ClassicMember, request: JoinGroup, stated: JoinReason
) -> RebalanceReason:
    if stated is JoinReason.TOPIC_METADATA_CHANGE and group.leader_id == member.member_id:
        return RebalanceReason.TOPIC_METADATA_CHANGED
    is_same = _offer(group, member.protocols) == _offer(group, request.protocols)
    return RebalanceReason.MEMBER_REQUESTED if is_same else RebalanceReason.SUBSCRIPTION_CHANGED


def _offer(group: ClassicGroup, protocols: tuple[OfferedProtocol, ...]) -> object:
    """By which protocols, and to what a member subscribes; all it says, if that is no consumer's."""
    if group.protocol_type != PROTOCOL_TYPE:
        return protocols
    try:
        return [(offered.name, decode_subscription(offered.metadata).topics) for offered in protocols]
    except DecodeError:
        return protocols


def cause_of_leaving(left: Collection[tuple[str, LeavingMember]], *, speaks_consumer: bool = False) -> Cause:
    """Why a LeaveGroup makes the group rebalance, by which these members are out."""
    member_id, who = next(iter(left))
    is_by_admin = len(left) > 1 or not who.member_id or speaks_consumer
    is_by_admin = is_by_admin or (who.reason or "").startswith(REMOVED_BY_ADMIN)
    others = [f"{member_id} left" for member_id, _ in list(left)[1:]]
    text = ", ".join(filter(None, (who.reason, *others)))
    reason = RebalanceReason.ADMIN if is_by_admin else RebalanceReason.MEMBER_LEFT
    return Cause(reason, member_id, who.instance_id, text=text)
