"""Judging a group by what its members told: nothing missed, nothing repeated without a cause, one owner at a time.

What makes the judgement exact:

* A worker tells what ``poll`` returned before it processes or commits it. A SIGKILL can therefore hide a
  delivery only if no commit covered it; such a record has to come again, so one that is missing from all
  output is lost indeed.
* A record may come twice only if every delivery but the last was to a member that was killed, and was at or
  past the offset that was stored for its partition when that member was dead. The stored offset is asked from
  the coordinator right after the death, while the dead member's session still keeps everyone else from its
  partitions: unlike the last line the member got out, it includes a commit that was stored but whose answer
  nobody read. It may never be behind a commit that the member saw acknowledged.
* A member owns a partition from the beginning of ``on_partitions_assigned`` to the end of
  ``on_partitions_revoked`` or ``on_partitions_lost``, or to its death. Both bounds are inside what the
  coordinator counts as ownership, so intervals of two members that overlap are two owners. A killed member's
  interval ends with it: the rule is about live members.
* Within one ownership of a partition the offsets follow each other without a hole and without a step back:
  the reading of a kept partition was not started again by somebody else's rebalance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from attrs import define, field, frozen

from tests.endtoend.report import Line, Run

FOREVER = float("inf")


@frozen
class History:
    """One member's whole output; for a killed one also when it was dead and what was stored then, by partition."""

    member: str
    lines: Sequence[Line]
    killed_at: float | None = None
    stored: Mapping[int, int] = field(factory=dict)


@define
class Ownership:
    """A member's time with one partition, and what it was given of it, with the time of each delivery."""

    member: str
    partition: int
    begin: float
    end: float = FOREVER
    deliveries: list[tuple[float, Run]] = field(factory=list)


@frozen
class Gap:
    """The longest time between two deliveries of one partition to one owner."""

    length_s: float = 0.0
    member: str = "-"
    partition: int = -1

    def __str__(self) -> str:
        return f"{self.length_s:.3f} s (partition {self.partition}, member {self.member})"


def complaints(histories: Sequence[History], records: Mapping[int, int]) -> list[str]:
    """Return everything that is wrong; ``records`` is how many records each partition has."""
    return [
        *_missing(histories, records),
        *_unlawful_repeats(histories),
        *_misplaced_or_lost(histories),
        *_read_without_owning(histories),
        *_two_owners(histories),
        *_broken_runs(histories),
        *_forgotten_commits(histories),
    ]


def ownerships(history: History) -> list[Ownership]:
    """Return the member's ownerships in the order in which they began."""
    every: list[Ownership] = []
    current: dict[int, Ownership] = {}
    for line in history.lines:
        if line.what == "assigned":
            fresh = [Ownership(history.member, partition, line.at) for partition in line.partitions]
            current.update({each.partition: each for each in fresh})
            every += fresh
        for run in line.runs if line.what == "delivered" else ():
            if run.partition in current:
                current[run.partition].deliveries.append((line.at, run))
        for partition in line.partitions if line.what in ("revoked", "lost") else ():
            current.pop(partition).end = line.at
    for each in current.values():
        each.end = FOREVER if history.killed_at is None else history.killed_at
    return every


def repeated(histories: Sequence[History]) -> int:
    """Return how many deliveries there were of records that had been delivered before."""
    return sum(len(given) - 1 for given in _deliveries(histories).values())


def longest_gaps(histories: Sequence[History]) -> tuple[Gap, Gap]:
    """Return the longest gap in reading a partition kept while others moved, and the longest at other times."""
    every = [each for history in histories for each in ownerships(history)]
    moves = list(_moves(every))
    during, otherwise = Gap(), Gap()
    for each in every:
        for (before, _), (after, _) in pairwise(each.deliveries):
            gap = Gap(after - before, each.member, each.partition)
            if any(begin <= after and before <= end for begin, end in moves):
                during = max(during, gap, key=lambda one: one.length_s)
            else:
                otherwise = max(otherwise, gap, key=lambda one: one.length_s)
    return during, otherwise


