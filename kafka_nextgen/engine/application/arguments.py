"""Checks the arguments of public calls before they are used.

One request concerns many partitions, so a single number that doesn't fit into its field would block all of them.
Arguments that pass these checks can be encoded in every request: topic names are valid, partitions and leader epochs
fit into 32 bits, offsets and timestamps into 64. A wrong type raises TypeError and an invalid value ValueError; both
messages include the argument.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from operator import index
from typing import TYPE_CHECKING, Any

from kafka_nextgen.properties.patterns import SubscriptionPattern
from kafka_nextgen.types import OffsetAndMetadata, OffsetRange, Record, TopicId, TopicPartition, topic_name_complaint

if TYPE_CHECKING:
    from kafka_nextgen.membership.events import Subscribed

__all__ = [
    "Offsets",
    "ToAssign",
    "Topics",
    "checked_offset",
    "checked_offsets",
    "checked_partitions",
    "checked_ranges",
    "checked_seconds",
    "checked_timestamps",
    "checked_topic_names",
    "checked_topics",
]

#: Offsets as callers pass them: by partition, or a record, for the position after it.
Offsets = Mapping[TopicPartition, OffsetAndMetadata | int] | Record[Any, Any]

#: What ``assign`` accepts: partitions, or ranges by partition; None means that the whole partition is read.
ToAssign = Collection[TopicPartition] | Mapping[TopicPartition, OffsetRange | None]

#: What ``subscribe`` accepts: names, a pattern, or (deprecated) a compiled pattern of Python's ``re``.
Topics = Collection[str] | SubscriptionPattern | re.Pattern[str]

INT32_MAX, INT64_MAX = 2**31 - 1, 2**63 - 1
#: The longest wait (seconds). It is half of the longest lock timeout, so that callers can add to it.
LONGEST_WAIT_S = threading.TIMEOUT_MAX / 2


def checked_topics(topics: Topics) -> Subscribed:
    """Check the argument of ``subscribe``, and convert it to an event."""
    from kafka_nextgen.membership.events import Subscribed  # imported here, as manual assignment does not need it

    if isinstance(topics, re.Pattern):
        topics = SubscriptionPattern.of_compiled(topics)
    if isinstance(topics, SubscriptionPattern):
        return Subscribed(pattern=topics.pattern)
    names = checked_topic_names(topics, "subscribe")
    if not names:
        raise ValueError("subscribe() needs at least one topic; use unsubscribe() to give up all topics")
    return Subscribed(names)


def checked_topic_names(topics: Collection[str], call: str) -> frozenset[str]:
    """Check that these are valid topic names."""
    if isinstance(topics, str | bytes):
        raise TypeError(f"{call}() takes a collection of topic names; did you mean [{topics!r}]?")
    names = list(topics)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{call}() takes topic names of type str, not {name!r}")
        if complaint := topic_name_complaint(name):
            hint = f"; for a pattern pass SubscriptionPattern({name!r})" if name.startswith("^") else ""
            raise ValueError(f"{call}(): {complaint}{hint}")
    return frozenset(names)


def checked_partitions(partitions: Iterable[TopicPartition]) -> tuple[TopicPartition, ...]:
    """Check that these are valid partitions."""
    if isinstance(partitions, TopicPartition):
        raise TypeError(f"a collection of TopicPartition is needed; did you mean [{partitions!r}]?")
    return tuple(map(_checked_partition, partitions))


def _checked_partition(partition: TopicPartition) -> TopicPartition:
    if not isinstance(partition, TopicPartition):
        raise TypeError(f"a partition must be a kafka_nextgen.TopicPartition, not {_with_package(partition)}")
    if not isinstance(partition.topic, str):
        raise TypeError(f"invalid partition {partition!r}: its topic must be a str")
    complaint = topic_name_complaint(partition.topic)
    if complaint:
        raise ValueError(f"invalid partition {partition!r}: {complaint}")
    _within(partition.partition, INT32_MAX, f"invalid partition {partition!r}: its number")
    return partition


def _with_package(value: object) -> str:
    """Show a value; add the package if its class has a name of ours, because other clients use the same names."""
    if type(value).__name__ in (TopicPartition.__name__, OffsetAndMetadata.__name__):
        return f"{type(value).__module__.partition('.')[0]}.{value!r}"
    return repr(value)


def checked_ranges(partitions: ToAssign) -> dict[TopicPartition, OffsetRange]:
    """Check and return the ranges in the argument of ``assign``."""
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
    """Check a position in ``partition``."""
    _checked_partition(partition)
    given = offset if isinstance(offset, OffsetAndMetadata) else OffsetAndMetadata(offset)
    if given.offset == -1:
        raise ValueError(
            f"{partition}: -1 is not an offset: offsets_for_times() returns it if no record is that late; "
            "seek_to_end() goes to the end"
        )
    if given.offset == -2:  # of other clients
        raise ValueError(f"{partition}: -2 is not an offset: seek_to_beginning() goes to the beginning")
    if not isinstance(given.metadata, str):
        raise TypeError(f"{partition}: the metadata of an offset must be a str, not {given.metadata!r}")
    given.metadata.encode()  # raises UnicodeEncodeError, a ValueError, for a string that can't be encoded as UTF-8
    return OffsetAndMetadata(
        _within(given.offset, INT64_MAX, f"{partition}: an offset"),
        _within(given.leader_epoch, INT32_MAX, f"{partition}: a leader epoch", at_least=-1),
        given.metadata,
    )


def checked_offsets(offsets: Offsets) -> dict[TopicPartition, OffsetAndMetadata]:
    """Check offsets to commit; a record becomes the position after it, with its leader epoch."""
    if isinstance(offsets, Record):
        offsets = {offsets.topic_partition: OffsetAndMetadata(offsets.offset + 1, offsets.leader_epoch)}
    if not isinstance(offsets, Mapping):
        raise TypeError(
            "offsets must be a mapping from TopicPartition to the next offset to read, or a Record, not "
            f"{type(offsets).__name__}; those of a poll are records.next_offsets()"
        )
    return {tp: checked_offset(tp, offset) for tp, offset in offsets.items()}


def checked_timestamps(timestamps: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
    """Check timestamps by partition (milliseconds since the epoch; negative numbers are Kafka's special timestamps)."""
    checked_partitions(timestamps)
    return {
        tp: _within(timestamp, INT64_MAX, f"{tp}: a timestamp", at_least=-INT64_MAX)
        for tp, timestamp in timestamps.items()
    }


def _within(number: int, at_most: int, what: str, at_least: int = 0) -> int:
    """Return the number as an ``int``; numpy's integers are accepted."""
    try:
        whole = index(number)
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {_with_package(number)}") from None
    if not at_least <= whole <= at_most:
        raise ValueError(f"{what} must be a number from {at_least} to {at_most}, not {whole}")
    return whole


def checked_seconds(timeout: object) -> float:
    """Convert a timeout to seconds: a negative one to 0, infinity and None to the longest wait.

    Accepts a ``timedelta``. Raises TypeError for anything that is not a duration, and ValueError for NaN.
    """
    if type(timeout) is float and 0.0 <= timeout <= LONGEST_WAIT_S:  # the usual case; there may be thousands a second
        return timeout
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
