"""What a reading is to read, and where its tables go."""

from __future__ import annotations

import hashlib
from typing import Any

import pyarrow as pa
from attrs import define, field, frozen

from benchmarks.consuming import task as consuming

__all__ = ["Seen", "Task", "digest"]

#: Columns that only our tables have: the others are made of the values alone.
_OF_RECORDS = ("partition", "offset", "timestamp")


@frozen
class Task:
    """Read ``records`` of the topic with this client and decoder; ``is_checked`` asks for a digest of the rows."""

    format: str
    shape: str
    client: str
    decoder: str
    bootstrap_servers: str
    topic: str
    partitions: int
    records: int
    is_checked: bool = False

    @property
    def of_client(self) -> consuming.Task:
        """The same for the configuration of a client, tuned for throughput."""
        return consuming.Task("", self.bootstrap_servers, self.topic, self.partitions, self.records)


@define
class Seen:
    """The tables of a reading: they are counted, and kept only if they are to be checked."""

    wanted: int
    is_checked: bool = False
    rows: int = 0
    _kept: list[pa.Table] = field(factory=list)

    def take(self, table: pa.Table) -> None:
        assert table.nbytes > 0
        self.rows += table.num_rows
        if self.is_checked:
            self._kept.append(table)

    @property
    def is_all(self) -> bool:
        return self.rows >= self.wanted

    def digest(self) -> str:
        """A digest of the rows; empty if they were not kept."""
        return digest(self._kept) if self.is_checked else ""


def digest(tables: list[pa.Table]) -> str:
    """The same for the same rows in the same order, whichever types of Arrow hold them."""
    rows = [row for table in tables for row in table.to_pylist()]
    return hashlib.sha256(repr([_plain(row, skipped=_OF_RECORDS) for row in rows]).encode()).hexdigest()


def _plain(value: Any, skipped: tuple[str, ...] = ()) -> Any:
    """Maps, which some ways take for structs, as sorted pairs; times as texts, as their zones are of many classes."""
    if isinstance(value, dict):
        return [(name, _plain(one)) for name, one in sorted(value.items()) if name not in skipped]
    if isinstance(value, list):
        rows = [_plain(one) for one in value]
        return sorted(rows) if value and isinstance(value[0], tuple) else rows
    if isinstance(value, tuple):
        return tuple(_plain(one) for one in value)
    return value.isoformat() if hasattr(value, "isoformat") else value
