"""The events of one group, in order, to the facts they come to.

Events come with their clocks put right (``alignment.py``), without what a better source tells (``selection.py``), and
sorted by ``sort_key``. Each kind has one rule:

| event | what follows |
|---|---|
| joined | the member is in, at this epoch |
| left, fenced | it is out; its partitions are free |
| group epoch, target | a rebalance is under way; ``group epoch`` may know its cause |
| assigned | the partitions are the member's; it came to this epoch |
| revoked, lost | the partitions are free; what a lost one read behind the last commit is done again |
| committed, lag | offsets and ends are known |
| poll gap, callback, error | the member was busy, or in trouble |

State grows with members and partitions, not with events.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import ClassVar

from kafka_nextgen.history.events import CONTRADICTION, EVENTS_DROPPED, Event, Kind
from kafka_nextgen.history.facts import Fact, GroupSummary
from kafka_nextgen.history.members import NOTES, POLL_TIMEOUT, Member, Members
from kafka_nextgen.history.ownership import Ownership
from kafka_nextgen.history.partitions import places_of
from kafka_nextgen.history.rebalancing import Rebalances
from kafka_nextgen.history.scope import Scope
from kafka_nextgen.history.selection import sort_key

__all__ = ["GroupFold", "fold", "sort_key"]

#: The first member of a group comes to epoch 1 or 2.
_LATEST_FIRST_EPOCH = 2


def fold(events: Iterable[Event], marks: Collection[str] = ()) -> Iterator[Fact]:
    """The facts of one group of one cluster. ``marks`` are set on those that are less than certain for it."""
    group: GroupFold | None = None
    for event in events:
        if group is None:
            group = GroupFold(event.cluster, event.group, marks)
        group.add(event)
        yield from group.take()
    if group is not None:
        group.finish()
        yield from group.take()


class GroupFold:
    """One group, event by event."""

    def __init__(self, cluster: str, group: str, marks: Collection[str] = ()) -> None:
        self._scope = Scope(cluster, group, marks=set(marks))
        self._members = Members(self._scope)
        self._ownership = Ownership(self._scope)
        self._rebalances = Rebalances(self._scope, self._members, self._ownership)
        self._first: int | None = None
        self._last = 0
        self._events = 0
        self._protocol: str | None = None

    def take(self) -> list[Fact]:
        """The facts that are complete since the last time."""
        return self._scope.take()

    def add(self, event: Event) -> None:
        """The next event."""
        if event.at > self._last:  # an assignment of several topics is several events of one time
            self._rebalances.end_reached(self._last)
        self._events += 1
        self._first = event.at if self._first is None else self._first
        self._last = max(self._last, event.at)
        self._protocol = event.protocol or self._protocol
        member = self._members.get(event)
        self._RULES[event.kind](self, event, member)

    def finish(self) -> None:
        """There are no more events: give out what is not over, and sums."""
        self._rebalances.end_reached(self._last)
        self._rebalances.finish(self._last)
        self._ownership.finish()
        self._members.finish()
        scope = self._scope
        scope.facts.append(
            GroupSummary(
                scope.cluster,
                scope.group,
                self._protocol,
                self._first or 0,
                self._last,
                self._events,
                self._members.ever,
                self._rebalances.count,
                self._rebalances.unsettled_ms,
                self._ownership.stood_ms,
                self._ownership.overlaps,
                self._ownership.repeated,
                scope.marked(),
            )
        )

    # ---- one rule for each kind of event

    def _joined(self, event: Event, member: Member | None) -> None:
        if member is not None:
            self._begin_anew_if_deleted(event, member)
            self._members.join(member, event)
            self._rebalances.joined(event)

    def _left(self, event: Event, member: Member | None) -> None:
        self._out(event, member, is_fenced=False)

    def _fenced(self, event: Event, member: Member | None) -> None:
        self._out(event, member, is_fenced=True)

    def _out(self, event: Event, member: Member | None, *, is_fenced: bool) -> None:
        if member is None:
            return
        self._members.note_missing(member)
        if event.cause == POLL_TIMEOUT:
            self._members.time_out(member)
        if self._members.leave(member, event, is_fenced=is_fenced):
            self._ownership.release_all(member.member, event, event.cause or event.kind.value)
            self._rebalances.members_changed()

    def _group_epoch(self, event: Event, member: Member | None) -> None:
        if member is not None:
            self._begin_anew_if_deleted(event, member)
        self._rebalances.begin(event)

    def _begin_anew_if_deleted(self, event: Event, member: Member) -> None:
        """A group that was deleted while it was empty counts its epochs from the beginning again."""
        is_first = event.epoch is not None and event.epoch <= _LATEST_FIRST_EPOCH
        if is_first and not self._members.inside and self._members.is_new(member, event):
            self._rebalances.begin_anew(event)

    def _target(self, event: Event, member: Member | None) -> None:
        self._rebalances.see(event)

    def _assigned(self, event: Event, member: Member | None) -> None:
        if member is None or not self._members.meet(member, event):
            return
        self._rebalances.arrive(member, event)
        for place in places_of(event):
            move = self._ownership.assign(place, member.member, event)
            if move is not None:
                self._rebalances.moved(member, event, move)

    def _revoked(self, event: Event, member: Member | None) -> None:
        if member is not None:
            self._members.note_missing(member)
            cause = event.cause or event.kind.value
            free = [self._ownership.release(place, member.member, event, cause) for place in places_of(event)]
            self._rebalances.given_up(member.member, sum(free))

    def _lost(self, event: Event, member: Member | None) -> None:
        if member is None:
            return
        if event.cause == POLL_TIMEOUT:
            self._members.time_out(member)
        if event.offset is not None and len(event.partitions or ()) == 1:
            for place in places_of(event):
                self._ownership.lose_position(place, member.member, event)
        self._revoked(event, member)

    def _committed(self, event: Event, member: Member | None) -> None:
        if member is not None:
            self._members.commit(member, event)
        if event.offset is not None:
            for place in places_of(event):
                self._ownership.commit(place, event.offset, event.at)

    def _lag(self, event: Event, member: Member | None) -> None:
        for place in places_of(event):
            self._ownership.measure(place, event)

    def _noted(self, event: Event, member: Member | None) -> None:
        if event.cause in (CONTRADICTION, EVENTS_DROPPED):
            self._scope.marks.add(event.cause)
        if member is not None:
            NOTES[event.kind](member, event)

    _RULES: ClassVar[Mapping[Kind, Callable[[GroupFold, Event, Member | None], None]]] = {
        Kind.JOINED: _joined,
        Kind.LEFT: _left,
        Kind.FENCED: _fenced,
        Kind.GROUP_EPOCH: _group_epoch,
        Kind.TARGET: _target,
        Kind.ASSIGNED: _assigned,
        Kind.REVOKED: _revoked,
        Kind.LOST: _lost,
        Kind.COMMITTED: _committed,
        Kind.LAG: _lag,
        Kind.POLL_GAP: _noted,
        Kind.CALLBACK: _noted,
        Kind.ERROR: _noted,
    }
