"""Judges a soak by what its members told, while it runs: every record accounted for, and every odd thing explained.

Lines of all members are judged in the order of their times, some while after they came, when nothing older can come
any more: a process that was stopped tells late. The rules, for each group and each key (a partition of one incarnation
of a topic):

* Nothing is skipped: an ownership begins at or before the first offset that nobody in the group has processed.
* Nothing is repeated without a cause: it begins at or behind the last commit that was acknowledged. A member that
  gives a partition up by ``on_partitions_revoked`` has committed all it processed. So records come again only after
  a member that was killed, fenced or cut off before it committed, or after a seek. Where partitions are assigned by
  name, a member that learns late that a topic was created again starts over in it, and commits its start.
* Within an ownership offsets follow each other, except after a seek; nothing comes of what is paused.
* One owner at a time; two only if the first was in trouble (below), and no commit of it is accepted from then on.
* No commit is beyond what was processed, and what is stored is not behind what was acknowledged.
* The rules of ``tests.verification.soak.steadiness`` for members to which only connections and credentials happen.
* A member that was not in trouble loses nothing, and none ends without giving up what it has. One that leaves a classic
  group while that rebalances can't commit, and loses what it has. So does a classic member in a group of both protocols
  that becomes a classic one, since the last other member is gone: its generation is the group's epoch, and commits of a
  member that has not come so far are refused (ILLEGAL_GENERATION; KIP-848, "Downgrade to the classic protocol").
  So does a classic member whose coordinator fails in a rebalance: the member has the next generation when its JoinGroup
  is answered, but a coordinator stores it at the leader's SyncGroup, so that the next one refuses it as well.

Trouble is what the soak does to a member: it is stopped, killed, slow, removed, cut off. It is told to the judge when
it happens, and explains what happens within ``AFTERMATH_S`` of it. Signals that raise in the middle of calls are no
trouble: they explain nothing, except that ``run`` has not committed what it handled.
"""

from __future__ import annotations

import heapq
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from tests.endtoend.report import Line, Run
from tests.verification.soak.accounts import FOREVER, Owning, Progress, Reader
from tests.verification.soak.places import key_at, name_of
from tests.verification.soak.steadiness import Steadiness

LAG_S = 45.0  # the judge waits so long for lines of processes that were stopped

AFTERMATH_S = 25.0
_REMEMBERED_S = 120.0
_DELETION_S = 1.0  # until the coordinator has heard of it, too
_STARTS_OVER_S = 10.0  # metadata of a member is up to 3 s old, and it has the partition for some time then
_DOWNGRADE_S = 5.0  # until classic members are in step with a group that became a classic one
_FAIL_OVER_S = 10.0  # until they are in step with the next coordinator
_GOES = ("closed", "dead", "lost")


