"""How scenarios write what the protocol speaks of: partitions, times, epochs.

Partitions are written as everywhere in this project, ``orders[0-3,7] audit[0]``; ``-`` is none, and so is ``orders[]``.
Times have their unit: ``5s``, ``250ms``, ``5m``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kafka_nextgen.cli.partitions import NotationError, parse_partitions
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "NotationError",
    "parse_duration",
    "parse_offset",
    "parse_partition",
    "parse_partitions",
    "write_duration",
    "write_offsets",
]

_DURATION = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>ms|s|m)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}


def parse_partition(word: str) -> TopicPartition:
    """Read ``orders[3]``. Raises ``NotationError``."""
    found = parse_partitions(word)
    if len(found) != 1:
        raise NotationError(f"{word!r} is not one partition: write orders[3]")
    (partition,) = found
    return partition


def parse_offset(word: str) -> tuple[TopicPartition, int]:
    """Read ``orders[3]=42``. Raises ``NotationError``."""
    partition, _, offset = word.partition("=")
    if not offset.isdigit():
        raise NotationError(f"{word!r} is not a partition with an offset: write orders[3]=42")
    return parse_partition(partition), int(offset)


def parse_duration(text: str) -> float:
    """Read ``5s``, ``250ms`` or ``5m``, as seconds. Raises ``NotationError``."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise NotationError(f"{text!r} is no time: write 5s, 250ms or 5m")
    return float(match["number"]) * _SECONDS[match["unit"]]


def write_duration(milliseconds: int) -> str:
    """Write ``5s`` or ``250ms``."""
    return f"{milliseconds}ms" if milliseconds % 1000 else f"{milliseconds // 1000}s"


def write_offsets(offsets: Mapping[TopicPartition, OffsetAndMetadata | None]) -> str:
    """Write ``orders[0]=42 orders[1]=-``."""
    return " ".join(f"{tp}={'-' if at is None else at.offset}" for tp, at in sorted(offsets.items())) or "-"
