"""Trying a subscription pattern before anybody subscribes with it.

KIP-848 has the broker check a pattern for tools ("Admin API"), but no release of Kafka does, so it is tried here, with
google-re2. Brokers use RE2/J, which differs in corners. As with a coordinator, the whole name of a topic has to match,
and Kafka's own topics match as well: a group that is subscribed to ``.*`` reads ``__consumer_offsets``.
"""

from __future__ import annotations

from kafka_nextgen.admin.asking import Asking
from kafka_nextgen.admin.values import PatternCheck
from kafka_nextgen.patterns import half_anchor_advice, matching, re2_complaint
from kafka_nextgen.transport.deadline import Deadline

__all__ = ["check_pattern"]


async def check_pattern(asking: Asking, pattern: str, deadline: Deadline) -> PatternCheck:
    """What the pattern matches of the topics there are."""
    complaint = re2_complaint(pattern)
    if complaint:
        return PatternCheck(pattern, error=f"pattern {pattern!r} is not valid RE2: {complaint}")
    image = await asking.cluster.all_topics(deadline.left_s())
    topics = {topic.name: topic for topic in image.topics_by_name.values() if not topic.error}
    matches = matching(pattern, topics)
    internal = [name for name in matches if topics[name].is_internal]
    return PatternCheck(pattern, matches, advice=half_anchor_advice(pattern) or _internal_advice(pattern, internal))


def _internal_advice(pattern: str, internal: list[str]) -> str | None:
    if not internal:
        return None
    return f"pattern {pattern!r} matches Kafka's own {', '.join(internal)}, too, which members would have to read"
