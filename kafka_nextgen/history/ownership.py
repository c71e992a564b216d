"""Who owns which partition: tenures, standstills, overlaps and repeats.

A partition has one owner at a time (KIP-848, "Reconciliation"). It stands still from the moment when its owner revokes
it, loses it or is fenced until the next owner has it. A member may have stopped reading some time (``ms``) before it
revokes. A crashed member is fenced later, when its session expires. If the partition had lag then, it stood still since
its last commit: records read since then are read again.

If another member gets a partition before its owner has given it up, the two overlap. A fenced member may not know that
it was fenced. Its partitions have no owner as soon as the coordinator fences it. If another member gets one of them
before the first one is notified, the overlap is excused.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.history.events import Event, PartitionKey
from kafka_nextgen.history.facts import FactCollector, LagPoint, Overlap, Owner, Repeat, Standstill, Tenure
from kafka_nextgen.history.partition_state import FormerOwner, PartitionState
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.types import lag_of

__all__ = ["OwnerChange", "Ownership"]

#: Times of two hosts that differ by less may be in either order.
_CLOCK_ERROR_MS = 1_000
#: Causes of leaving after which a member may have crashed some time ago. Kafka's records and pollers have no cause.
_UNKNOWN = "unknown"
_MAY_HAVE_DIED = frozenset({"member expired", _UNKNOWN})
_WITHIN_CLOCK_ERROR = "within the clocks' error"


@define
class OwnerChange:
    """A new owner of a partition: its former owner, and how long it stood still."""

    former: str | None
    stood_ms: int


class Ownership:
    """The partitions of one group."""

    def __init__(self, facts: FactCollector) -> None:
        self._facts = facts
        self._states: dict[PartitionKey, PartitionState] = {}
        self._owned: dict[str, set[PartitionKey]] = {}
        self._overlapping: dict[str, set[PartitionKey]] = {}  # partitions that a member still had when another got them
        self._total_lag = 0
        self._known_lags = 0  # the number of partitions with a known lag
        self.unowned_count = 0  # partitions that lost their owner
        self.stood_ms = 0
        self.overlaps = 0
        self.repeated = 0

    def count(self) -> int:
        """Return the number of partitions seen."""
        return len(self._states)

    def most_and_fewest_owned(self, members: int) -> tuple[int, int]:
        """Return the largest and smallest numbers of partitions that one of ``members`` members owns."""
        counts = [len(partitions) for partitions in self._owned.values()]
        return max(counts, default=0), min(counts, default=0) if len(counts) >= members else 0

    def total_lag(self) -> int | None:
        """Return the total last known lag of all partitions."""
        return self._total_lag if self._known_lags else None

    def assign(self, partition: PartitionKey, member: str, event: Event) -> OwnerChange | None:
        """Make the member the owner; return None if it already was."""
        state = self._state_of(partition)
        if state.owner == member:
            return None
        if state.owner is not None:
            inactive_since = state.inactive_since(event.at)
            state.former_owners[state.owner] = FormerOwner(event.at, inactive_since, state.lag_at(inactive_since))
            self._overlapping.setdefault(state.owner, set()).add(partition)
            self._end_tenure(state, event.at)
        change = OwnerChange(state.former, self._end_standstill(state, member, event))
        state.owner, state.since, state.epoch = member, event.at, event.epoch
        state.former_owners.pop(member, None)
        self._owned.setdefault(member, set()).add(partition)
        return change

    def release(self, partition: PartitionKey, member: str, event: Event, cause: str | None) -> bool:
        """End a member's ownership; return False if it was not the owner."""
        state = self._state_of(partition)
        self._end_overlap(state, member, event.at)
        if state.owner != member:
            return False
        self._release(state, event, cause)
        return True

    def release_all(self, member: str, event: Event, cause: str | None) -> None:
        """End all ownership of a member that left the group."""
        for partition in sorted(self._overlapping.pop(member, ())):
            self._end_overlap(self._states[partition], member, event.at, was_inactive=cause == _UNKNOWN)
        partitions = sorted(self._owned.get(member, ()))
        for partition in partitions:
            state = self._states[partition]
            self._release(state, event, cause)
            state.unaware_owner = member

    def _release(self, state: PartitionState, event: Event, cause: str | None) -> None:
        freed_at = event.at - (event.ms or 0)
        if cause in _MAY_HAVE_DIED:
            freed_at = state.inactive_since(freed_at)
        self._end_tenure(state, event.at)
        self._emit_standstill(state)
        self.unowned_count += 1
        state.freed_at, state.freed_by = freed_at, cause
        state.lag_when_freed = state.lag_at(state.freed_at)

    def _end_tenure(self, state: PartitionState, at: int) -> None:
        facts, owner, since = self._facts, state.owner, state.since
        assert owner is not None, "it has an owner"
        assert since is not None, "since a time"
        facts.add(Tenure(*state.where, owner, since, at, state.epoch))
        self._owned[owner].discard(state.key)
        if not self._owned[owner]:
            del self._owned[owner]
        state.former, state.owner, state.since = owner, None, None

    def _end_standstill(self, state: PartitionState, member: str, event: Event) -> int:
        began = state.freed_at
        if began is None:
            return 0
        ended = max(event.at, began)
        self._emit_standstill(state)
        self.unowned_count -= 1
        self.stood_ms += ended - began
        state.standstill = Standstill(
            *state.where,
            began,
            ended,
            ended - began,
            event.epoch,
            state.former,
            member,
            state.freed_by,
            state.lag_when_freed,
            None,
        )
        state.freed_at = None
        return ended - began

    def _emit_standstill(self, state: PartitionState) -> None:
        if state.standstill is not None:
            self._facts.add(state.standstill)
            state.standstill = None

    def _end_overlap(self, state: PartitionState, member: str, at: int, *, was_inactive: bool = False) -> None:
        """A former owner gives up the partition; ``was_inactive`` if a poller reports late that it had left."""
        former_owner = state.former_owners.pop(member, None)
        if former_owner is not None:
            self._emit_overlap(state, member, former_owner.since, at, is_excused=was_inactive)
            if was_inactive and former_owner.inactive_since < former_owner.since:
                self._emit_late_standstill(state, member, former_owner)
        elif state.unaware_owner == member:
            state.unaware_owner = None
            if state.owner not in (None, member) and state.since is not None and state.since < at:
                self._emit_overlap(state, member, state.since, at, is_excused=True)

    def _emit_late_standstill(self, state: PartitionState, member: str, former_owner: FormerOwner) -> None:
        """Emit the standstill of a member that had crashed before another got its partition."""
        facts, began, ended = self._facts, former_owner.inactive_since, former_owner.since
        took, epoch, heir = ended - began, state.epoch, state.owner
        most = max((lag for seen_at, lag in state.lags if seen_at >= began), default=None)
        self.stood_ms += took
        facts.add(Standstill(*state.where, began, ended, took, epoch, member, heir, _UNKNOWN, former_owner.lag, most))

    def _emit_overlap(
        self, state: PartitionState, first: str, began: int, ended: int | None, *, is_excused: bool = False
    ) -> None:
        facts, second = self._facts, state.owner or state.former or ""
        is_short = ended is not None and ended - began < _CLOCK_ERROR_MS
        marks = facts.marked(_WITHIN_CLOCK_ERROR) if is_short else facts.marked()
        self.overlaps += not (is_short or is_excused)
        facts.add(Overlap(*state.where, first, second, began, ended, is_excused, marks))

    def record_repeat(self, partition: PartitionKey, member: str, event: Event) -> None:
        """A member lost the partition: records between the committed offset and its position are read again."""
        state, facts = self._state_of(partition), self._facts
        committed, position = state.committed, event.offset
        if committed is not None and position is not None and position > committed:
            self.repeated += position - committed
            facts.add(Repeat(*state.where, member, event.at, committed, position, event.cause))

    def commit(self, partition: PartitionKey, offset: int, at: int) -> None:
        """Set a committed offset."""
        state = self._state_of(partition)
        self._set_committed(state, offset, at)
        if state.end is not None:
            state.end = max(state.end, offset)  # the end has grown since it was measured
            self._set_lag(state, lag_of(offset, state.start, state.end))

    def update_lag(self, partition: PartitionKey, event: Event) -> None:
        """Set the measured end of the partition, and its lag."""
        state, facts = self._state_of(partition), self._facts
        end = event.end
        if end is None:
            return
        if event.offset is not None:
            self._set_committed(state, event.offset, event.at)
        state.start, state.end = event.start, end
        self._set_lag(state, None if state.committed is None else lag_of(state.committed, event.start, end))
        if state.lag is not None:
            state.lags.append((event.at, state.lag))
        facts.add(LagPoint(*state.where, event.at, state.committed, end, state.lag))
        self._record_lag_after(state)

    def _set_committed(self, state: PartitionState, offset: int, at: int) -> None:
        if offset != state.committed:
            state.committed, state.committed_at = offset, at

    def _set_lag(self, state: PartitionState, lag: int | None) -> None:
        self._total_lag += (lag or 0) - (state.lag or 0)
        self._known_lags += (lag is not None) - (state.lag is not None)
        state.lag = lag

    def _record_lag_after(self, state: PartitionState) -> None:
        waiting = state.standstill
        if waiting is not None:
            seen = [lag for seen_at, lag in state.lags if seen_at >= waiting.began]
            state.standstill = evolve(waiting, lag_after=max(seen, default=None))
            self._emit_standstill(state)

    def finish(self) -> None:
        """Emit the facts that have not ended, and the current owners."""
        for partition in sorted(self._states):
            state = self._states[partition]
            self._emit_standstill(state)
            for first, former_owner in state.former_owners.items():
                self._emit_overlap(state, first, former_owner.since, None)
            self._emit_owner(state)

    def _emit_owner(self, state: PartitionState) -> None:
        facts = self._facts
        owner, since, freed_at = state.owner, state.since, state.freed_at
        if owner is not None and since is not None:
            facts.add(Tenure(*state.where, owner, since, None, state.epoch))
        elif freed_at is not None:
            lag = state.lag_when_freed
            facts.add(
                Standstill(*state.where, freed_at, None, None, None, state.former, None, state.freed_by, lag, None)
            )
        facts.add(Owner(*state.where, owner, since, state.epoch, state.committed, state.end, state.lag))

    def _state_of(self, partition: PartitionKey) -> PartitionState:
        state = self._states.get(partition)
        if state is None:
            state = self._states[partition] = PartitionState((self._facts.cluster, self._facts.group, *partition))
        return state
