"""Trying a subscription pattern before anybody subscribes with it.

KIP-848 has the broker check a pattern for tools ("Admin API"), but no release of Kafka does, so it is tried here, with
google-re2. Brokers use RE2/J, which differs in corners. As with a coordinator, the whole name of a topic has to match.
"""

from __future__ import annotations

from kafka_nextgen.admin.asking import Asking
from kafka_nextgen.admin.values import PatternCheck
from kafka_nextgen.patterns import half_anchor_advice, matching, re2_complaint
from kafka_nextgen.transport.deadline import Deadline

__all__ = ["check_pattern"]


async def check_pattern(asking: Asking, pattern: str, deadline: Deadline) -> PatternCheck:
    """What the pattern matches of the topics there are, those of Kafka itself left out."""
    complaint = re2_complaint(pattern)
    if complaint:
        return PatternCheck(pattern, error=f"pattern {pattern!r} is not valid RE2: {complaint}")
    image = await asking.cluster.all_topics(deadline.left_s())
    names = [topic.name for topic in image.topics_by_name.values() if not topic.error and not topic.is_internal]
    return PatternCheck(pattern, matching(pattern, names), advice=half_anchor_advice(pattern))
