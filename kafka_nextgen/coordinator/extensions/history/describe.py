"""What is told of a group's history, whichever protocol it speaks."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.extensions.responses import HistoryDescribed
from kafka_nextgen.coordinator.group import Group

__all__ = ["describe_history"]


def describe_history(group: Group) -> HistoryDescribed:
    """The rebalances that are remembered, the oldest first; none of a group that has only offsets."""
    if not group.group_id:
        return HistoryDescribed(ErrorCode.INVALID_GROUP_ID)
    if not group.exists:
        return HistoryDescribed(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group.group_id} not found.")
    in_order = sorted(group.history.values(), key=lambda rebalance: rebalance.number)
    return HistoryDescribed(rebalances=tuple(in_order))
