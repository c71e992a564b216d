"""The join reasons of members: why they join, and whether that makes the group rebalance."""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.subscriptions import Update
from kafka_nextgen.types import JoinReason, RebalanceReason

__all__ = ["asks_for_rebalance", "minds_subscription", "wants_rebalance", "with_statement"]

_REQUESTED = (RebalanceReason.MEMBER_REQUESTED, RebalanceReason.SUBSCRIPTION_CHANGED)


def asks_for_rebalance(draft: Draft, update: Update, stated: JoinReason, is_back: bool) -> bool:
    """Whether to raise the group epoch for this heartbeat, or this JoinGroup to a consumer group.

    A member requests it with UPGRADE, unless it has not reached the group epoch: then it may be repeating its request
    after a lost answer. It also requests it with a reason or new metadata for its assignor, unless it replaces its
    instance's former member and joins with RESTART. By default only members without assignors of their own state
    RESTART. They do request a rebalance if they had assignors before, or if they are classic members with new user
    data.
    """
    if stated is JoinReason.UPGRADE and (is_back or _is_settled(draft.group, update.member.member_id)):
        return True
    has_assignors = bool(update.member.client_assignors)
    return update.asks_for_assignment and not (is_back and has_assignors and stated is JoinReason.RESTART)


def _is_settled(group: Group, member_id: str) -> bool:
    return group.current(member_id).member_epoch == group.epoch


def wants_rebalance(stated: JoinReason, otherwise: bool) -> bool:
    """Whether a member of a classic group that rejoins unchanged makes it rebalance: always with UPGRADE, never with
    RESTART, in other cases the default, ``otherwise``.
    """
    return stated is JoinReason.UPGRADE or (otherwise and stated is not JoinReason.RESTART)


def minds_subscription(stated: JoinReason) -> bool:
    """Whether another subscription of a static member that returns to a classic group makes the group rebalance.

    A changed subscription takes precedence over any stated reason, including RESTART (the draft "JoinReason", "Proposed
    Changes"). For a member that states none, the group follows Kafka and does not rebalance (KAFKA-12759).
    """
    return stated is not JoinReason.UNKNOWN


def with_statement(draft: Draft, cause: Cause, stated: JoinReason) -> Cause:
    """The cause with the member's join reason. Only the leader of a classic group watches the topics' metadata."""
    classic = draft.group.classic
    leads = classic is not None and classic.leader_id == cause.member_id
    if leads and stated is JoinReason.TOPIC_METADATA_CHANGE and cause.reason in _REQUESTED:
        return evolve(cause, stated=stated, reason=RebalanceReason.TOPIC_METADATA_CHANGED)
    return cause if stated is JoinReason.UNKNOWN else evolve(cause, stated=stated)
