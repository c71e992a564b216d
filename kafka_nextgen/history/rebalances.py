"""The rebalances of one group, from their group epoch to the last member that reached it.

A member can reach an epoch before others have revoked the partitions that it will get (KIP-848, "Reconciliation"), so
a rebalance also lasts until no partition stands still. If one stands still forever, for example because its topic was
deleted, the rebalance ended when the last member reached the epoch.

Several rebalances may be in progress: members may skip epochs, and all rebalances they skip end together. A rebalance
does not wait for members that leave or joined after it began. A rebalance of an empty group ends immediately. If a
member never arrives, for example because it was killed and no source reports it, rebalances do not end. The latest
``MAX_OPEN`` of them are kept open.
"""

from __future__ import annotations

from collections import deque

from attrs import Factory

from kafka_nextgen.history.events import Event
from kafka_nextgen.history.facts import FactCollector, Holdup, Rebalance
from kafka_nextgen.history.member import Member, busy_ms
from kafka_nextgen.history.members import Members
from kafka_nextgen.history.ownership import OwnerChange, Ownership
from kafka_nextgen.lazy_attrs import define

__all__ = ["EPOCHS_FALL", "MAX_OPEN", "TOO_MANY_OPEN", "Rebalances"]

#: The maximum number of rebalances in progress. Older ones are emitted as not ended.
MAX_OPEN = 1_000

#: The mark of a group that exceeds ``MAX_OPEN``.
TOO_MANY_OPEN = "too many rebalances at once"
#: The mark of a group whose epochs go backwards.
EPOCHS_FALL = "epochs fall"
_MEMBER_JOINED = "member joined"
_MAX_SKIPPED = 64


@define
class _OpenRebalance:
    epoch: int
    began: int
    lag_before: int | None
    cause: str | None = None
    by: str | None = None
    reason: str | None = None
    joined: str | None = None
    moved: int = 0
    stood_ms: int = 0
    assigned: dict[str, int] = Factory(dict)
    revoked: dict[str, int] = Factory(dict)
    slowest: Holdup | None = None  # arrived last
    busiest: Holdup | None = None  # spent the longest on its own work
    reached_at: int | None = None  # when all members had arrived, though partitions stood still


