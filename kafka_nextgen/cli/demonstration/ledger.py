"""The proof: compares what was produced with what the consumer processes reported as processed.

It holds if:

- every produced record was processed with its key and value;
- nothing was processed that was not produced;
- no process processed a record twice;
- a record was processed by several processes only if all of them except one were killed after processing it and before
  their commits covered it.

The faults name every record that breaks a rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from attrs import field

from kafka_nextgen.cli.demonstration.reports import Committed, Processed
from kafka_nextgen.lazy_attrs import define, frozen

__all__ = ["Ledger", "Proof"]


class _RecordPosition(NamedTuple):
    """The partition and offset of a record."""

    partition: int
    offset: int

    def __str__(self) -> str:
        return f"partition {self.partition} offset {self.offset}"


@frozen
class Proof:
    """The faults, empty if the proof holds, and how many records each killed process left uncommitted."""

    produced: int
    faults: tuple[str, ...]
    repeated: Mapping[str, int]


@define
class Ledger:
    """Records what was produced and processed; ``prove`` compares the two."""

    _produced: dict[_RecordPosition, int] = field(factory=dict)
    _processed: dict[_RecordPosition, list[tuple[str, int]]] = field(factory=dict)  # the worker, and the checksum
    _committed: dict[tuple[str, int], int] = field(factory=dict)
    _killed: set[str] = field(factory=set)

    def produced(self, partition: int, offset: int, checksum: int) -> None:
        """Record that the broker has this record."""
        self._produced[_RecordPosition(partition, offset)] = checksum

    def processed(self, name: str, report: Processed) -> None:
        """Record that process ``name`` processed a record."""
        position = _RecordPosition(report.partition, report.offset)
        self._processed.setdefault(position, []).append((name, report.checksum))

    def committed(self, name: str, report: Committed) -> None:
        """Record a commit of process ``name``."""
        for partition, offset in report.offsets.items():
            self._committed[name, partition] = offset

    def killed(self, name: str) -> None:
        """Record that process ``name`` was killed."""
        self._killed.add(name)

    def count_produced(self) -> int:
        """Return the number of produced records."""
        return len(self._produced)

    def count_processed(self) -> int:
        """Return the number of distinct processed records."""
        return len(self._processed)

    def prove(self) -> Proof:
        """Compare. Call this when all processes have ended and all their reports are recorded."""
        repeated: Counter[str] = Counter()
        for position in self._processed:
            names = self._names(position)
            if len(names) > 1:
                repeated.update(self._excused(position, names))
        return Proof(len(self._produced), tuple(self._faults()), repeated)

    def _names(self, position: _RecordPosition) -> list[str]:
        return [name for name, _ in self._processed[position]]

    def _faults(self) -> Iterator[str]:
        for position, expected in self._produced.items():
            if position not in self._processed:
                yield f"{position}: never processed"
            elif any(found != expected for _, found in self._processed[position]):
                yield f"{position}: processed with a key or value that was not produced"
        for position in sorted(self._processed):
            names = self._names(position)
            if position not in self._produced:
                yield f"{position}: processed by {', '.join(names)}, never produced"
            if len(names) > 1 and not self._may_repeat(position, names):
                yield f"{position}: processed {len(names)} times, by {', '.join(names)}"

    def _may_repeat(self, position: _RecordPosition, names: list[str]) -> bool:
        return len(set(names)) == len(names) and len(names) - len(self._excused(position, names)) <= 1

    def _excused(self, position: _RecordPosition, names: list[str]) -> list[str]:
        """Return the processes that were killed before their commits covered the record."""
        partition, offset = position
        return [name for name in names if name in self._killed and offset >= self._committed.get((name, partition), 0)]
