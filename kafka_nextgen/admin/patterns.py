"""Check a subscription pattern before subscribing with it.

KIP-848 has brokers check patterns for tools ("Admin API"), but no release of Kafka does, so it is checked here with
google-re2. Brokers use RE2/J, which differs in details. As in a coordinator, the whole topic name has to match, and
internal topics match as well: a group that subscribes to ``.*`` reads ``__consumer_offsets``.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.admin.requests import AdminCall
from kafka_nextgen.patterns import half_anchor_advice, matching, re2_complaint

__all__ = ["PatternCheck", "check_pattern"]


@frozen
class PatternCheck:
    """The topics that a subscription pattern matches now, and its problems.

    ``error`` says why it is invalid, ``advice`` what may be unintended.
    """

    pattern: str
    topics: tuple[str, ...] = ()
    error: str | None = None
    advice: str | None = None

    @property
    def is_valid(self) -> bool:
        """Whether the pattern is valid."""
        return self.error is None


async def check_pattern(call: AdminCall, pattern: str) -> PatternCheck:
    """Return the topics that the pattern matches."""
    complaint = re2_complaint(pattern)
    if complaint:
        return PatternCheck(pattern, error=f"pattern {pattern!r} is not valid RE2: {complaint}")
    image = await call.cluster.all_topics(call.deadline.left_s())
    topics = {topic.name: topic for topic in image.topics_by_name.values() if not topic.error}
    matches = matching(pattern, topics)
    internal = [name for name in matches if topics[name].is_internal]
    return PatternCheck(pattern, matches, advice=half_anchor_advice(pattern) or _internal_advice(pattern, internal))


def _internal_advice(pattern: str, internal: list[str]) -> str | None:
    if not internal:
        return None
    return f"pattern {pattern!r} matches Kafka's own {', '.join(internal)}, too, which members would have to read"
