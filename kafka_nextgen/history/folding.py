"""Fold the ordered events of one group into facts.

The events have aligned clocks, come from the best sources, and are sorted (``ordering.py``). Each kind has one rule:

| event | effect |
|---|---|
| joined | the member is in the group at this epoch |
| left, fenced | the member has left; its partitions have no owner |
| group epoch, target | a rebalance is in progress; ``group epoch`` may know its cause |
| assigned | the member owns the partitions, and has reached this epoch |
| revoked, lost | the partitions have no owner; after a loss, what was read since the last commit is read again |
| committed, lag | offsets and ends are known |
| poll gap, callback, error | the member was busy, or failed |

The state grows with members and partitions, not with events.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import ClassVar

from kafka_nextgen.history.events import CONTRADICTION, EVENTS_DROPPED, Event, EventKind, partitions_of
from kafka_nextgen.history.facts import Fact, FactCollector, GroupSummary
from kafka_nextgen.history.member import POLL_TIMEOUT, Member
from kafka_nextgen.history.members import Members
from kafka_nextgen.history.ordering import sort_key
from kafka_nextgen.history.ownership import Ownership
from kafka_nextgen.history.rebalances import Rebalances

__all__ = ["GroupFold", "fold", "sort_key"]

#: The first member of a group gets epoch 1 or 2.
_LATEST_FIRST_EPOCH = 2


def fold(events: Iterable[Event], marks: Collection[str] = ()) -> Iterator[Fact]:
    """Yield the facts of one group. Its uncertain facts carry ``marks``."""
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
    """The state of one group, updated event by event."""

    def __init__(self, cluster: str, group: str, marks: Collection[str] = ()) -> None:
        self._facts = FactCollector(cluster, group, marks=set(marks))
        self._members = Members(self._facts)
        self._ownership = Ownership(self._facts)
        self._rebalances = Rebalances(self._facts, self._members, self._ownership)
        self._first: int | None = None
        self._last = 0
        self._events = 0
        self._protocol: str | None = None

    def take(self) -> list[Fact]:
        """Return the facts completed since the last call."""
        return self._facts.take()

    def add(self, event: Event) -> None:
        """Process the next event."""
        if event.at > self._last:  # an assignment of several topics is several events with the same time
            self._rebalances.close_finished(self._last)
        self._events += 1
        self._first = event.at if self._first is None else self._first
        self._last = max(self._last, event.at)
        self._protocol = event.protocol or self._protocol
        member = self._members.get(event)
        self._RULES[event.kind](self, event, member)

    def finish(self) -> None:
        """Process the end of the log: emit facts that have not ended, and the summaries."""
        self._rebalances.close_finished(self._last)
        self._rebalances.finish(self._last)
        self._ownership.finish()
        self._members.finish()
        facts = self._facts
        facts.add(
            GroupSummary(
                facts.cluster,
                facts.group,
                self._protocol,
                self._first or 0,
                self._last,
                self._events,
                self._members.total,
                self._rebalances.count,
                self._rebalances.unsettled_ms,
                self._ownership.stood_ms,
                self._ownership.overlaps,
                self._ownership.repeated,
                facts.marked(),
            )
        )

    def _joined(self, event: Event, member: Member | None) -> None:
        if member is not None:
            self._restart_if_deleted(event, member)
            self._members.join(member, event)
            self._rebalances.member_joined(event)

    def _left(self, event: Event, member: Member | None) -> None:
        if member is None:
            return
        self._members.mark_missing_start(member)
        if event.cause == POLL_TIMEOUT:
            self._members.time_out(member)
        if self._members.leave(member, event, is_fenced=event.kind is EventKind.FENCED):
            self._ownership.release_all(member.member, event, event.cause or event.kind.value)
            self._rebalances.member_left()

    def _group_epoch(self, event: Event, member: Member | None) -> None:
        if member is not None:
            self._restart_if_deleted(event, member)
        self._rebalances.observe_group_epoch(event)

    def _restart_if_deleted(self, event: Event, member: Member) -> None:
        """A group that was deleted while it was empty starts again with its first epoch."""
        is_first = event.epoch is not None and event.epoch <= _LATEST_FIRST_EPOCH
        if is_first and not self._members.active_count and self._members.is_new(member, event):
            self._rebalances.restart_epochs(event)

    def _target(self, event: Event, member: Member | None) -> None:
        self._rebalances.observe_epoch(event)

    def _assigned(self, event: Event, member: Member | None) -> None:
        if member is None or not self._members.confirm_active(member, event):
            return
        self._rebalances.member_reached_epoch(member, event)
        for partition in partitions_of(event):
            change = self._ownership.assign(partition, member.member, event)
            if change is not None:
                self._rebalances.partition_assigned(member, event, change)

    def _revoked(self, event: Event, member: Member | None) -> None:
        if member is not None:
            self._members.mark_missing_start(member)
            cause = event.cause or event.kind.value
            free = [
                self._ownership.release(partition, member.member, event, cause) for partition in partitions_of(event)
            ]
            self._rebalances.partitions_revoked(member.member, sum(free))

    def _lost(self, event: Event, member: Member | None) -> None:
        if member is None:
            return
        if event.cause == POLL_TIMEOUT:
            self._members.time_out(member)
        if event.offset is not None and len(event.partitions or ()) == 1:
            for partition in partitions_of(event):
                self._ownership.record_repeat(partition, member.member, event)
        self._revoked(event, member)

    def _committed(self, event: Event, member: Member | None) -> None:
        if member is not None:
            self._members.commit(member, event)
        if event.offset is not None:
            for partition in partitions_of(event):
                self._ownership.commit(partition, event.offset, event.at)

    def _lag(self, event: Event, member: Member | None) -> None:
        for partition in partitions_of(event):
            self._ownership.update_lag(partition, event)

    def _mark_incomplete(self, event: Event, member: Member | None) -> None:
        if event.cause in (CONTRADICTION, EVENTS_DROPPED):
            self._facts.marks.add(event.cause)

    _RULES: ClassVar[Mapping[EventKind, Callable[[GroupFold, Event, Member | None], None]]] = {
        EventKind.JOINED: _joined,
        EventKind.LEFT: _left,
        EventKind.FENCED: _left,
        EventKind.GROUP_EPOCH: _group_epoch,
        EventKind.TARGET: _target,
        EventKind.ASSIGNED: _assigned,
        EventKind.REVOKED: _revoked,
        EventKind.LOST: _lost,
        EventKind.COMMITTED: _committed,
        EventKind.LAG: _lag,
        EventKind.POLL_GAP: _mark_incomplete,
        EventKind.CALLBACK: _mark_incomplete,
        EventKind.ERROR: _mark_incomplete,
    }
