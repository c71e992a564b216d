"""Log messages about a member that lost its partitions or left, with advice.

A member that has no id yet is described as such.
"""

from __future__ import annotations

from kafka_nextgen.logs import logger_of

__all__ = ["log_fenced", "log_left_during_callback", "log_poll_timeout"]

logger = logger_of("kafka_nextgen.member")


def log_fenced(group_id: str, member_id: str, reason: str) -> None:
    """Warn that the coordinator has removed the member."""
    logger.warning(
        "group %s: member %s is out of the group: %s; its partitions are lost, and it rejoins",
        group_id,
        member_id or "without an id yet",
        reason,
    )


def log_poll_timeout(group_id: str, member_id: str, max_poll_interval_ms: int) -> None:
    """Warn that the member is leaving because the application did not poll in time."""
    logger.warning(
        "group %s: member %s is leaving because the application did not poll within max.poll.interval.ms=%d; it "
        "rejoins at the next poll. Poll more often, take fewer records per poll, or raise that limit",
        group_id,
        member_id or "without an id yet",
        max_poll_interval_ms,
    )


def log_left_during_callback(group_id: str, member_id: str, max_poll_interval_ms: int) -> None:
    """Warn that the member left although one of its callbacks has not returned."""
    logger.warning(
        "group %s: member %s left without waiting for a callback that has taken longer than max.poll.interval.ms=%d",
        group_id,
        member_id or "-",
        max_poll_interval_ms,
    )