class Judge:
    """Lines may come from any thread (``hear``); ``findings`` has all that is wrong so far."""

    def __init__(self) -> None:
        self.findings: list[str] = []
        self.repeated = 0
        self.delivered = 0
        self.heard = 0  # records that were delivered by the lines so far, judged or not
        self.losses = 0
        self.steadiness = Steadiness()
        self.progress: dict[tuple[str, int], Progress] = defaultdict(Progress)
        self._live_tops: dict[tuple[str, int], int] = {}
        self._owners: dict[tuple[str, int], list[Owning]] = defaultdict(list)
        self._troubles: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self._deleted: set[int] = set()  # keys
        self._deleted_at: dict[int, float] = {}  # the last time, by place
        self._leaving: set[str] = set()
        self.uncommitted: set[tuple[str, int]] = set()  # what closing in a classic rebalance left
        self._behind_until: dict[str, float] = {}  # how long classic members may be behind their group, by group
        self._floors: dict[str, dict[int, int]] = {}
        self._waiting: list[tuple[float, int, Reader, Line]] = []
        self._numbered = 0
        self._lock = threading.Lock()
        self._rules: Mapping[str, Callable[[Reader, Line], Iterator[str] | None]] = {
            "assigned": self._assigned,
            "delivered": self._delivered,
            "misplaced": self._misplaced,
            "revoked": self._revoked,
            "lost": self._lost,
            "leaving": self._leaves,
            "interrupted": self._interrupted,
            "dead": self._dead,
            "committed": self._committed,
            "sought": self._sought,
            "paused": self._paused,
            "resumed": self._paused,
            "asking": self._asking,
            "stored": self._stored,
            "altered": self._altered,
            "deleted": self._deletes,
            "failing over": self._fails_over,
        }

    # ---- being told

    def hear(self, reader: Reader, line: Line) -> None:
        with self._lock:
            for run in line.runs if line.what == "delivered" else ():
                at = reader.group, run.partition
                self._live_tops[at] = max(self._live_tops.get(at, 0), run.last + 1)
                self.heard += run.last + 1 - run.first
            self._numbered += 1
            heapq.heappush(self._waiting, (line.at, self._numbered, reader, line))

    def trouble(self, member: str, begin: float, end: float) -> None:
        with self._lock:
            self._troubles[member].append((begin, end))

    def find(self, what: str) -> None:
        self.findings.append(what)

    def left(self, group: str, ends: Mapping[int, int]) -> int:
        """Return how many records the group has not read, by what was heard so far, judged or not."""
        with self._lock:
            return sum(max(0, end - self._live_tops.get((group, key), 0)) for key, end in ends.items())

    def unread(self, group: str, ends: Mapping[int, int]) -> dict[int, tuple[int, int]]:
        """Return how far the group is where it has not processed all that, and how far it should be, by key."""
        tops = {key: self.progress[group, key].top for key in ends}
        return {key: (tops[key], end) for key, end in ends.items() if tops[key] < end}

    def advance(self, until: float) -> None:
        while True:
            with self._lock:
                if not self._waiting or self._waiting[0][0] > until:
                    break
                at, _, reader, line = heapq.heappop(self._waiting)
            if line.what in _GOES and not reader.is_classic:
                self._note_behind(reader.group, at + _DOWNGRADE_S)
            rule = self._rules.get(line.what, lambda *_: None)
            steady = self.steadiness.judge(reader, line, self._is_excused(reader, at))
            for found in chain(rule(reader, line) or (), steady):
                self.find(f"{at:.3f}: {found}")
        self._forget(until)

    def _forget(self, until: float) -> None:
        for place, owners in self._owners.items():
            if owners and owners[0].end < until - _REMEMBERED_S:
                self._owners[place] = [each for each in owners if each.end >= until - _REMEMBERED_S]

    def _is_excused(self, reader: Reader, at: float) -> bool:
        with self._lock:
            return any(begin <= at <= end + AFTERMATH_S for begin, end in self._troubles.get(reader.name, ()))

    def _current(self, reader: Reader, place: int) -> Owning | None:
        for each in reversed(self._owners[reader.group, place]):
            if each.reader.name == reader.name:
                return each if each.end == FOREVER else None
        return None

    def _owned_by(self, reader: Reader) -> list[Owning]:
        return [
            each
            for (group, _), owners in self._owners.items()
            for each in owners
            if group == reader.group and each.reader.name == reader.name and each.end == FOREVER
        ]

    # ---- the rules

    def _assigned(self, reader: Reader, line: Line) -> Iterator[str]:
        if not self._owned_by(reader):  # or the callback of a rebalance before comes while it leaves
            self._leaving.discard(reader.name)
        for place in line.partitions:
            owners = self._owners[reader.group, place]
            for each in owners:
                if each.end == FOREVER and each.reader.name == reader.name:
                    yield f"{reader.name} was assigned {name_of(place)}, which it has had since {each.begin:.3f}"
                    each.end = line.at
                elif each.end == FOREVER and not self._may_overlap(each, reader, line.at):
                    yield f"{reader.name} was assigned {name_of(place)}, which {each.reader.name} has not given up"
            owners.append(Owning(reader, place, line.at))

    def _may_overlap(self, owning: Owning, reader: Reader, at: float) -> bool:
        """Whether either hears of its fate too late, or what was owned first is of a topic that was deleted since."""
        deleted_at = self._deleted_at.get(owning.place, -FOREVER)
        is_of_another = owning.begin < deleted_at + _DELETION_S and deleted_at <= at
        return is_of_another or self._is_excused(owning.reader, at) or self._is_excused(reader, at)

    def _delivered(self, reader: Reader, line: Line) -> Iterator[str]:
        for run in line.runs:
            progress = self.progress[reader.group, run.partition]
            yield from self._in_order(reader, line.at, run, progress)
            if run.first > progress.top:
                yield f"{reader.name} read {_named(run)}, but nobody has read {progress.top} to {run.first - 1}"
            repeated = max(0, min(progress.top, run.last + 1) - run.first)
            progress.repeated += repeated
            progress.top = max(progress.top, run.last + 1)
            self.repeated += repeated
            self.delivered += len(run)

    def _in_order(self, reader: Reader, at: float, run: Run, progress: Progress) -> Iterator[str]:
        owning = self._current(reader, key_at(run.partition, 0))
        is_late = reader.runs_handlers and self._is_excused(reader, at)  # a handler was at work when it was lost
        if owning is None:
            if not is_late:
                yield f"{reader.name} read {_named(run)}, but does not own it"
            return
        if owning.key != run.partition:
            if owning.key is not None and owning.key > run.partition:
                yield f"{reader.name} read {_named(run)} after its next incarnation"
            if run.first < progress.floor and not is_late and not self._starts_over(reader, run, at):
                yield f"{reader.name} began with {_named(run)}, but {progress.floor} was committed"
            owning.key = run.partition
        elif run.first != owning.next and not is_late:
            yield f"{reader.name} read {_named(run)}, but {owning.next} should have come"
        if owning.is_paused:
            yield f"{reader.name} read {_named(run)}, which is paused"
        owning.next = run.last + 1

    def _starts_over(self, reader: Reader, run: Run, at: float) -> bool:
        """Whether a topic was created again so recently that a classic group may read it from its start once more."""
        deleted_at = self._deleted_at.get(key_at(run.partition, 0), -FOREVER)
        return reader.is_classic and run.first == 0 and at < deleted_at + _STARTS_OVER_S

    def _misplaced(self, reader: Reader, line: Line) -> Iterator[str]:
        yield f"{reader.name} was given records that belong elsewhere: {line.runs}"

    def _revoked(self, reader: Reader, line: Line) -> Iterator[str]:
        for owning in self._ending(reader, line):
            if owning is None:
                yield f"{reader.name} gave up what it did not have, of {sorted(map(name_of, line.partitions))}"
                continue
            if owning.key is None or owning.key in self._deleted or self._is_excused(reader, line.at):
                continue
            progress = self.progress[reader.group, owning.key]
            if reader.commits_itself and not owning.is_uncertain:
                progress.commit(owning.next, line.at)
            elif not reader.commits_itself and progress.floor < owning.next:
                left = f"{progress.floor} to {owning.next - 1}"
                yield f"{reader.name} gave up {name_of(owning.key)} without a commit of {left}"

    def _lost(self, reader: Reader, line: Line) -> Iterator[str]:
        self.losses += len(line.partitions)
        ended = list(self._ending(reader, line))
        if reader.is_classic and reader.name in self._leaving:
            self.uncommitted.update(
                (reader.group, each.key) for each in ended if each is not None and each.key is not None
            )
        may_be_behind = reader.is_classic and line.at <= self._behind_until.get(reader.group, -FOREVER)
        is_explained = may_be_behind or reader.name in self._leaving or self._is_excused(reader, line.at)
        if line.partitions and not is_explained:
            yield f"{reader.name} lost {sorted(map(name_of, line.partitions))} although nothing was done to it"

    def _leaves(self, reader: Reader, line: Line) -> None:
        self._leaving.add(reader.name)

    def _interrupted(self, reader: Reader, line: Line) -> None:
        """``run`` may have been cut short in its last commit: whether what it handled is committed can't be said."""
        for each in self._owned_by(reader):
            each.is_uncertain = True

    def _ending(self, reader: Reader, line: Line) -> Iterator[Owning | None]:
        for place in line.partitions:
            owning = self._current(reader, place)
            yield owning
            if owning is not None:
                owning.end = line.at

    def _dead(self, reader: Reader, line: Line) -> Iterator[str]:
        left = self._owned_by(reader)
        for each in left:
            each.end = line.at
        if left and not line.note:
            yield f"{reader.name} ended without giving up {sorted(name_of(each.place) for each in left)}"

    def _committed(self, reader: Reader, line: Line) -> Iterator[str]:
        assert line.since is not None
        for key, offset in line.offsets.items():
            progress = self.progress[reader.group, key]
            if offset > progress.top:
                yield f"{reader.name} committed {offset} of {name_of(key)}, but only {progress.top} was processed"
            progress.commit(offset, line.since)
            yield from self._by_its_owner(reader, line.since, key)

    def _by_its_owner(self, reader: Reader, since: float, key: int) -> Iterator[str]:
        owners = self._owners[reader.group, key_at(key, 0)] if key not in self._deleted else []
        mine = max((each.begin for each in owners if each.reader.name == reader.name), default=FOREVER)
        for each in owners:
            if mine < each.begin < since and each.reader.name != reader.name and each.key is not None:
                yield f"{reader.name} committed {name_of(key)} after {each.reader.name} had taken it over"

    def _sought(self, reader: Reader, line: Line) -> Iterator[str]:
        for key, offset in line.offsets.items():
            self.progress[reader.group, key].go_back(offset, line.at)
            owning = self._current(reader, key_at(key, 0))
            if owning is None:
                yield f"{reader.name} went back in {name_of(key)}, which it does not own"
            else:
                owning.next = offset

    def _paused(self, reader: Reader, line: Line) -> None:
        for place in line.partitions:
            owning = self._current(reader, place)
            if owning is not None:
                owning.is_paused = line.what == "paused"

    def _asking(self, reader: Reader, line: Line) -> None:
        self._floors[reader.group] = {
            key: progress.floor for (group, key), progress in self.progress.items() if group == reader.group
        }

    def _stored(self, reader: Reader, line: Line) -> Iterator[str]:
        """What the coordinator has, asked for after the line ``asking``."""
        floors = self._floors.get(reader.group, {})
        for key, offset in line.offsets.items():
            if offset > (top := self.progress[reader.group, key].top):
                yield f"{reader.group} has {offset} stored for {name_of(key)}, but only {top} was processed"
            if offset < (floor := min(floors.get(key, 0), self.progress[reader.group, key].floor)):
                yield f"{reader.group} has {offset} stored for {name_of(key)}, but {floor} was acknowledged"

    def _altered(self, reader: Reader, line: Line) -> None:
        for key, offset in line.offsets.items():
            self.progress[reader.group, key].go_back(offset, line.at)

    def _deletes(self, reader: Reader, line: Line) -> None:
        self._deleted.update(line.partitions)
        self._deleted_at.update({key_at(key, 0): line.at for key in line.partitions})

    def _fails_over(self, reader: Reader, line: Line) -> None:
        self._note_behind(reader.group, line.at + _FAIL_OVER_S)

    def _note_behind(self, group: str, until: float) -> None:
        self._behind_until[group] = max(until, self._behind_until.get(group, -FOREVER))


def _named(run: Run) -> str:
    return f"{name_of(run.partition)} {run.first} to {run.last}"
