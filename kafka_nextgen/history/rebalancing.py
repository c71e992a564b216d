"""The rebalances of one group, from their group epoch to the last member that came to it.

A member may come to an epoch before others gave up what it is to have (KIP-848, "Reconciliation"), so a rebalance lasts
until no partition stands still, too. If one stands still for good, because its topic was deleted, say, the rebalance
ended when the last member came.

Several may be under way: members may skip an epoch, and then all that they skipped end together. A member that leaves
is not waited for any more. A rebalance of a group without members is over at once. A member that joins is not waited
for by rebalances that were under way before. If a member never comes, because it was killed, say, and no source
tells so, rebalances do not end. The last ``MOST_OPEN`` of them are waited for.
"""

from __future__ import annotations

from collections import deque

from attrs import Factory, define

from kafka_nextgen.history.events import Event
from kafka_nextgen.history.facts import Holdup, Rebalance
from kafka_nextgen.history.members import Member, Members
from kafka_nextgen.history.ownership import Move, Ownership
from kafka_nextgen.history.scope import Scope
from kafka_nextgen.history.spells import busy_ms

__all__ = ["EPOCHS_FALL", "MOST_OPEN", "PARTS", "TOO_MANY_OPEN", "Rebalances", "most_part", "own_ms"]

#: What a hold-up consists of.
PARTS = ("processing", "commit", "callback", "coordinator")

#: So many rebalances may be under way at once. Older ones are given out as not over.
MOST_OPEN = 1_000

#: The mark of a group with more of them.
TOO_MANY_OPEN = "too many rebalances at once"
#: The mark of a group whose epochs fall: there are none of the epochs that were passed over, or reached before.
EPOCHS_FALL = "epochs fall"
_MEMBER_JOINED = "member joined"
_KEPT_GAPS = 64


@define
class _Draft:
    epoch: int
    began: int
    lag_before: int | None
    cause: str | None = None
    by: str | None = None
    reason: str | None = None
    joined: str | None = None
    moved: int = 0
    stood_ms: int = 0
    gained: dict[str, int] = Factory(dict)
    given: dict[str, int] = Factory(dict)
    slowest: Holdup | None = None  # came last
    busiest: Holdup | None = None  # was busy with its own for the longest
    arrived_at: int | None = None  # when no member was behind any more, though partitions stood still


