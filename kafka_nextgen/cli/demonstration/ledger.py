"""The proof: what was produced, set against what the consumer processes themselves said they processed.

It holds if

- every record that was produced was processed, with the key and value it was produced with;
- nothing was processed that was not produced;
- no process processed a record twice;
- a record was processed by a second process only if all processes but one were killed after processing it and
  before a commit of theirs covered it.

Every record that breaks a rule is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from attrs import define, field, frozen

from kafka_nextgen.cli.demonstration.reports import Committed, Processed

__all__ = ["Ledger", "Place", "Proof"]


class Place(NamedTuple):
    """Where a record is in the topic."""

    partition: int
    offset: int

    def __str__(self) -> str:
        return f"partition {self.partition} offset {self.offset}"


@frozen
class Proof:
    """What was found: the faults, empty if all is well, and how many records each killed process left uncommitted."""

    produced: int
    faults: tuple[str, ...]
    repeated: Mapping[str, int]


@define
class Ledger:
    """Takes notes while records are produced and processed; ``prove`` compares them."""

    _produced: dict[Place, int] = field(factory=dict)
    _processed: dict[Place, list[str]] = field(factory=dict)
    _committed: dict[tuple[str, int], int] = field(factory=dict)
    _killed: set[str] = field(factory=set)
    _checksums: dict[Place, list[int]] = field(factory=dict)

    def produced(self, partition: int, offset: int, checksum: int) -> None:
        """Note that the broker has this record."""
        self._produced[Place(partition, offset)] = checksum

    def processed(self, name: str, report: Processed) -> None:
        """Note that process ``name`` processed a record."""
        place = Place(report.partition, report.offset)
        self._processed.setdefault(place, []).append(name)
        self._checksums.setdefault(place, []).append(report.checksum)

    def committed(self, name: str, report: Committed) -> None:
        """Note what process ``name`` committed."""
        for partition, offset in report.offsets.items():
            self._committed[name, partition] = offset

    def killed(self, name: str) -> None:
        """Note that process ``name`` was killed."""
        self._killed.add(name)

    def count_produced(self) -> int:
        """How many records there are."""
        return len(self._produced)

    def count_processed(self) -> int:
        """How many different records were processed."""
        return len(self._processed)

    def was_uncommitted(self, name: str, place: Place) -> bool:
        """Whether no commit of ``name`` that it told of covers the record."""
        return place.offset >= self._committed.get((name, place.partition), 0)

    def prove(self) -> Proof:
        """Compare. Call it when every process has ended and everything it said has been noted."""
        repeated: dict[str, int] = {}
        for place, names in self._processed.items():
            for name in self._excused(place, names) if len(names) > 1 else ():
                repeated[name] = repeated.get(name, 0) + 1
        return Proof(len(self._produced), tuple(self._faults()), repeated)

    def _faults(self) -> Iterator[str]:
        for place, expected in self._produced.items():
            if place not in self._processed:
                yield f"{place}: never processed"
            elif any(found != expected for found in self._checksums[place]):
                yield f"{place}: processed with a key or value that was not produced"
        for place, names in sorted(self._processed.items()):
            if place not in self._produced:
                yield f"{place}: processed by {_list(names)}, never produced"
            if len(names) > 1 and not self._may_repeat(place, names):
                yield f"{place}: processed {len(names)} times, by {_list(names)}"

    def _may_repeat(self, place: Place, names: list[str]) -> bool:
        return len(set(names)) == len(names) and len(names) - len(self._excused(place, names)) <= 1

    def _excused(self, place: Place, names: list[str]) -> list[str]:
        """Those that were killed before a commit of theirs covered the record."""
        return [name for name in names if name in self._killed and self.was_uncommitted(name, place)]


def _list(names: list[str]) -> str:
    return ", ".join(names)
