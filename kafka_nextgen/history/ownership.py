"""Who owns which partition: tenures, standstills, overlaps and repeats.

A partition has one owner at a time (KIP-848, "Reconciliation"). It stands still from when its owner gives it up, loses
it or is put out until the next one has it. A member may have stopped reading some time (``ms``) before it gives up.
One that died is put out when its session is over, a while later. If records waited for it then, the partition stood
still since its last commit: what it read since then is read again.
If another member has it before the owner let go, the two overlap.

A member that was put out may not know it for a while. Its partitions are free as soon as the coordinator puts it out.
If another member has one of them before the first one learns of it, that is an overlap, but an excused one.
"""

from __future__ import annotations

from attrs import define, evolve

from kafka_nextgen.history.events import Event
from kafka_nextgen.history.facts import LagPoint, Overlap, Owner, Repeat, Standstill, Tenure
from kafka_nextgen.history.held_partition import HeldPartition, Other
from kafka_nextgen.history.partitions import Place
from kafka_nextgen.history.scope import Scope

__all__ = ["CLOCK_ERROR_MS", "Move", "Ownership"]

#: Two hosts' times (ms) that differ by less may be in either order.
CLOCK_ERROR_MS = 1_000
#: Why a member went, where it may have been dead for a while; records of Kafka and pollers don't say why.
_UNKNOWN = "unknown"
_MAY_HAVE_DIED = frozenset({"member expired", _UNKNOWN})
_WITHIN_CLOCK_ERROR = "within the clocks' error"


@define
class Move:
    """A partition got an owner: who had it before, and how long (ms) it stood still."""

    former: str | None
    stood_ms: int


