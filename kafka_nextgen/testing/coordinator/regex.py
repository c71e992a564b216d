"""Subscriptions by pattern (KIP-848, "Regex Based Subscription").

A pattern is an RE2 expression that has to match a topic's *whole* name. It is compiled when the first member sends it,
and refused if that fails. Matching it against all topics takes longer than a heartbeat may, so a heartbeat that finds
something to match only sets a timer, and the timer's handler stores the matches. Patterns are matched

* when one has no matches yet: until then, its members get no partitions for it,
* when topics have been created since, or may have been: at the first heartbeat after a coordinator starts,
* when the last match is older than the refresh interval (since Kafka 4.1).

All patterns of a group are matched together, at most every ten seconds. The group epoch rises only if the matches of
counted members changed. A pattern not matched yet counts as matching nothing. If it then matches nothing, the epoch
does not change, and no member reads the partitions of the member's former pattern until the next assignment, as in
Kafka 4.3.0. A member avoids that if it removes its former pattern first.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.records import RegularExpression
from kafka_nextgen.properties.re2j import Verdict, judge, matcher_of
from kafka_nextgen.testing.coordinator.draft import Draft, Refusal
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, MaySee, sees_everything
from kafka_nextgen.testing.coordinator.subscriptions import advance_epoch
from kafka_nextgen.testing.coordinator.timers import Arm, TimerKind
from kafka_nextgen.types import RebalanceReason

__all__ = ["arm_matching", "match_patterns", "refuse_pattern"]

MIN_MATCHING_INTERVAL_S = 10.0


def refuse_pattern(request: ConsumerGroupHeartbeat, group: Group) -> Refusal | None:
    """Why the pattern of this heartbeat can't be used, or None. A pattern in use is known to be valid."""
    pattern = request.subscribed_pattern
    if not pattern or pattern in group.pattern_subscribers:
        return None
    judgement = judge(pattern)
    if judgement.verdict is Verdict.TAKEN:
        return None
    is_refused = judgement.verdict is Verdict.REFUSED
    what = "is not an RE2 expression" if is_refused else "can't be matched by this broker"
    text = f"SubscribedTopicRegex {pattern!r} {what}: {judgement.reason}"
    return Refusal(ErrorCode.INVALID_REGULAR_EXPRESSION, text)


def arm_matching(draft: Draft, may_see: MaySee) -> None:
    """Set the timer to match the group's patterns, if any need it.

    ``may_see`` says which topics the requesting member may see.
    """
    if not draft.group.pattern_subscribers or not _has_reason(draft):
        return
    last_ms = _last_matching_ms(draft.group)
    wait_s = 0.0 if last_ms is None else last_ms / 1000 + MIN_MATCHING_INTERVAL_S - draft.now
    draft.arm_matching(max(wait_s, 0.0), may_see)


def match_patterns(draft: Draft, timer: Arm) -> None:
    """Store the current matches of the group's patterns. As in Kafka, the rights of the member whose heartbeat set the
    timer apply to the whole group.
    """
    draft.cancel(TimerKind.PATTERN)
    changed: list[str] = []
    counting = {member.subscribed_pattern for member in draft.group.counted()}
    names = sorted(filter(timer.may_see or sees_everything, draft.topics.by_name))
    for pattern in sorted(draft.group.pattern_subscribers):
        known = draft.group.patterns.get(pattern)
        matches = tuple(name for name in names if matcher_of(pattern).fullmatch(name))
        if pattern in counting and matches != (known.topics if known else ()):
            changed.append(pattern)
        draft.write(
            RegularExpression(draft.group.group_id, pattern, matches, draft.topics.created_version, draft.now_ms)
        )
    if changed:
        advance_epoch(draft, Cause(RebalanceReason.PATTERN_RESOLVED, text=" ".join(changed)))
    draft.hooks.settle(draft)


def _has_reason(draft: Draft) -> bool:
    group, settings = draft.group, draft.settings
    if not group.has_seen_topics:
        return True
    for pattern in group.pattern_subscribers:
        known = group.patterns.get(pattern)
        if known is None or known.version != draft.topics.created_version:
            return True
    last_ms = _last_matching_ms(group)
    assert last_ms is not None, "every pattern has matches"
    is_old = draft.now_ms - last_ms >= settings.group_consumer_regex_refresh_interval_ms
    return is_old and settings.behaviour.refreshes_patterns


def _last_matching_ms(group: Group) -> int | None:
    return max((pattern.timestamp_ms for pattern in group.patterns.values()), default=None)
