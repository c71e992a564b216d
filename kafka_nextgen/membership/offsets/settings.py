"""The settings of the offset machine."""

from __future__ import annotations

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.state_machine import RetrySettings, RuleContext

__all__ = ["OffsetContext", "OffsetSettings"]


@frozen
class OffsetSettings(RetrySettings):
    """The part of the configuration that commits and lookups use.

    A request times out after ``request_timeout_s``. At most ``most_unanswered`` commits are in flight at a time.
    ``auto_commit_interval_s`` is None without auto-commit. With ``commits_again``, each interval commit contains all
    positions, even if nothing was processed since the last one. All times are in seconds.
    """

    instance_id: str | None = None
    request_timeout_s: float = 30.0
    most_unanswered: int = 4
    auto_commit_interval_s: float | None = None
    commits_again: bool = False


OffsetContext = RuleContext[OffsetSettings]
