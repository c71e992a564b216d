"""Check a subscription pattern before subscribing with it.

KIP-848 has brokers check patterns for tools ("Admin API"), but no release of Kafka does, so it is checked here with
google-re2 and what is known of the brokers' RE2/J (``kafka_nextgen.properties.re2j``). As in a coordinator, the whole
topic name has to match, and internal topics match as well: a group that subscribes to ``.*`` reads
``__consumer_offsets``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.patterns import half_anchor_advice, matching
from kafka_nextgen.properties.re2j import Verdict, judge

if TYPE_CHECKING:
    from kafka_nextgen.admin.requests import AdminCall

__all__ = ["PatternCheck", "check_pattern"]


@frozen
class PatternCheck:
    """The topics that a subscription pattern matches now, and its problems.

    ``error`` says why it is invalid, ``unknown`` why it could not be checked, and ``advice`` names matches that may be
    unintended.
    """

    pattern: str
    topics: tuple[str, ...] = ()
    error: str | None = None
    advice: str | None = None
    unknown: str | None = None

    @property
    def is_valid(self) -> bool:
        """Whether the pattern is known to be valid."""
        return self.error is None and self.unknown is None


async def check_pattern(call: AdminCall, pattern: str) -> PatternCheck:
    """Return the topics that the pattern matches."""
    judgement = judge(pattern)
    if judgement.verdict is Verdict.REFUSED:
        return PatternCheck(pattern, error=f"pattern {pattern!r} is not valid RE2: {judgement.reason}")
    if judgement.verdict is Verdict.UNKNOWN:
        return PatternCheck(pattern, unknown=_unknown(pattern, judgement.reason))
    image = await call.cluster.all_topics(call.deadline.left_s())
    topics = {topic.name: topic for topic in image.topics_by_name.values() if not topic.error}
    matches = matching(pattern, topics)
    internal = [name for name in matches if topics[name].is_internal]
    return PatternCheck(pattern, matches, advice=half_anchor_advice(pattern) or _internal_advice(pattern, internal))


def _unknown(pattern: str, reason: str | None) -> str:
    return f"can't check pattern {pattern!r}: {reason}; a broker may accept it"


def _internal_advice(pattern: str, internal: list[str]) -> str | None:
    if not internal:
        return None
    return f"pattern {pattern!r} also matches Kafka's internal {', '.join(internal)}, which members would have to read"
