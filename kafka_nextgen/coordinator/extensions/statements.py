"""What members state for themselves: why they join, and whether they want a rebalance for it."""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.coordinator.cause import Cause
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.settings import CoordinatorSettings
from kafka_nextgen.coordinator.subscriptions import Update
from kafka_nextgen.types import JoinReason, RebalanceReason

__all__ = ["asks_for_rebalance", "wants_rebalance", "with_statement"]

_OWN_WISHES = (RebalanceReason.MEMBER_REQUESTED, RebalanceReason.SUBSCRIPTION_CHANGED)


def asks_for_rebalance(draft: Draft, update: Update, stated: JoinReason, is_back: bool) -> bool:
    """Whether the group epoch is to rise for this heartbeat, or this JoinGroup to a consumer group.

    A member asks by UPGRADE, unless something is under way that it could mean, stating the same once more after a lost
    answer; or by a word to its assignor, unless it comes with RESTART to the place of its instance's former member.
    """
    stated = _heard(draft.settings, stated)
    if stated is JoinReason.UPGRADE and (is_back or _is_settled(draft.group, update.member.member_id)):
        return True
    return update.asks_for_assignment and not (is_back and stated is JoinReason.RESTART)


def _is_settled(group: Group, member_id: str) -> bool:
    return group.current(member_id).member_epoch == group.epoch


def wants_rebalance(settings: CoordinatorSettings, stated: JoinReason, otherwise: bool) -> bool:
    """Whether a member of a classic group that offers what it did has the group rebalance: with UPGRADE always, with
    RESTART never, else as it would ``otherwise``.
    """
    stated = _heard(settings, stated)
    return stated is JoinReason.UPGRADE or (otherwise and stated is not JoinReason.RESTART)


def with_statement(draft: Draft, cause: Cause, stated: JoinReason) -> Cause:
    """The cause with what the member stated. The leader of a classic group knows whether it means the topics."""
    stated, classic = _heard(draft.settings, stated), draft.group.classic
    leads = classic is not None and classic.leader_id == cause.member_id
    if leads and stated is JoinReason.TOPIC_METADATA_CHANGE and cause.reason in _OWN_WISHES:
        return evolve(cause, stated=stated, reason=RebalanceReason.TOPIC_METADATA_CHANGED)
    return cause if stated is JoinReason.UNKNOWN else evolve(cause, stated=stated)


def _heard(settings: CoordinatorSettings, stated: JoinReason) -> JoinReason:
    return stated if settings.extensions else JoinReason.UNKNOWN
