"""Where a query starts and ends, as the options say it.

Three options say it in three ways, and the first that is given counts, as in the built-in source
(``getKafkaOffsetRangeLimit`` in ``KafkaSourceProvider.scala``):

1. ``startingTimestamp``: one time for all partitions
2. ``startingOffsetsByTimestamp``: a time for each partition
3. ``startingOffsets``: ``earliest``, ``latest``, ``group`` (not known to the built-in source), or JSON

The same three begin with ``ending`` for the end. A streaming query has no end. By default a batch starts at the
earliest offset and a streaming query at the latest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark.limits import (
    Edge,
    GlobalTimestamp,
    GroupFallback,
    GroupOffsets,
    NoMatch,
    OffsetLimit,
    SpecificOffsets,
    SpecificTimestamps,
)
from kafka_nextgen.spark.offsets import parse_offsets, parse_timestamps
from kafka_nextgen.spark.option_values import OptionValues

__all__ = ["read_end", "read_start", "unused_limits"]

_EDGES = {edge.value: edge for edge in Edge}


def read_start(values: OptionValues, group_id: str | None, *, is_streaming: bool) -> OffsetLimit:
    """Read where a query starts; ``group_id`` is the group that ``startingOffsets=group`` means.

    Raises ``ConfigError``.
    """
    no_match = values.member("startingOffsetsByTimestampStrategy", NoMatch.ERROR)
    group = GroupOffsets(group_id or "", values.member("groupFallback", GroupFallback.ERROR))
    default = "latest" if is_streaming else "earliest"
    limit = _read(values, "starting", default, {**_EDGES, "group": group}, no_match)
    if limit is group and group_id is None:
        raise ConfigError("startingOffsets=group needs groupId, the group whose offsets are meant", "groupId")
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
    """Warnings about options that another one makes useless."""
    for side in ("starting",) if is_streaming else ("starting", "ending"):
        first, *others = [option for option in _names(side) if option in values] or [""]
        for option in others:
            yield f"the option {option} is ignored: {first} is given, which comes first"
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
    return SpecificOffsets(parse_offsets(text, by_offset))