class Ownership:
    """All partitions of one group."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._partitions: dict[Place, HeldPartition] = {}
        self._owned: dict[str, set[Place]] = {}
        self._overlapping: dict[str, set[Place]] = {}  # what a member still had when another got it
        self._lags = 0  # of all partitions together
        self._with_lag = 0  # partitions whose lag is known
        self.free = 0  # partitions that had an owner, and have none now
        self.stood_ms = 0
        self.overlaps = 0
        self.repeated = 0

    def count(self) -> int:
        """How many partitions have been seen."""
        return len(self._partitions)

    def most_and_fewest(self, members: int) -> tuple[int, int]:
        """What those of so many members own who own the most and the fewest partitions."""
        counts = [len(places) for places in self._owned.values()]
        return max(counts, default=0), min(counts, default=0) if len(counts) >= members else 0

    def total_lag(self) -> int | None:
        """The lag of all partitions together, as last seen."""
        return self._lags if self._with_lag else None

    # ---- changes

    def assign(self, place: Place, member: str, event: Event) -> Move | None:
        """A member has the partition now; None if it had it already."""
        partition = self._partition(place)
        if partition.owner == member:
            return None
        if partition.owner is not None:
            dead_since = partition.dead_since(event.at)
            partition.others[partition.owner] = Other(event.at, dead_since, partition.lag_at(dead_since))
            self._overlapping.setdefault(partition.owner, set()).add(place)
            self._end_tenure(place, partition, event.at)
        move = Move(partition.former, self._end_standstill(place, partition, member, event))
        partition.owner, partition.since, partition.epoch = member, event.at, event.epoch
        partition.others.pop(member, None)
        self._owned.setdefault(member, set()).add(place)
        return move

    def release(self, place: Place, member: str, event: Event, cause: str | None) -> bool:
        """A member gave the partition up, or lost it; False if it was not its owner."""
        partition = self._partition(place)
        self._end_overlap(place, partition, member, event.at)
        if partition.owner != member:
            return False
        self._free(place, partition, event, cause)
        return True

    def release_all(self, member: str, event: Event, cause: str | None) -> None:
        """A member is out, and its partitions are free."""
        for place in sorted(self._overlapping.pop(member, ())):
            self._end_overlap(place, self._partitions[place], member, event.at, was_out=cause == _UNKNOWN)
        places = sorted(self._owned.get(member, ()))
        for place in places:
            partition = self._partitions[place]
            self._free(place, partition, event, cause)
            partition.unknowing = member

    def _free(self, place: Place, partition: HeldPartition, event: Event, cause: str | None) -> None:
        freed_at = event.at - (event.ms or 0)
        if cause in _MAY_HAVE_DIED:
            freed_at = partition.dead_since(freed_at)
        self._end_tenure(place, partition, event.at)
        self._give_standstill(partition)
        self.free += 1
        partition.freed_at, partition.freed_by = freed_at, cause
        partition.lag_when_freed = partition.lag_at(partition.freed_at)

    def _end_tenure(self, place: Place, partition: HeldPartition, at: int) -> None:
        scope, owner, since = self._scope, partition.owner, partition.since
        assert owner is not None, "it has an owner"
        assert since is not None, "since a time"
        scope.facts.append(Tenure(scope.cluster, scope.group, *place, owner, since, at, partition.epoch))
        self._owned[owner].discard(place)
        if not self._owned[owner]:
            del self._owned[owner]
        partition.former, partition.owner, partition.since = owner, None, None

    # ---- standing still

    def _end_standstill(self, place: Place, partition: HeldPartition, member: str, event: Event) -> int:
        scope, began = self._scope, partition.freed_at
        if began is None:
            return 0
        ended = max(event.at, began)
        self._give_standstill(partition)
        self.free -= 1
        self.stood_ms += ended - began
        partition.standstill = Standstill(
            scope.cluster,
            scope.group,
            *place,
            began,
            ended,
            ended - began,
            event.epoch,
            partition.former,
            member,
            partition.freed_by,
            partition.lag_when_freed,
            None,
        )
        partition.freed_at = None
        return ended - began

    def _give_standstill(self, partition: HeldPartition) -> None:
        if partition.standstill is not None:
            self._scope.facts.append(partition.standstill)
            partition.standstill = None

    # ---- two owners

    def _end_overlap(
        self, place: Place, partition: HeldPartition, member: str, at: int, *, was_out: bool = False
    ) -> None:
        """A member let go; one that ``was_out`` when another got the partition is told late, by a poller."""
        other = partition.others.pop(member, None)
        if other is not None:
            self._overlapped(place, member, partition, other.since, at, is_excused=was_out)
            if was_out and other.dead_since < other.since:
                self._stood_unseen(place, member, partition, other)
        elif partition.unknowing == member:
            partition.unknowing = None
            if partition.owner not in (None, member) and partition.since is not None and partition.since < at:
                self._overlapped(place, member, partition, partition.since, at, is_excused=True)

    def _stood_unseen(self, place: Place, member: str, partition: HeldPartition, other: Other) -> None:
        """A member had died before another got its partition, as is known only now."""
        scope, began, ended = self._scope, other.dead_since, other.since
        took, epoch, heir = ended - began, partition.epoch, partition.owner
        most = max((lag for seen_at, lag in partition.lags if seen_at >= began), default=None)
        self.stood_ms += took
        scope.facts.append(
            Standstill(
                scope.cluster, scope.group, *place, began, ended, took, epoch, member, heir, _UNKNOWN, other.lag, most
            )
        )

    def _overlapped(
        self,
        place: Place,
        first: str,
        partition: HeldPartition,
        began: int,
        ended: int | None,
        *,
        is_excused: bool = False,
    ) -> None:
        scope, second = self._scope, partition.owner or partition.former or ""
        is_short = ended is not None and ended - began < CLOCK_ERROR_MS
        marks = scope.marked(_WITHIN_CLOCK_ERROR) if is_short else scope.marked()
        self.overlaps += not (is_short or is_excused)
        scope.facts.append(Overlap(scope.cluster, scope.group, *place, first, second, began, ended, is_excused, marks))

    # ---- offsets

    def lose_position(self, place: Place, member: str, event: Event) -> None:
        """A member lost the partition at a position; what is behind the last commit is done again."""
        partition, scope = self._partition(place), self._scope
        committed, position = partition.committed, event.offset
        if committed is not None and position is not None and position > committed:
            self.repeated += position - committed
            scope.facts.append(
                Repeat(scope.cluster, scope.group, *place, member, event.at, committed, position, event.cause)
            )

    def commit(self, place: Place, offset: int, at: int) -> None:
        """An offset was committed."""
        partition = self._partition(place)
        self._set_committed(partition, offset, at)
        if partition.end is not None:
            partition.end = max(partition.end, offset)  # it has grown since it was measured
            self._set_lag(partition, partition.end - offset)

    def measure(self, place: Place, event: Event) -> None:
        """The end of the partition was seen."""
        partition, scope = self._partition(place), self._scope
        end = event.end
        if end is None:
            return
        if event.offset is not None:
            self._set_committed(partition, event.offset, event.at)
        partition.end = end
        self._set_lag(partition, None if partition.committed is None else max(end - partition.committed, 0))
        if partition.lag is not None:
            partition.lags.append((event.at, partition.lag))
        scope.facts.append(
            LagPoint(scope.cluster, scope.group, *place, event.at, partition.committed, end, partition.lag)
        )
        self._note_lag_after(partition)

    def _set_committed(self, partition: HeldPartition, offset: int, at: int) -> None:
        if offset != partition.committed:
            partition.committed, partition.committed_at = offset, at

    def _set_lag(self, partition: HeldPartition, lag: int | None) -> None:
        self._lags += (lag or 0) - (partition.lag or 0)
        self._with_lag += (lag is not None) - (partition.lag is not None)
        partition.lag = lag

    def _note_lag_after(self, partition: HeldPartition) -> None:
        waiting = partition.standstill
        if waiting is not None:
            seen = [lag for seen_at, lag in partition.lags if seen_at >= waiting.began]
            partition.standstill = evolve(waiting, lag_after=max(seen, default=None))
            self._give_standstill(partition)

    # ---- the end

    def finish(self) -> None:
        """Give out what is not over, and who owns what."""
        for place in sorted(self._partitions):
            partition = self._partitions[place]
            self._give_standstill(partition)
            for first, other in partition.others.items():
                self._overlapped(place, first, partition, other.since, None)
            self._give_present(place, partition)

    def _give_present(self, place: Place, partition: HeldPartition) -> None:
        scope = self._scope
        where = (scope.cluster, scope.group, *place)
        owner, since, freed_at = partition.owner, partition.since, partition.freed_at
        if owner is not None and since is not None:
            scope.facts.append(Tenure(*where, owner, since, None, partition.epoch))
        elif freed_at is not None:
            lag = partition.lag_when_freed
            scope.facts.append(
                Standstill(*where, freed_at, None, None, None, partition.former, None, partition.freed_by, lag, None)
            )
        scope.facts.append(
            Owner(*where, owner, since, partition.epoch, partition.committed, partition.end, partition.lag)
        )

    def _partition(self, place: Place) -> HeldPartition:
        partition = self._partitions.get(place)
        if partition is None:
            partition = self._partitions[place] = HeldPartition()
        return partition
