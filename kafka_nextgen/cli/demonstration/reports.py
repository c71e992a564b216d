"""Reports of a consumer process to its parent: JSON lines, each written by one ``write``.

Writes of up to PIPE_BUF bytes to a pipe are atomic (POSIX), so a killed process leaves no partial line. A record counts
as processed exactly when its ``Processed`` line is in the pipe. ``Committed`` is written after the commit succeeded, so
a killed process may have committed more than it reported, but never less.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import asdict, field
from crc32c import crc32c

from kafka_nextgen.lazy_attrs import frozen

__all__ = ["Assigned", "Committed", "Finished", "GivenUp", "Processed", "Report", "checksum", "read", "write"]


def _numbers(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(values)


def _offsets(offsets: Mapping[Any, int]) -> dict[int, int]:
    """Convert the keys back to integers: names in JSON objects are strings."""
    return {int(partition): offset for partition, offset in offsets.items()}


@frozen
class Assigned:
    """The process owns these partitions from now on."""

    partitions: tuple[int, ...] = field(converter=_numbers)


@frozen
class GivenUp:
    """The process no longer owns these partitions: revoked, or lost if ``lost``."""

    partitions: tuple[int, ...] = field(converter=_numbers)
    lost: bool = False


@frozen
class Processed:
    """The process processed a record; ``checksum`` covers the received key and value."""

    partition: int
    offset: int
    checksum: int


@frozen
class Committed:
    """The process committed these next offsets by partition."""

    offsets: Mapping[int, int] = field(converter=_offsets)


@frozen
class Finished:
    """The process has closed its consumer and exits."""


Report = Assigned | GivenUp | Processed | Committed | Finished
_KINDS: Mapping[str, type[Report]] = {
    kind.__name__: kind for kind in (Assigned, GivenUp, Processed, Committed, Finished)
}


def checksum(key: bytes | None, value: bytes | None) -> int:
    """Return the CRC-32C of a record's key and value."""
    return int(crc32c(value or b"", crc32c(key or b"")))


def write(report: Report) -> bytes:
    """Encode a report as a line."""
    return json.dumps([type(report).__name__, asdict(report)], separators=(",", ":")).encode() + b"\n"


def read(line: bytes) -> Report:
    """Decode a line. Raises ValueError if it is not a report."""
    try:
        kind, fields = json.loads(line)
        return _KINDS[kind](**fields)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a report: {line[:200]!r}") from error