class Rebalances:
    """Those of one group."""

    def __init__(self, scope: Scope, members: Members, ownership: Ownership) -> None:
        self._scope = scope
        self._members = members
        self._ownership = ownership
        self._open: dict[int, _Draft] = {}
        self._epoch = -1
        self._gaps: deque[tuple[int, int]] = deque(maxlen=_KEPT_GAPS)  # epochs that were passed over
        self._told: dict[str, int] = {}  # the highest group epoch of each source
        self._is_changed = False
        self._arrived: list[tuple[_Draft, Member, int]] = []
        self._unsettled_since = 0
        self.unsettled_ms = 0
        self.count = 0

    # ---- beginning

    def begin(self, event: Event) -> None:
        """The group is at this epoch, for this cause as far as the source knows it; what it tells later is more."""
        self._note_order(event)
        draft = self.see(event)
        if draft is not None:
            draft.cause = event.cause or draft.cause
            draft.by = event.member or draft.by
            draft.reason = event.reason or draft.reason

    def _note_order(self, event: Event) -> None:
        epoch = -1 if event.epoch is None else event.epoch
        highest = self._told.setdefault(event.source, epoch)
        self._told[event.source] = max(highest, epoch)
        if epoch < highest or any(first <= epoch <= last for first, last in self._gaps):
            self._scope.marks.add(EPOCHS_FALL)

    def joined(self, event: Event) -> None:
        """A member joined at this epoch; that is the cause of it unless a coordinator knows another one."""
        draft = self.see(event)
        self._is_changed = True
        if draft is not None:
            draft.joined = draft.joined or event.member

    def begin_anew(self, event: Event) -> None:
        """The group was deleted, and is there again at this epoch, which it had before."""
        if event.epoch is not None and event.epoch < self._epoch:
            self.finish(event.at)
            self._open.clear()
            self._gaps.clear()
            self._told.clear()
            self._epoch = event.epoch - 1

    def see(self, event: Event) -> _Draft | None:
        """The rebalance of the event's epoch, if it is not over. A new epoch begins one."""
        epoch, at = event.epoch, event.at
        if epoch is None:
            return None
        if epoch > self._epoch:
            self._close_arrived()
            if not self._open:
                self._unsettled_since = at
            if self._epoch >= 0 and epoch > self._epoch + 1:
                self._gaps.append((self._epoch + 1, epoch - 1))
            self._epoch = epoch
            self._is_changed = True
            self.count += 1
            self._open[epoch] = _Draft(epoch, at, self._ownership.total_lag())
            if len(self._open) > MOST_OPEN:
                self._scope.marks.add(TOO_MANY_OPEN)
                self._end(self._open.pop(next(iter(self._open))), None)
        return self._open.get(epoch)

    # ---- what happens meanwhile

    def moved(self, member: Member, event: Event, move: Move) -> None:
        """A partition got another owner."""
        draft = self._of(event)
        if draft is None:
            return
        self._is_changed = True
        draft.stood_ms += move.stood_ms
        draft.moved += move.former not in (None, member.member)
        draft.gained[member.member] = draft.gained.get(member.member, 0) + 1

    def given_up(self, member: str, count: int) -> None:
        """A member has so many partitions no more."""
        for draft in self._open.values() if count else ():
            draft.given[member] = draft.given.get(member, 0) + count

    def _of(self, event: Event) -> _Draft | None:
        """The rebalance that an event belongs to: that of its epoch, else the latest one."""
        if event.epoch in self._open:
            return self._open[event.epoch]
        return self._open[next(reversed(self._open))] if self._open else None

    # ---- ending

    def arrive(self, member: Member, event: Event) -> None:
        """A member came to an epoch."""
        epoch = event.epoch
        if epoch is None or epoch <= member.epoch:
            return
        self.see(event)
        self._is_changed = True
        for draft in self._open.values():
            if member.epoch < draft.epoch <= epoch and _is_awaited(member, draft):
                self._arrived.append((draft, member, event.at))
        self._members.come_to(member, epoch)

    def _note_arrival(self, draft: _Draft, member: Member, at: int) -> None:
        spent = busy_ms(member.spells, draft.began, at)
        coordinator_ms = max(at - draft.began, 0) - sum(spent.values())
        scope = self._scope
        draft.slowest = holdup = Holdup(
            scope.cluster,
            scope.group,
            draft.epoch,
            member.member,
            draft.began,
            max(at, draft.began),
            spent["processing"],
            spent["commit"],
            spent["callback"],
            coordinator_ms,
        )
        if draft.busiest is None or own_ms(holdup) > own_ms(draft.busiest):
            draft.busiest = holdup
        scope.facts.append(holdup)

    def members_changed(self) -> None:
        """A member is out, so it holds nothing up any more."""
        self._is_changed = True

    def end_reached(self, at: int) -> None:
        """End the rebalances that no member is behind any more, and that no partition waits for."""
        if not self._open or not self._is_changed:
            return
        self._is_changed = False
        for arrival in self._arrived:  # only now: what a member did before may be told in the same millisecond
            self._note_arrival(*arrival)
        self._arrived.clear()
        behind = self._members.lowest_epoch(self._epoch)
        for epoch, draft in list(self._open.items()):
            if epoch > behind:
                if draft.arrived_at is None:
                    break  # nor have later ones
                draft.arrived_at = None
            elif draft.arrived_at is None:
                draft.arrived_at = at
            if epoch <= behind and not self._ownership.free:
                self._close(draft, at)

    def _close(self, draft: _Draft, at: int) -> None:
        del self._open[draft.epoch]
        self._end(draft, at)
        if not self._open:
            self.unsettled_ms += max(at - self._unsettled_since, 0)

    def _close_arrived(self) -> None:
        """Another one begins, or there is nothing more: partitions that still have no owner are not waited for."""
        for draft in list(self._open.values()):
            if draft.arrived_at is not None:
                self._close(draft, draft.arrived_at)

    def _end(self, draft: _Draft, at: int | None) -> None:
        scope, slowest, holder = self._scope, draft.slowest, _holder(draft)
        members = self._members.inside
        most, fewest = self._ownership.most_and_fewest(members)
        scope.facts.append(
            Rebalance(
                scope.cluster,
                scope.group,
                draft.epoch,
                draft.began,
                at,
                draft.cause or (_MEMBER_JOINED if draft.joined else None),
                draft.by or draft.joined,
                draft.reason,
                members,
                self._ownership.count(),
                draft.moved,
                self._needless(draft),
                most,
                fewest,
                draft.stood_ms,
                draft.lag_before,
                None if at is None else self._ownership.total_lag(),
                None if slowest is None else slowest.member,
                None if slowest is None else slowest.ended - slowest.began,
                None if holder is None else holder.member,
                None if holder is None else most_part(holder)[0],
                scope.marked(),
            )
        )

    def _needless(self, draft: _Draft) -> int:
        given = ((member, count) for member, count in draft.given.items() if self._members.is_in(member))
        return sum(min(count, draft.gained.get(member, 0)) for member, count in given)

    def finish(self, at: int) -> None:
        """Give out those that are not over."""
        self._close_arrived()
        if self._open:
            self.unsettled_ms += max(at - self._unsettled_since, 0)
        for draft in self._open.values():
            self._end(draft, None)


def _is_awaited(member: Member, draft: _Draft) -> bool:
    """Not by what was under way before it joined."""
    is_here = member.epoch >= 0 or member.entered is None
    return is_here or draft.began >= (member.entered or 0) or draft.epoch >= member.known_epoch


def _holder(draft: _Draft) -> Holdup | None:
    """Others wait for the partitions of a member that is busy, and come after it."""
    slowest, busiest = draft.slowest, draft.busiest
    if slowest is None or busiest is None:
        return slowest
    return busiest if own_ms(busiest) * 4 >= slowest.ended - slowest.began else slowest


def own_ms(holdup: Holdup) -> int:
    """What a member took for itself, without waiting for the coordinator."""
    return holdup.processing_ms + holdup.commit_ms + holdup.callback_ms


def most_part(holdup: Holdup) -> tuple[str, int]:
    """What took the longest, and how long (ms)."""
    parts = {name: int(getattr(holdup, f"{name}_ms")) for name in PARTS}
    name = max(parts, key=lambda each: parts[each])
    return name, parts[name]
