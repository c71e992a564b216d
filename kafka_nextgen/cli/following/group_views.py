"""The current state of groups, derived from their events. For display only; ``history/folding.py`` derives facts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import starmap

from attrs import Factory

from kafka_nextgen.cli.times import time_text
from kafka_nextgen.history.events import Event, EventKind, partitions_of
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.text import printable
from kafka_nextgen.types import TopicPartition, format_partitions, lag_of

__all__ = ["GroupView", "GroupViews", "MemberView", "event_text"]

#: The length of a prefix that distinguishes member ids with one client id.
_SHORT = 8
#: States that are shown last.
_CALM = {"stable": 1, "empty": 2}


@define
class MemberView:
    """A member of a group."""

    member: str
    client: str | None = None
    instance: str | None = None
    epoch: int | None = None
    owned: set[TopicPartition] = Factory(set)

    @property
    def name(self) -> str:
        """The instance id; without one, the client id with the beginning of the member id, or the member id."""
        if self.instance or not self.client:
            return self.instance or self.member
        return f"{self.client} {self.member.removeprefix(f'{self.client}-')[:_SHORT]}"


@define
class GroupView:
    """The current state of a group. ``at`` is the time (ms) of its last event."""

    cluster: str
    group: str
    at: int = 0
    protocol: str | None = None
    epoch: int | None = None
    problem: str | None = None
    members: dict[str, MemberView] = Factory(dict)
    committed: dict[TopicPartition, int] = Factory(dict)
    starts: dict[TopicPartition, int] = Factory(dict)
    ends: dict[TopicPartition, int] = Factory(dict)

    @property
    def state(self) -> str:
        """``rebalancing`` while a member is behind the group's epoch."""
        if self.problem is not None:
            return self.problem
        if not self.members:
            return "empty"
        epochs = [member.epoch for member in self.members.values() if member.epoch is not None]
        is_behind = self.epoch is not None and min(epochs, default=self.epoch) < self.epoch
        return "rebalancing" if is_behind else "stable"

    def lag_of(self, partitions: Collection[TopicPartition]) -> int | None:
        """Return the total lag of the partitions whose committed offset and end are known; None if there are none."""
        known = [tp for tp in partitions if tp in self.committed and tp in self.ends]
        return sum(lag_of(self.committed[tp], self.starts.get(tp), self.ends[tp]) for tp in known) if known else None

    def add(self, event: Event) -> None:
        """Update the state with an event."""
        self.at = max(self.at, event.at)
        self.protocol = event.protocol or self.protocol
        self.problem = event.cause or "error" if event.kind is EventKind.ERROR and event.member is None else None
        if event.kind in (EventKind.COMMITTED, EventKind.LAG):
            self._offsets(event)
        elif event.member is not None:
            self._member(event, event.member)
        elif event.kind is EventKind.GROUP_EPOCH:
            self.epoch = event.epoch

    def _offsets(self, event: Event) -> None:
        for tp in _partitions(event):
            if event.offset is not None:
                self.committed[tp] = event.offset
            if event.start is not None:
                self.starts[tp] = event.start
            if event.end is not None:
                self.ends[tp] = event.end

    def _member(self, event: Event, member_id: str) -> None:
        if event.kind in (EventKind.LEFT, EventKind.FENCED):
            self.members.pop(member_id, None)
        elif event.kind in (EventKind.JOINED, EventKind.ASSIGNED):
            member = self.members.setdefault(member_id, MemberView(member_id))
            member.client = event.client or member.client
            member.instance = event.instance or member.instance
            member.epoch = member.epoch if event.epoch is None else event.epoch
            member.owned.update(_partitions(event))
        elif event.kind in (EventKind.REVOKED, EventKind.LOST) and member_id in self.members:
            self.members[member_id].owned.difference_update(_partitions(event))
        elif event.kind is EventKind.GROUP_EPOCH:
            self.epoch = event.epoch


class GroupViews:
    """The current states of all groups."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], GroupView] = {}

    def add(self, event: Event) -> None:
        """Update the state with an event."""
        key = (event.cluster, event.group)
        if key not in self._groups:
            self._groups[key] = GroupView(*key)
        self._groups[key].add(event)

    def views(self) -> list[GroupView]:
        """Return groups with problems, then stable ones, then empty ones, each by name."""
        views = self._groups.values()
        return sorted(views, key=lambda view: (_CALM.get(view.state, 0), view.group, view.cluster))


def _partitions(event: Event) -> Iterator[TopicPartition]:
    return starmap(TopicPartition, partitions_of(event))


def event_text(event: Event) -> str:
    """Format an event as one line: its time in UTC, its group, and its other fields."""
    words = [time_text(event.at), event.group, event.kind.value]
    words += [text for text in (event.instance or event.client, event.member) if text]
    if event.epoch is not None:
        words.append(f"epoch {event.epoch}")
    if event.topic is not None:
        words.append(format_partitions(_partitions(event)) if event.partitions else f"{event.topic}[]")
    numbers = (("offset", event.offset), ("start", event.start), ("end", event.end), ("ms", event.ms))
    words += [f"{name} {value}" for name, value in numbers if value is not None]
    words += [text for text in (event.cause, event.reason) if text]
    return printable("  ".join(words))
