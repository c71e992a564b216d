"""Finds the offsets that a scan reads in each partition.

- The range is fixed when the scan begins: records written later are not read, so a scan ends.
- ``since`` and ``until`` are times, compared with the records' timestamps as brokers index them: the range begins at
  the first record that is not older than ``since``, and ends before the first one that is not older than ``until``. In
  a topic whose producers set timestamps out of order, older records may follow.
- They can also be offsets by partition, such as the end of an earlier scan. Partitions missing in ``since`` are read
  from the beginning, and partitions missing in ``until`` to the end.
- Offsets in ``since`` are not moved: if records from there on were deleted, the scan fails, so that none is skipped
  silently. It also fails if such an offset is beyond the end of the log, which then lost records, or belongs to a new
  topic of the same name. ``auto.offset.reset`` does not apply, as for the ranges of ``Consumer.assign``.
- With ``isolation.level=read_committed``, the end is before the first open transaction, as for any consumer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.config import IsolationLevel
from kafka_nextgen.consumer import Consumer
from kafka_nextgen.errors import OffsetOutOfRangeError, UnknownTopicError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.scanning.times import Moment, moment_ms
from kafka_nextgen.types import OffsetRange, TopicPartition, format_partitions

__all__ = ["Edge", "LostRecordsError", "Offsets", "Question", "Topics", "question_of"]

#: Topics by name, or single partitions.
Topics = str | TopicPartition | Iterable[str | TopicPartition]
Offsets = Mapping[TopicPartition, int]
Edge = Moment | Offsets | None
Ranges = Mapping[TopicPartition, OffsetRange]


class LostRecordsError(OffsetOutOfRangeError):
    """Records from an offset in ``since`` on are not in the log. ``left`` are the ranges without them."""

    def __init__(self, message: str, partition: TopicPartition, left: Ranges) -> None:
        super().__init__(message, code=ErrorCode.OFFSET_OUT_OF_RANGE, partition=partition)
        self.left = left


@frozen
class Question:
    """What to scan: the topics and partitions, and the beginning and end (milliseconds or offsets)."""

    topics: tuple[str | TopicPartition, ...]
    since: int | Offsets | None
    until: int | Offsets | None

    def ranges(self, consumer: Consumer) -> dict[TopicPartition, OffsetRange]:
        """Look up the offsets of each partition.

        Raises UnknownTopicError, ValueError for offsets of other partitions, LostRecordsError if the record at an
        offset in ``since`` was deleted, or the offset is beyond the end of the log, and the errors of these lookups.
        """
        partitions = list(self._partitions(consumer))
        _check_read(self.since, partitions, "since")
        _check_read(self.until, partitions, "until")
        ids = {each.name: each.topic_id for each in consumer.describe_topics({tp.topic for tp in partitions}).values()}
        first = consumer.beginning_offsets(partitions).all()
        last = consumer.end_offsets(partitions).all()
        begins = _edge(consumer, self.since, first, last)
        ends = _edge(consumer, self.until, last, last)
        left = {
            tp: OffsetRange(max(begins[tp], first[tp]), min(ends[tp], last[tp]), ids.get(tp.topic)) for tp in partitions
        }
        _check_deleted(begins, first, ends, left)
        self._check_beyond(consumer, last, left)
        return left

    def _check_beyond(self, consumer: Consumer, last: Offsets, left: Ranges) -> None:
        """Raise LostRecordsError if an offset in ``since`` is beyond the end of the log, unless its range is empty."""
        since, until = (edge if isinstance(edge, Mapping) else {} for edge in (self.since, self.until))
        beyond = [tp for tp, begin in since.items() if last[tp] < begin < until.get(tp, begin + 1)]
        ends = _log_ends(consumer, beyond, last)
        lost = sorted(tp for tp in beyond if ends[tp] < since[tp])
        if lost:
            where = ", ".join(f"{tp} ends at offset {ends[tp]}, and since has {since[tp]}" for tp in lost)
            raise LostRecordsError(
                f"since is beyond the end of the log: {where}. The log was truncated, or the topic deleted and created "
                "again. To read the existing records, leave these partitions out of since: they are then read from "
                "their first record",
                lost[0],
                left,
            )

    def _partitions(self, consumer: Consumer) -> dict[TopicPartition, None]:
        found: dict[TopicPartition, None] = {}
        for each in self.topics:
            if isinstance(each, TopicPartition):
                found[each] = None
                continue
            numbers = consumer.partitions_for(each)
            if not numbers:
                message = f"topic {each!r} does not exist, or this principal may not see it"
                raise UnknownTopicError(message, code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            found.update(dict.fromkeys(TopicPartition(each, number) for number in numbers))
        return found


def question_of(topics: Topics, since: Edge, until: Edge, now_ms: int) -> Question:
    """Check the arguments of a scan. Raises TypeError or ValueError, naming the argument."""
    found = Question(_topics_of(topics), _checked(since, now_ms, "since"), _checked(until, now_ms, "until"))
    if isinstance(found.since, int) and isinstance(found.until, int) and found.since > found.until:
        raise ValueError(f"since={since!r} is later than until={until!r}")
    return found


def _topics_of(topics: Topics) -> tuple[str | TopicPartition, ...]:
    if isinstance(topics, (bytes, bytearray)) or not isinstance(topics, Iterable):
        raise TypeError(f"topics must be names or TopicPartitions, not {topics!r}")
    given = (topics,) if isinstance(topics, (str, TopicPartition)) else tuple(topics)
    if not given:
        raise ValueError("topics is empty: name at least one topic")
    for each in given:
        if not isinstance(each, (str, TopicPartition)):
            raise TypeError(f"topics must be names or TopicPartitions, not {each!r}")
    return given


def _checked(edge: Edge, now_ms: int, name: str) -> int | Offsets | None:
    if edge is None:
        return None
    if not isinstance(edge, Mapping):
        return moment_ms(edge, now_ms, name)
    for tp, offset in edge.items():
        if not isinstance(tp, TopicPartition) or not isinstance(offset, int) or isinstance(offset, bool):
            raise TypeError(f"{name} must map TopicPartitions to offsets, but it contains {tp!r}: {offset!r}")
        if offset < 0:
            raise ValueError(f"{name} has offset {offset} for {tp}, but offsets must not be negative")
    return edge


def _check_read(edge: int | Offsets | None, partitions: Iterable[TopicPartition], name: str) -> None:
    """Refuse offsets of partitions that are not read: they are probably typos."""
    if isinstance(edge, Mapping):
        others = edge.keys() - set(partitions)
        if others:
            raise ValueError(f"{name} has offsets of {format_partitions(others)}, which the scan does not read")


def _check_deleted(begins: Offsets, first: Offsets, ends: Offsets, left: Ranges) -> None:
    """Raise LostRecordsError if records of a range were deleted."""
    lost = sorted(tp for tp, begin in begins.items() if begin < first[tp] and begin < ends[tp])
    if lost:
        gone = ", ".join(f"{tp} from offset {begins[tp]} to {min(first[tp], ends[tp]) - 1}" for tp in lost)
        raise LostRecordsError(
            f"records of the range were deleted before they were read: {gone}. To read what is left, leave these "
            "partitions out of since: they are then read from their first record",
            lost[0],
            left,
        )


def _log_ends(consumer: Consumer, partitions: Sequence[TopicPartition], last: Offsets) -> Offsets:
    """Return the ends of logs; with ``read_committed``, ``last`` is before transactions that are still open."""
    if not partitions or consumer.config.isolation_level is IsolationLevel.READ_UNCOMMITTED:
        return last
    with Consumer(evolve(consumer.config, isolation_level=IsolationLevel.READ_UNCOMMITTED)) as other:
        return other.end_offsets(partitions).all()


def _edge(
    consumer: Consumer, edge: int | Offsets | None, otherwise: Offsets, last: Offsets
) -> dict[TopicPartition, int]:
    """The offset of each partition at ``edge``; ``otherwise`` if it has none."""
    if edge is None:
        return dict(otherwise)
    if isinstance(edge, Mapping):
        return {tp: edge.get(tp, offset) for tp, offset in otherwise.items()}
    found = consumer.offsets_for_times(dict.fromkeys(otherwise, edge)).all()
    # If all records of a partition are older, no offset is found: either none or all of them are in the range.
    return {tp: found[tp].offset if tp in found and found[tp].offset >= 0 else last[tp] for tp in otherwise}