def _moves(every: Sequence[Ownership]) -> Iterator[tuple[float, float]]:
    # A partition is on its way from the end of one ownership (or its owner's death) to the beginning of the next.
    for _, owners in _by_partition(every):
        for before, after in pairwise(owners):
            yield before.end, after.begin


def _by_partition(every: Sequence[Ownership]) -> list[tuple[int, list[Ownership]]]:
    grouped: dict[int, list[Ownership]] = defaultdict(list)
    for each in sorted(every, key=lambda one: one.begin):
        grouped[each.partition].append(each)
    return sorted(grouped.items())


def _deliveries(histories: Sequence[History]) -> dict[tuple[int, int], list[tuple[float, History]]]:
    given: dict[tuple[int, int], list[tuple[float, History]]] = defaultdict(list)
    for history in histories:
        for line in history.lines:
            for run in line.runs if line.what == "delivered" else ():
                for offset in range(run.first, run.last + 1):
                    given[run.partition, offset].append((line.at, history))
    return given


def _missing(histories: Sequence[History], records: Mapping[int, int]) -> Iterator[str]:
    seen = _deliveries(histories).keys()
    for partition, count in records.items():
        missing = [offset for offset in range(count) if (partition, offset) not in seen]
        if missing:
            yield f"partition {partition}: {len(missing)} records were never delivered, the first at {missing[0]}"


def _unlawful_repeats(histories: Sequence[History]) -> Iterator[str]:
    for (partition, offset), given in _deliveries(histories).items():
        given.sort(key=lambda delivery: delivery[0])
        names = [history.member for _, history in given]
        where = f"partition {partition} offset {offset}"
        if len(set(names)) < len(names):
            yield f"{where} was delivered twice to one member: {names}"
        for _, history in given[:-1]:
            if history.killed_at is None:
                yield f"{where} was delivered to {names}, but nobody killed {history.member}"
            elif offset < (stored := history.stored.get(partition, 0)):
                yield f"{where} was delivered to {names}, but the killed {history.member} had committed {stored}"


def _misplaced_or_lost(histories: Sequence[History]) -> Iterator[str]:
    for history in histories:
        for line in history.lines:
            if line.what == "misplaced":
                yield f"{history.member} was given records that belong elsewhere: {line.runs}"
            elif line.what == "lost":
                yield f"{history.member} lost {line.partitions} although it was alive"


def _read_without_owning(histories: Sequence[History]) -> Iterator[str]:
    for history in histories:
        owned: set[int] = set()
        for line in history.lines:
            if line.what == "assigned":
                owned |= set(line.partitions)
            elif line.what in ("revoked", "lost"):
                owned -= set(line.partitions)
            for run in line.runs:
                if run.partition not in owned:
                    yield f"{history.member} was given {run} but owned only {sorted(owned)}"


def _two_owners(histories: Sequence[History]) -> Iterator[str]:
    every = [each for history in histories for each in ownerships(history)]
    for partition, owners in _by_partition(every):
        for before, after in pairwise(owners):
            if after.begin < before.end:
                yield f"partition {partition} had two owners at once: {before.member} and {after.member}"


def _broken_runs(histories: Sequence[History]) -> Iterator[str]:
    for history in histories:
        for each in ownerships(history):
            for (_, before), (_, after) in pairwise(each.deliveries):
                if after.first != before.last + 1:
                    yield f"{each.member} read {before} and then {after} without giving the partition up"


def _forgotten_commits(histories: Sequence[History]) -> Iterator[str]:
    for history in histories:
        for line in history.lines if history.killed_at is not None else ():
            for partition, offset in line.offsets.items():
                stored = history.stored.get(partition, -1)
                if stored < offset:
                    yield f"{history.member} saw {offset} committed for {partition}, but stored is {stored}"
