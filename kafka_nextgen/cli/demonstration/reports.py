"""What a consumer process tells the parent, a JSON object to a line, each line written by one ``write``.

A pipe takes a write of up to PIPE_BUF bytes as a whole or not at all (POSIX), so a process that is killed leaves no
half of a record behind. A ``Processed`` line IS the processing of its record: a record counts as processed when, and
only when, its line is in the pipe. ``Committed`` is written after the commit was answered, so a process that is killed
between the two has committed a little more than it told, never less.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from attrs import frozen
from crc32c import crc32c

__all__ = ["Assigned", "Committed", "Finished", "GivenUp", "Processed", "Report", "checksum", "read", "write"]


@frozen
class Assigned:
    """These partitions are this process's from now on."""

    partitions: tuple[int, ...]


@frozen
class GivenUp:
    """These no longer are: revoked, or lost already if ``lost``."""

    partitions: tuple[int, ...]
    lost: bool = False


@frozen
class Processed:
    """This record was processed; ``checksum`` is of its key and value as they arrived."""

    partition: int
    offset: int
    checksum: int


@frozen
class Committed:
    """The group's next offset in each of these partitions, committed by this process."""

    offsets: Mapping[int, int]


@frozen
class Finished:
    """The process has closed its consumer and ends."""


Report = Assigned | GivenUp | Processed | Committed | Finished


def checksum(key: bytes | None, value: bytes | None) -> int:
    """The CRC-32C of a record's key and value."""
    return int(crc32c(value or b"", crc32c(key or b"")))


def write(report: Report) -> bytes:
    """The line of a report."""
    return json.dumps(_to_json(report), separators=(",", ":")).encode() + b"\n"


def read(line: bytes) -> Report:
    """The report of a line; ValueError if it is none."""
    try:
        kind, *rest = json.loads(line)
        return _READERS[kind](*rest)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a report: {line[:200]!r}") from error


def _to_json(report: Report) -> list[object]:
    if isinstance(report, Processed):
        return ["processed", report.partition, report.offset, report.checksum]
    if isinstance(report, Committed):
        return ["committed", [list(pair) for pair in sorted(report.offsets.items())]]
    if isinstance(report, Assigned):
        return ["assigned", list(report.partitions)]
    if isinstance(report, GivenUp):
        return ["given up", list(report.partitions), report.lost]
    return ["finished"]


_READERS: Mapping[str, Callable[..., Report]] = {
    "processed": Processed,
    "committed": lambda pairs: Committed(dict(pairs)),
    "assigned": lambda partitions: Assigned(tuple(partitions)),
    "given up": lambda partitions, lost: GivenUp(tuple(partitions), lost),
    "finished": Finished,
}
