"""What callers may give, checked before it goes anywhere.

A request carries the questions of many partitions, so one number that doesn't fit into its field would hold up all of
them. Arguments that pass can be written into every request: topics have names that topics can have, partitions and
leader epochs fit into 32 bits, offsets and timestamps into 64. What is of the wrong type is a TypeError, what can't
be a ValueError; both say what was given.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from operator import index
from typing import TYPE_CHECKING

from kafka_nextgen.properties.patterns import SubscriptionPattern
from kafka_nextgen.types import OffsetAndMetadata, OffsetRange, TopicId, TopicPartition, topic_name_complaint

if TYPE_CHECKING:
    from kafka_nextgen.membership.events import Subscribed

__all__ = [
    "Offsets",
    "ToAssign",
    "Topics",
    "checked_offset",
    "checked_partitions",
    "checked_ranges",
    "checked_seconds",
    "checked_timestamps",
    "checked_topic_names",
    "checked_topics",
]

#: Offsets as a caller gives them.
Offsets = Mapping[TopicPartition, OffsetAndMetadata | int]

#: What can be assigned: partitions, or ranges by partition, where None is a partition without an end.
ToAssign = Collection[TopicPartition] | Mapping[TopicPartition, OffsetRange | None]

#: What can be subscribed to: names, a pattern, or (deprecated) a pattern of Python's ``re``.
Topics = Collection[str] | SubscriptionPattern | re.Pattern[str]

INT32_MAX, INT64_MAX = 2**31 - 1, 2**63 - 1
#: The longest wait (seconds); half of what a lock can be waited for, so that something may be added.
LONGEST_WAIT_S = threading.TIMEOUT_MAX / 2


def checked_topics(topics: Topics) -> Subscribed:
    """What ``subscribe`` was given."""
    from kafka_nextgen.membership.events import Subscribed  # what reads by hand does without

    if isinstance(topics, re.Pattern):
        topics = SubscriptionPattern.of_compiled(topics)
    if isinstance(topics, SubscriptionPattern):
        return Subscribed(pattern=topics.pattern)
    names = checked_topic_names(topics, "subscribe")
    if not names:
        raise ValueError("subscribe() needs at least one topic; use unsubscribe() to give up all topics")
    return Subscribed(names)


def checked_topic_names(topics: Collection[str], call: str) -> frozenset[str]:
    """Names that topics can have."""
    if isinstance(topics, str | bytes):
        raise TypeError(f"{call}() takes a collection of topic names; did you mean [{topics!r}]?")
    names = list(topics)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{call}() takes topic names of type str, not {name!r}")
        if complaint := topic_name_complaint(name):
            raise ValueError(f"{call}(): {complaint}")
    return frozenset(names)


def checked_partitions(partitions: Iterable[TopicPartition]) -> tuple[TopicPartition, ...]:
    """Partitions that there could be."""
    if isinstance(partitions, TopicPartition):
        raise TypeError(f"a collection of TopicPartition is needed; did you mean [{partitions!r}]?")
    return tuple(map(_checked_partition, partitions))


def _checked_partition(partition: TopicPartition) -> TopicPartition:
    if not isinstance(partition, TopicPartition):
        raise TypeError(f"a partition must be a TopicPartition, not {partition!r}")
    if not isinstance(partition.topic, str):
        raise TypeError(f"invalid partition {partition!r}: its topic must be a str")
    complaint = topic_name_complaint(partition.topic)
    if complaint:
        raise ValueError(f"invalid partition {partition!r}: {complaint}")
    _within(partition.partition, INT32_MAX, f"invalid partition {partition!r}: its number")
    return partition


def checked_ranges(partitions: ToAssign) -> dict[TopicPartition, OffsetRange]:
    """The ranges among what is to be assigned."""
    if not isinstance(partitions, Mapping):
        return {}
    return {tp: _checked_range(tp, wanted) for tp, wanted in partitions.items() if wanted is not None}


def _checked_range(partition: TopicPartition, wanted: OffsetRange) -> OffsetRange:
    if not isinstance(wanted, OffsetRange):
        raise TypeError(f"{partition}: must map to an OffsetRange, or to None for no range, not {wanted!r}")
    if not isinstance(wanted.topic_id, TopicId | None):
        raise TypeError(f"{partition}: the topic id of a range must be a UUID or None, not {wanted.topic_id!r}")
    return OffsetRange(
        _within(wanted.start, INT64_MAX, f"{partition}: the start of a range"),
        _within(wanted.end, INT64_MAX, f"{partition}: the end of a range"),
        wanted.topic_id,
    )


def checked_offset(partition: TopicPartition, offset: int | OffsetAndMetadata) -> OffsetAndMetadata:
    """A position in ``partition``."""
    _checked_partition(partition)
    given = offset if isinstance(offset, OffsetAndMetadata) else OffsetAndMetadata(offset)
    if given.offset == -1:
        raise ValueError(
            f"{partition}: -1 is not an offset: offsets_for_times() returns it if no record is that late; "
            "seek_to_end() goes to the end"
        )
    if not isinstance(given.metadata, str):
        raise TypeError(f"{partition}: the metadata of an offset must be a str, not {given.metadata!r}")
    given.metadata.encode()  # what can't be written as UTF-8 is a UnicodeEncodeError, which is a ValueError
    return OffsetAndMetadata(
        _within(given.offset, INT64_MAX, f"{partition}: an offset"),
        _within(given.leader_epoch, INT32_MAX, f"{partition}: a leader epoch", at_least=-1),
        given.metadata,
    )


def checked_timestamps(timestamps: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
    """Times by partition (milliseconds since the epoch), or Kafka's negative numbers for certain places in a log."""
    checked_partitions(timestamps)
    return {
        tp: _within(timestamp, INT64_MAX, f"{tp}: a timestamp", at_least=-INT64_MAX)
        for tp, timestamp in timestamps.items()
    }


def _within(number: int, at_most: int, what: str, at_least: int = 0) -> int:
    """The number as an ``int``, also if it is one of numpy's."""
    try:
        whole = index(number)
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {number!r}") from None
    if not at_least <= whole <= at_most:
        raise ValueError(f"{what} must be a number from {at_least} to {at_most}, not {whole}")
    return whole


def checked_seconds(timeout: object) -> float:
    """How long to wait: not at all for what is negative, as long as it takes for infinity and None.

    A ``timedelta`` is its seconds. Raises TypeError for what is no time.
    """
    if timeout is None:
        return LONGEST_WAIT_S
    if isinstance(timeout, timedelta):
        timeout = timeout.total_seconds()
    if isinstance(timeout, str | bytes) or not hasattr(timeout, "__float__"):
        raise TypeError(f"a timeout must be a number of seconds, a timedelta or None, not {timeout!r}")
    timeout = float(timeout)
    if math.isnan(timeout):
        raise ValueError("a timeout must be a number of seconds, not nan")
    return min(max(timeout, 0.0), LONGEST_WAIT_S)
