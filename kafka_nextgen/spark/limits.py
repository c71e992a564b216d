"""The start and the end of a query: the options for them, and the limits that a batch can't have.

Three options can set the start. The first one given takes precedence, as in Spark's built-in source
(``getKafkaOffsetRangeLimit`` in ``KafkaSourceProvider.scala``):

1. ``startingTimestamp``: one time for all partitions
2. ``startingOffsetsByTimestamp``: a time for each partition
3. ``startingOffsets``: ``earliest``, ``latest``, ``group`` (unknown to the built-in source), or JSON

The same options with ``ending`` set the end, except ``group``. A streaming query has no end. By default a batch query
starts at the earliest offset, and a streaming query at the latest.

The rules for batches match the built-in source:

- A batch can't start at the latest offset or end at the earliest, in any partition.
- If offsets by partition are given for both the start and the end, they name the same partitions, and no start is
  greater than its end. The same applies to timestamps. Here it also applies to one timestamp for all partitions, in
  which case the built-in source reads nothing.

Limits are equal by value, have a hash and can be sent to another process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import TypeAlias, TypeVar

from attrs import field

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.spark.errors import OffsetLimitError, PartitionsMismatchError, StartBeyondEndError
from kafka_nextgen.spark.offsets import EARLIEST, LATEST, parse_offsets, parse_timestamps
from kafka_nextgen.spark.option_values import OptionValues
from kafka_nextgen.spark.values import PartitionOffsets, first_few
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = [
    "Edge",
    "GlobalTimestamp",
    "GroupFallback",
    "GroupOffsets",
    "NoMatch",
    "OffsetLimit",
    "SpecificOffsets",
    "SpecificTimestamps",
    "check_batch_limits",
    "check_start_not_beyond_end",
    "read_end",
    "read_start",
    "unused_limits",
]


K = TypeVar("K")


class Edge(Enum):
    """The earliest or latest offset of every partition."""

    EARLIEST = "earliest"
    LATEST = "latest"


class NoMatch(str, Enum):
    """``startingOffsetsByTimestampStrategy``: where to start if no record has the timestamp or a later one."""

    ERROR = "error"
    LATEST = "latest"


class GroupFallback(str, Enum):
    """``groupFallback``: where to start in a partition for which the group has no committed offset."""

    ERROR = "error"
    EARLIEST = "earliest"
    LATEST = "latest"


def _by_value(numbers: Mapping[K, int]) -> frozenset[tuple[K, int]]:
    return frozenset(numbers.items())


@frozen
class SpecificOffsets:
    """Offsets by partition; they may be ``EARLIEST`` or ``LATEST``. Whole ``topics`` have one of these."""

    offsets: PartitionOffsets = field(eq=_by_value)
    topics: Mapping[str, int] = field(factory=dict, eq=_by_value)

    def of(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the offsets by partition; offsets of whole topics apply to their ``partitions``."""
        return {tp: self.topics[tp.topic] for tp in partitions if tp.topic in self.topics} | dict(self.offsets)

    def has(self, special: int) -> bool:
        """Whether any partition or topic has this special offset."""
        return special in self.offsets.values() or special in self.topics.values()


@frozen
class SpecificTimestamps:
    """Timestamps by partition, in milliseconds since the epoch."""

    timestamps: Mapping[TopicPartition, int] = field(eq=_by_value)
    no_match: NoMatch = NoMatch.ERROR


@frozen
class GlobalTimestamp:
    """One timestamp for all partitions, in milliseconds since the epoch."""

    timestamp_ms: int
    no_match: NoMatch = NoMatch.ERROR


@frozen
class GroupOffsets:
    """``startingOffsets=group``: the offsets that a group has committed."""

    group_id: str
    fallback: GroupFallback = GroupFallback.ERROR


#: A start or an end.
OffsetLimit: TypeAlias = Edge | SpecificOffsets | SpecificTimestamps | GlobalTimestamp | GroupOffsets


_EDGES = {edge.value: edge for edge in Edge}


def read_start(values: OptionValues, group_id: str | None, *, is_streaming: bool) -> OffsetLimit:
    """Read where a query starts; ``group_id`` is the group of ``startingOffsets=group``.

    Raises ``ConfigError``.
    """
    no_match = values.member("startingOffsetsByTimestampStrategy", NoMatch.ERROR)
    group = GroupOffsets(group_id or "", values.member("groupFallback", GroupFallback.ERROR))
    default = "latest" if is_streaming else "earliest"
    limit = _read(values, "starting", default, {**_EDGES, "group": group}, no_match)
    if limit is group and group_id is None:
        raise ConfigError(
            "startingOffsets=group requires groupId: the group whose committed offsets to start from", "groupId"
        )
    return limit


