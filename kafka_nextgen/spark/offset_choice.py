"""Where a query starts and ends, as far as the options say it in words.

Three options say the same thing in three ways, and the first that is given counts, as in the built-in source
(``getKafkaOffsetRangeLimit`` in ``KafkaSourceProvider.scala``):

1. ``startingTimestamp``: one time for all partitions
2. ``startingOffsetsByTimestamp``: a time for each partition
3. ``startingOffsets``: ``earliest``, ``latest``, ``group`` (not known to the built-in source), or JSON

The same three begin with ``ending`` for the end. A streaming query has no end; a batch does not start at the latest
offset and does not end at the earliest. By default a batch starts at the earliest offset, a streaming query at the
latest.

JSON is kept as text: parsing it, and the rules about single partitions, belong to planning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from attrs import frozen

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark.option_values import read_number

__all__ = ["OffsetChoice", "OffsetKind", "read_end", "read_start", "unused_choices"]


class OffsetKind(Enum):
    """In which way an option says where to start or to end."""

    EARLIEST = "earliest"
    LATEST = "latest"
    GROUP = "group"
    OFFSETS = "offsets by partition"
    TIMESTAMPS = "timestamps by partition"
    TIMESTAMP = "timestamp"


@frozen
class OffsetChoice:
    """What the options say about the start or the end of a query.

    ``option`` is the option that says it, or the one whose default counts. ``text`` is its JSON, for offsets or
    timestamps by partition; ``timestamp_ms`` is in milliseconds since 1970, for one timestamp.
    """

    kind: OffsetKind
    option: str
    text: str | None = None
    timestamp_ms: int | None = None


def read_start(options: Mapping[str, str], *, is_streaming: bool) -> OffsetChoice:
    """Read where a query starts.

    Arguments:
        options: values by the name of the option in lower case.

    Raises ``ConfigError``.
    """
    choice = _read(options, "starting", OffsetKind.LATEST if is_streaming else OffsetKind.EARLIEST, _STARTS)
    if choice.kind is OffsetKind.LATEST and not is_streaming:
        raise ConfigError("startingOffsets can't be latest in a batch query: nothing would be read", choice.option)
    return choice


def read_end(options: Mapping[str, str], *, is_streaming: bool) -> OffsetChoice | None:
    """Read where a batch query ends; None for a streaming query. Raises ``ConfigError``."""
    if is_streaming:
        _refuse_ends(options)
        return None
    choice = _read(options, "ending", OffsetKind.LATEST, _ENDS)
    if choice.kind is OffsetKind.EARLIEST:
        raise ConfigError("endingOffsets can't be earliest: nothing would be read", choice.option)
    return choice


def unused_choices(options: Mapping[str, str], *, is_streaming: bool) -> Iterator[str]:
    """Warnings about options that another one makes useless."""
    for end in ("starting",) if is_streaming else ("starting", "ending"):
        first, *others = [option for option in _ways(end) if option.lower() in options] or [""]
        for option in others:
            yield f"the option {option} is ignored: {first} is given, which comes first"
    if is_streaming and "endingtimestamp" in options:
        yield "the option endingTimestamp is ignored: a streaming query has no end"


_STARTS = (OffsetKind.EARLIEST, OffsetKind.LATEST, OffsetKind.GROUP)
_ENDS = (OffsetKind.EARLIEST, OffsetKind.LATEST)


def _ways(end: str) -> tuple[str, str, str]:
    return f"{end}Timestamp", f"{end}OffsetsByTimestamp", f"{end}Offsets"


def _read(options: Mapping[str, str], end: str, default: OffsetKind, words: tuple[OffsetKind, ...]) -> OffsetChoice:
    timestamp, by_timestamp, by_offset = _ways(end)
    if timestamp.lower() in options:
        moment = read_number(timestamp, options[timestamp.lower()], 0)
        return OffsetChoice(OffsetKind.TIMESTAMP, timestamp, timestamp_ms=moment)
    if by_timestamp.lower() in options:
        return _json(OffsetKind.TIMESTAMPS, by_timestamp, options[by_timestamp.lower()], ())
    if by_offset.lower() not in options:
        return OffsetChoice(default, by_offset)
    said = options[by_offset.lower()].strip()
    word = next((kind for kind in words if kind.value == said.lower()), None)
    return _json(OffsetKind.OFFSETS, by_offset, said, words) if word is None else OffsetChoice(word, by_offset)


def _json(kind: OffsetKind, option: str, text: str, words: tuple[OffsetKind, ...]) -> OffsetChoice:
    if not text.strip().startswith("{"):
        wanted = ", ".join([*(word.value for word in words), 'JSON such as {"topicA":{"0":23}}'])
        raise ConfigError(f"{option} must be {wanted}, not {text!r}", option)
    return OffsetChoice(kind, option, text=text.strip())


def _refuse_ends(options: Mapping[str, str]) -> None:
    for option in _ways("ending")[1:]:
        if option.lower() in options:
            raise ConfigError(f"{option} can't be given in a streaming query, which has no end: remove it", option)
