"""The catalogue: everything a broker persists except records, as entries of a kind with a key and a JSON value.

A topic is an entry, and the configuration of a group is another. With a journal, each change is written to the file
before it is made in memory, and flushed to the disk unless its kind changes with every transaction. The journal is
rewritten when most of its lines are outdated.

The journal's first line identifies the format and its version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from uuid import uuid4

from kafka_nextgen.errors import StorageError
from kafka_nextgen.testing.broker.storage.journal import Journal

__all__ = ["Catalogue"]

_FORMAT = "kafka-nextgen data"
_VERSION = 1
_SPARE_LINES = 1_000  # up to this many outdated lines do not cause a rewrite

_Entries = dict[str, dict[str, object]]


class Catalogue:
    """The entries by kind and key; in memory only, unless it is opened with a journal."""

    def __init__(self) -> None:
        self.cluster_id = uuid4().hex[:22]  # as long as Kafka's
        self._entries: _Entries = {}
        self._lines = 0  # in the journal
        self._journal: Journal | None = None

    def open(self, journal: Journal) -> None:
        """Read the journal, or create it. Raises ``StorageError`` if it is damaged or not of this version."""
        assert not self._entries
        if journal.path.exists():
            self._read(journal)
        else:
            journal.rewrite([self._header()])
        self._journal = journal
        self._compact_journal()

    def entries(self, kind: str) -> Mapping[str, object]:
        """The entries of a kind, by key, in the order in which the keys were added."""
        return MappingProxyType(self._entries.get(kind, {}))

    def put(self, kind: str, key: str, value: object, *, sync: bool = True) -> None:
        """Add or replace an entry; ``value`` is any JSON value. Raises ``StorageError``.

        Without ``sync`` a crash of the process does not lose the entry, but a power failure may.
        """
        self._write([kind, key, value], sync)
        self._entries.setdefault(kind, {})[key] = value

    def remove(self, kind: str, key: str) -> None:
        """Remove an entry, if it exists. Raises ``StorageError``."""
        if key in self._entries.get(kind, {}):
            self._write([kind, key], sync=True)
            del self._entries[kind][key]

    def _write(self, change: list[object], sync: bool) -> None:
        if self._journal is not None:
            self._compact_journal()
            self._journal.append(change, sync=sync)
            self._lines += 1

    def _read(self, journal: Journal) -> None:
        lines = journal.read()
        self.cluster_id = _cluster_id(lines[0] if lines else None, journal)
        for change in lines[1:]:
            assert isinstance(change, list)
            self._apply(*change)
        self._lines = len(lines) - 1

    def _compact_journal(self) -> None:
        live = sum(map(len, self._entries.values()))
        if self._journal is not None and self._lines > 2 * live + _SPARE_LINES:
            self._journal.rewrite([self._header(), *self._live()])
            self._lines = live

    def _apply(self, kind: str, key: str, *value: object) -> None:
        entries = self._entries.setdefault(kind, {})
        if value:
            (entries[key],) = value
        else:
            entries.pop(key, None)

    def _live(self) -> Iterator[list[object]]:
        for kind, entries in self._entries.items():
            for key, value in entries.items():
                yield [kind, key, value]

    def _header(self) -> dict[str, object]:
        return {"format": _FORMAT, "version": _VERSION, "cluster_id": self.cluster_id}


def _cluster_id(header: object, journal: Journal) -> str:
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise StorageError(f"{journal.path} is not the catalogue of a broker's data directory: give an empty directory")
    if header.get("version") != _VERSION:
        raise StorageError(
            f"{journal.path.parent} has layout version {header.get('version')}, and only version {_VERSION} is "
            "supported: use the release that wrote it, or give an empty directory"
        )
    return str(header["cluster_id"])