class Rebalances:
    """The rebalances of one group."""

    def __init__(self, facts: FactCollector, members: Members, ownership: Ownership) -> None:
        self._facts = facts
        self._members = members
        self._ownership = ownership
        self._open: dict[int, _OpenRebalance] = {}
        self._epoch = -1
        self._skipped_epochs: deque[tuple[int, int]] = deque(maxlen=_MAX_SKIPPED)  # ranges of skipped epochs
        self._highest_by_source: dict[str, int] = {}  # the highest group epoch of each source
        self._is_dirty = False
        self._arrivals: list[tuple[_OpenRebalance, Member, int]] = []
        self._unsettled_since = 0
        self.unsettled_ms = 0
        self.count = 0

    def observe_group_epoch(self, event: Event) -> None:
        """The group reached this epoch. Later events may add the cause."""
        self._check_epoch_order(event)
        rebalance = self.observe_epoch(event)
        if rebalance is not None:
            rebalance.cause = event.cause or rebalance.cause
            rebalance.by = event.member or rebalance.by
            rebalance.reason = event.reason or rebalance.reason

    def _check_epoch_order(self, event: Event) -> None:
        epoch = -1 if event.epoch is None else event.epoch
        highest = self._highest_by_source.setdefault(event.source, epoch)
        self._highest_by_source[event.source] = max(highest, epoch)
        if epoch < highest or any(first <= epoch <= last for first, last in self._skipped_epochs):
            self._facts.marks.add(EPOCHS_FALL)

    def member_joined(self, event: Event) -> None:
        """A member joined at this epoch: this is the epoch's cause, unless a coordinator reports another one."""
        rebalance = self.observe_epoch(event)
        self._is_dirty = True
        if rebalance is not None:
            rebalance.joined = rebalance.joined or event.member

    def restart_epochs(self, event: Event) -> None:
        """The group was deleted and created again, so its epochs restart."""
        if event.epoch is not None and event.epoch < self._epoch:
            self.finish(event.at)
            self._open.clear()
            self._skipped_epochs.clear()
            self._highest_by_source.clear()
            self._epoch = event.epoch - 1

    def observe_epoch(self, event: Event) -> _OpenRebalance | None:
        """Return the open rebalance of the event's epoch. A new epoch begins one."""
        epoch, at = event.epoch, event.at
        if epoch is None:
            return None
        if epoch > self._epoch:
            self._close_reached()
            if not self._open:
                self._unsettled_since = at
            if self._epoch >= 0 and epoch > self._epoch + 1:
                self._skipped_epochs.append((self._epoch + 1, epoch - 1))
            self._epoch = epoch
            self._is_dirty = True
            self.count += 1
            self._open[epoch] = _OpenRebalance(epoch, at, self._ownership.total_lag())
            if len(self._open) > MAX_OPEN:
                self._facts.marks.add(TOO_MANY_OPEN)
                self._emit(self._open.pop(next(iter(self._open))), None)
        return self._open.get(epoch)

    def partition_assigned(self, member: Member, event: Event, change: OwnerChange) -> None:
        """A member got a partition."""
        rebalance = self._rebalance_of(event)
        if rebalance is None:
            return
        self._is_dirty = True
        rebalance.stood_ms += change.stood_ms
        rebalance.moved += change.former not in (None, member.member)
        rebalance.assigned[member.member] = rebalance.assigned.get(member.member, 0) + 1

    def partitions_revoked(self, member: str, count: int) -> None:
        """A member gave up ``count`` partitions."""
        for rebalance in self._open.values() if count else ():
            rebalance.revoked[member] = rebalance.revoked.get(member, 0) + count

    def _rebalance_of(self, event: Event) -> _OpenRebalance | None:
        """Return the open rebalance of the event's epoch, otherwise the latest one."""
        if event.epoch in self._open:
            return self._open[event.epoch]
        return self._open[next(reversed(self._open))] if self._open else None

    def member_reached_epoch(self, member: Member, event: Event) -> None:
        """A member reached an epoch."""
        epoch = event.epoch
        if epoch is None or epoch <= member.epoch:
            return
        self.observe_epoch(event)
        self._is_dirty = True
        for rebalance in self._open.values():
            if member.epoch < rebalance.epoch <= epoch and _must_reach(member, rebalance):
                self._arrivals.append((rebalance, member, event.at))
        self._members.set_epoch(member, epoch)

    def _record_arrival(self, rebalance: _OpenRebalance, member: Member, at: int) -> None:
        spent = busy_ms(member.busy_spans, rebalance.began, at)
        coordinator_ms = max(at - rebalance.began, 0) - sum(spent.values())
        facts = self._facts
        rebalance.slowest = holdup = Holdup(
            facts.cluster,
            facts.group,
            rebalance.epoch,
            member.member,
            rebalance.began,
            max(at, rebalance.began),
            spent["processing"],
            spent["commit"],
            spent["callback"],
            coordinator_ms,
        )
        if rebalance.busiest is None or holdup.member_ms > rebalance.busiest.member_ms:
            rebalance.busiest = holdup
        facts.add(holdup)

    def member_left(self) -> None:
        """A member left, so no rebalance waits for it."""
        self._is_dirty = True

    def close_finished(self, at: int) -> None:
        """Close the rebalances that all members have reached, unless a partition stands still."""
        if not self._open or not self._is_dirty:
            return
        self._is_dirty = False
        for arrival in self._arrivals:  # only now: earlier work may have the same time (ms)
            self._record_arrival(*arrival)
        self._arrivals.clear()
        lowest = self._members.lowest_epoch(self._epoch)
        for epoch, rebalance in list(self._open.items()):
            if epoch > lowest:
                if rebalance.reached_at is None:
                    break  # then later ones were not reached either
                rebalance.reached_at = None
            elif rebalance.reached_at is None:
                rebalance.reached_at = at
            if epoch <= lowest and not self._ownership.unowned_count:
                self._close(rebalance, at)

    def _close(self, rebalance: _OpenRebalance, at: int) -> None:
        del self._open[rebalance.epoch]
        self._emit(rebalance, at)
        if not self._open:
            self.unsettled_ms += max(at - self._unsettled_since, 0)

    def _close_reached(self) -> None:
        """Close what all members have reached, even if partitions stand still."""
        for rebalance in list(self._open.values()):
            if rebalance.reached_at is not None:
                self._close(rebalance, rebalance.reached_at)

    def _emit(self, rebalance: _OpenRebalance, at: int | None) -> None:
        facts, slowest, holder = self._facts, rebalance.slowest, _blocking_holdup(rebalance)
        members = self._members.active_count
        most, fewest = self._ownership.most_and_fewest_owned(members)
        facts.add(
            Rebalance(
                facts.cluster,
                facts.group,
                rebalance.epoch,
                rebalance.began,
                at,
                rebalance.cause or (_MEMBER_JOINED if rebalance.joined else None),
                rebalance.by or rebalance.joined,
                rebalance.reason,
                members,
                self._ownership.count(),
                rebalance.moved,
                self._needless_moves(rebalance),
                most,
                fewest,
                rebalance.stood_ms,
                rebalance.lag_before,
                None if at is None else self._ownership.total_lag(),
                None if slowest is None else slowest.member,
                None if slowest is None else slowest.ended - slowest.began,
                None if holder is None else holder.member,
                None if holder is None else holder.longest_part[0],
                facts.marked(),
            )
        )

    def _needless_moves(self, rebalance: _OpenRebalance) -> int:
        revoked = ((member, count) for member, count in rebalance.revoked.items() if self._members.is_active(member))
        return sum(min(count, rebalance.assigned.get(member, 0)) for member, count in revoked)

    def finish(self, at: int) -> None:
        """Emit the rebalances that have not ended."""
        self._close_reached()
        if self._open:
            self.unsettled_ms += max(at - self._unsettled_since, 0)
        for rebalance in self._open.values():
            self._emit(rebalance, None)


def _must_reach(member: Member, rebalance: _OpenRebalance) -> bool:
    """A rebalance does not wait for members that joined after it began."""
    is_here = member.epoch >= 0 or member.joined_at is None
    return is_here or rebalance.began >= (member.joined_at or 0) or rebalance.epoch >= member.latest_epoch


def _blocking_holdup(rebalance: _OpenRebalance) -> Holdup | None:
    """The member with the most own work blocks the others, which arrive after it."""
    slowest, busiest = rebalance.slowest, rebalance.busiest
    if slowest is None or busiest is None:
        return slowest
    return busiest if busiest.member_ms * 4 >= slowest.ended - slowest.began else slowest