def read_end(values: OptionValues, *, is_streaming: bool) -> OffsetLimit | None:
    """Read where a batch query ends; None for a streaming query. Raises ``ConfigError``."""
    if not is_streaming:
        return _read(values, "ending", "latest", _EDGES)
    for option in _names("ending")[1:]:
        if option in values:
            raise ConfigError(f"{option} can't be given in a streaming query, which has no end: remove it", option)
    return None


def unused_limits(values: OptionValues, *, is_streaming: bool) -> Iterator[str]:
    """Return warnings about limits that have no effect."""
    for side in ("starting",) if is_streaming else ("starting", "ending"):
        first, *others = [option for option in _names(side) if option in values] or [""]
        for option in others:
            yield f"the option {option} is ignored: {first} is given, which takes precedence"
    if is_streaming and "endingTimestamp" in values:
        yield "the option endingTimestamp is ignored: a streaming query has no end"


def _names(side: str) -> tuple[str, str, str]:
    return f"{side}Timestamp", f"{side}OffsetsByTimestamp", f"{side}Offsets"


def _read(
    values: OptionValues,
    side: str,
    default: str,
    words: Mapping[str, OffsetLimit],
    no_match: NoMatch = NoMatch.ERROR,
) -> OffsetLimit:
    timestamp, by_timestamp, by_offset = _names(side)
    if (moment := values.optional_number(timestamp, 0)) is not None:
        return GlobalTimestamp(moment, no_match)
    if (moments := values.text(by_timestamp)) is not None:
        return SpecificTimestamps(parse_timestamps(moments, by_timestamp), no_match)
    text = values.text(by_offset)
    if text is None:
        text = default
    if text.lower() in words:
        return words[text.lower()]
    if not text.startswith("{"):
        wanted = ", ".join([*words, 'JSON such as {"topicA":{"0":23}}'])
        raise ConfigError(f"{by_offset} must be {wanted}, not {text!r}", by_offset)
    return SpecificOffsets(*parse_offsets(text, by_offset))


def check_batch_limits(start: OffsetLimit, end: OffsetLimit) -> None:
    """Check the limits of a batch.

    Raises ``OffsetLimitError`` for a start at the latest or an end at the earliest offset, ``PartitionsMismatchError``
    if the two name different partitions, ``StartBeyondEndError`` if a start is greater than its end.
    """
    _refuse_edge("startingOffsets", "a batch can't start at the latest offset", start, Edge.LATEST, LATEST)
    _refuse_edge("endingOffsets", "a batch can't end at the earliest offset", end, Edge.EARLIEST, EARLIEST)
    match start, end:
        case SpecificOffsets(first), SpecificOffsets(last) if not start.topics and not end.topics:
            _check_pairs("offset", first, last)
        case SpecificTimestamps(first), SpecificTimestamps(last):
            _check_pairs("timestamp", first, last)
        case GlobalTimestamp(begin_ms), GlobalTimestamp(end_ms) if begin_ms > end_ms:
            raise StartBeyondEndError(f"startingTimestamp {begin_ms} is greater than endingTimestamp {end_ms}")


def check_start_not_beyond_end(
    what: str, start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int], hint: str = ""
) -> None:
    """Raise ``StartBeyondEndError`` if a start is greater than its end; special offsets are not compared.

    In the message, ``what`` names the kind of number, and ``hint`` comes last.
    """
    beyond = [tp for tp in sorted(start) if start[tp] > end[tp] >= 0]
    if beyond:
        pairs = first_few([f"{tp} ({start[tp]} > {end[tp]})" for tp in beyond])
        raise StartBeyondEndError(f"the starting {what} is greater than the end in {pairs}{hint}", beyond)


def _check_pairs(what: str, start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int]) -> None:
    if start.keys() != end.keys():
        raise PartitionsMismatchError(
            f"starting and ending {what}s must name the same partitions: "
            f"start {format_partitions(start)}, end {format_partitions(end)}",
            sorted(start.keys() ^ end.keys()),
        )
    check_start_not_beyond_end(what, start, end)


def _refuse_edge(option: str, rule: str, limit: OffsetLimit, edge: Edge, special: int) -> None:
    if limit is edge or (isinstance(limit, SpecificOffsets) and limit.has(special)):
        where = f" (in {_places(limit, special)})" if isinstance(limit, SpecificOffsets) else ""
        raise OffsetLimitError(f"{option}: {rule}{where}", option)


def _places(limit: SpecificOffsets, special: int) -> str:
    partitions = [tp for tp, offset in limit.offsets.items() if offset == special]
    topics = [f'topic "{topic}"' for topic, offset in limit.topics.items() if offset == special]
    return ", ".join([*topics, *([format_partitions(partitions)] if partitions else [])])
