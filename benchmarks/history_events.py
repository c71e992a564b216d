"""Events of groups that never were: so many lines, the same for the same seed, and what they should come to.

Run as ``python -m benchmarks.history_events --events 2000000 --output DIRECTORY`` from the root of the repository.

A group has a topic. Its members commit every few seconds, a poller measures the lag, and now and then a member joins,
leaves, or is put out because it does not poll. Then the coordinator makes a group epoch, members give partitions up and
get others, and all of this is written by those who see it. A rebalance is over before the next one.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from pathlib import Path

import click
from attrs import asdict, define, field, frozen

__all__ = ["Group", "Told", "write_events"]

START_MS = 1_780_000_000_000
TICK_MS = 5_000
#: A group of so many partitions has at most half as many members.
PARTITIONS = 24
#: How likely it is that the members change within a tick.
CHURN = 0.05
TICKS_PER_LAG = 6
LINES_PER_FILE = 1_000_000


@define
class Told:
    """What was written, and what it should come to."""

    events: int = 0
    rebalances: int = 0
    moved: int = 0
    stood_ms: int = 0
    members: int = 0
    poll_timeouts: int = 0
    lags: int = 0

    def add(self, other: Told) -> None:
        """Add what another wrote."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)


@define
class Group:
    """One group, line by line; ``told`` counts along."""

    name: str
    seed: int
    told: Told = field(factory=Told)
    _at: int = START_MS
    _epoch: int = 0
    _owned: dict[str, list[int]] = field(factory=dict)
    _seqs: Counter[str] = field(factory=Counter)
    _ends: list[int] = field(factory=lambda: [0] * PARTITIONS)
    _committed: list[int] = field(factory=lambda: [0] * PARTITIONS)
    _chance: random.Random = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._chance = random.Random(f"{self.seed} {self.name}")

    def ticks(self) -> Iterator[list[str]]:
        """Lines without end, tick by tick; a rebalance is over within its tick."""
        yield list(self._join())
        for tick in count():
            self._at += TICK_MS
            lines = list(self._change()) if self._chance.random() < CHURN else []
            lines += self._commits(tick)
            lines += self._lags() if tick % TICKS_PER_LAG == 0 else ()
            yield lines

    def _line(self, at: int, source: str, kind: str, rest: str) -> str:
        self._seqs[source] = seq = self._seqs[source] + 1
        self.told.events += 1
        return (
            f'{{"v":1,"at":{at},"seq":{seq},"source":"{source}","cluster":"c1","group":"{self.name}",'
            f'"protocol":"consumer","kind":"{kind}"{rest}}}\n'
        )

    def _commits(self, tick: int) -> Iterator[str]:
        for member, partitions in self._owned.items():
            for partition in partitions:
                self._ends[partition] += 50 + (partition * 7 + tick) % 11
                self._committed[partition] = offset = self._ends[partition] - partition % 5
                rest = f',"member":"{member}","topic":"orders","partitions":[{partition}],"offset":{offset},"ms":3'
                yield self._line(self._at + 4_000, f"consumer:{member}", "committed", rest)

    def _lags(self) -> Iterator[str]:
        for partition, (end, committed) in enumerate(zip(self._ends, self._committed, strict=True)):
            self.told.lags += 1
            rest = f',"topic":"orders","partitions":[{partition}],"offset":{committed},"end":{end}'
            yield self._line(self._at + 4_500, "poller:p1", "lag", rest)

    # ---- members come and go

    def _change(self) -> Iterator[str]:
        members = len(self._owned)
        if members < 2 or (members < PARTITIONS // 2 and self._chance.random() < 0.5):
            yield from self._join()
        else:
            yield from self._lose(self._chance.choice(list(self._owned)))

    def _join(self) -> Iterator[str]:
        member = f"{self.name}-m{self.told.members}"
        self.told.members += 1
        self._owned[member] = []
        yield from self._rebalance(member, "member joined", set())

    def _lose(self, member: str) -> Iterator[str]:
        freed = set(self._owned.pop(member))
        is_timed_out = self._chance.random() < 0.3
        self.told.poll_timeouts += is_timed_out
        kind, cause = ("fenced", ',"cause":"poll timeout"') if is_timed_out else ("left", "")
        yield self._line(self._at, "coordinator:1", kind, f',"member":"{member}","epoch":{self._epoch}{cause}')
        yield from self._rebalance(member, f"member {kind}", freed)

    def _rebalance(self, by: str, cause: str, freed: set[int]) -> Iterator[str]:
        self._epoch += 1
        self.told.rebalances += 1
        rest = f',"member":"{by}","epoch":{self._epoch},"cause":"{cause}"'
        yield self._line(self._at, "coordinator:1", "group epoch", rest)
        if by in self._owned:
            of_member = f',"member":"{by}","client":"c","host":"h","epoch":{self._epoch}'
            yield self._line(self._at, "coordinator:1", "joined", of_member)
        taken = self._taken()
        for member, partitions in taken.items():
            yield self._of_partitions(self._at + 200, member, "revoked", partitions)
        free = sorted(freed.union(*taken.values()) if self._epoch > 1 else range(PARTITIONS))
        given = self._given(free)
        for member in self._owned:
            took_ms = 500 + 100 * bool(given.get(member))
            yield self._of_partitions(self._at + took_ms, member, "assigned", given.get(member, []))
            self._count_moves(given.get(member, []), freed, took_ms)

    def _count_moves(self, given: list[int], freed: set[int], took_ms: int) -> None:
        if self._epoch > 1:
            self.told.moved += len(given)
            self.told.stood_ms += sum(took_ms - (0 if partition in freed else 200) for partition in given)

    def _of_partitions(self, at: int, member: str, kind: str, partitions: list[int]) -> str:
        what = ",".join(map(str, partitions))
        rest = f',"member":"{member}","epoch":{self._epoch},"topic":"orders","partitions":[{what}]'
        return self._line(at, f"consumer:{member}", kind, rest)

    def _taken(self) -> dict[str, list[int]]:
        """Take from members what they have beyond their share."""
        most = -(-PARTITIONS // len(self._owned))
        taken = {}
        for member, partitions in self._owned.items():
            if len(partitions) > most:
                taken[member], partitions[most:] = partitions[most:], []
        return taken

    def _given(self, free: list[int]) -> dict[str, list[int]]:
        given: dict[str, list[int]] = {}
        for partition in free:
            member = min(self._owned, key=lambda each: len(self._owned[each]))
            self._owned[member].append(partition)
            given.setdefault(member, []).append(partition)
        return given


@frozen
class _Share:
    folder: str
    group: str
    events: int
    seed: int


def write_events(folder: Path, events: int, groups: int, seed: int = 1, processes: int = 2) -> Told:
    """Write at least so many events of so many groups, spread evenly, as files of JSON lines; return what was told."""
    folder.mkdir(parents=True, exist_ok=True)
    shares = [_Share(str(folder), f"group-{number}", -(-events // groups), seed) for number in range(groups)]
    told = Told()
    with ProcessPoolExecutor(processes) as pool:
        for of_group in pool.map(_write, shares):
            told.add(Told(**of_group))
    return told


def _write(share: _Share) -> dict[str, int]:
    group = Group(share.group, share.seed)
    ticks = group.ticks()
    for number in count():
        with (Path(share.folder) / f"{share.group}.jsonl.{number}").open("w") as file:
            while group.told.events < min(share.events, LINES_PER_FILE * (number + 1)):
                file.writelines(next(ticks))
        if group.told.events >= share.events:
            break
    return asdict(group.told)


@click.command(help=__doc__)
@click.option("--events", default=2_000_000, show_default=True)
@click.option("--groups", default=50, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--output", type=click.Path(path_type=Path), required=True)
def main(events: int, groups: int, seed: int, output: Path) -> None:
    print(json.dumps(asdict(write_events(output, events, groups, seed))))


if __name__ == "__main__":
    main()
