"""What is wrong with a steady life, to which nothing happens but that credentials change and connections are cut.

* A steady reader tells of no error. While a password or certificate is changed, and ``GRACE_S`` after, those whom it
  lets in may tell that the broker refuses them.
* Once a group of them has settled, none is given a partition, gives one up, or loses one: that would be flapping.
* What an idle reader has committed stays stored, however long it reads nothing.

Trouble excuses the first two: the machine did not let processes run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping

from tests.endtoend.report import Line
from tests.verification.soak.accounts import FOREVER, Reader
from tests.verification.soak.places import name_of

GRACE_S = 10.0  # a refused login is tried again after up to ten times reconnect.backoff.max.ms, half a second here
QUIET_S = 3.0
_REFUSALS = re.compile(r"\b(AuthenticationError|TlsError)\(")


class Steadiness:
    """Judges lines in the order of their times; ``refusals`` counts, by credential, those that were to be expected."""

    def __init__(self) -> None:
        self.refusals: dict[str, int] = {"password": 0, "certificate": 0}
        self._changing_until: dict[str, float] = {}  # by credential
        self._settled: set[str] = set()
        self._kept: dict[str, dict[int, int]] = {}  # by group
        self._rules: Mapping[str, Callable[[Reader, Line], Iterator[str] | None]] = {
            "changing": self._changes,
            "changed": self._changes,
            "settled": self._settles,
            "ending": self._ends,
            "idle": self._is_idle,
            "stored": self._stored,
        }

    def judge(self, reader: Reader, line: Line, is_excused: bool) -> Iterator[str]:
        if line.what in self._rules:
            return self._rules[line.what](reader, line) or iter(())
        return iter(()) if is_excused or not reader.is_steady else self._of_a_member(reader, line)

    def _of_a_member(self, reader: Reader, line: Line) -> Iterator[str]:
        if line.what == "trouble":
            yield from self._error(reader, line)
        elif line.what in ("assigned", "revoked", "lost") and reader.group in self._settled:
            places = sorted(map(name_of, line.partitions))
            yield f"{reader.name} flapped: {line.what} {places} after {reader.group} had settled"

    def _error(self, reader: Reader, line: Line) -> Iterator[str]:
        is_expected = line.at <= self._changing_until.get(reader.credential, -FOREVER)
        if is_expected and _REFUSALS.search(line.note):
            self.refusals[reader.credential] += 1
        else:
            yield f"{reader.name} told of {line.note}, and nothing had been done to it"

    def _changes(self, reader: Reader, line: Line) -> None:
        self._changing_until[line.note] = FOREVER if line.what == "changing" else line.at + GRACE_S

    def _settles(self, reader: Reader, line: Line) -> None:
        self._settled.add(reader.group)

    def _ends(self, reader: Reader, line: Line) -> None:
        self._settled.discard(reader.group)

    def _is_idle(self, reader: Reader, line: Line) -> None:
        self._kept[reader.group] = dict(line.offsets)

    def _stored(self, reader: Reader, line: Line) -> Iterator[str]:
        kept = self._kept.get(reader.group, {})
        for key, offset in list(kept.items()):
            if line.offsets.get(key) != offset:
                del kept[key]  # is told once
                there = line.offsets.get(key, "nothing")
                yield f"{reader.group} has {there} stored for {name_of(key)}, where an idle reader keeps {offset}"


class Holdings:
    """Who has which partitions by what members told, to know when a group has settled."""

    def __init__(self) -> None:
        self._owned: dict[str, set[int]] = defaultdict(set)
        self._moved_at: dict[str, float] = {}

    def hear(self, name: str, line: Line) -> None:
        if line.what == "assigned":
            self._owned[name].update(line.partitions)
        elif line.what in ("revoked", "lost"):
            self._owned[name].difference_update(line.partitions)
        else:
            return
        self._moved_at[name] = line.at

    def are_settled(self, names: Collection[str], partitions: int, now: float) -> bool:
        """Whether each of them has an equal share of so many partitions, and nothing has moved for a while."""
        moved_at = max(self._moved_at.get(name, FOREVER) for name in names)
        return moved_at < now - QUIET_S and all(len(self._owned[name]) == partitions // len(names) for name in names)
