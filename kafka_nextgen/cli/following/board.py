"""Groups as they are now, by the events so far. Pure; made for looking at, ``history/folding.py`` is for answers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import starmap

from attrs import Factory, define

from kafka_nextgen.cli.moments import time_text
from kafka_nextgen.history.events import Event, EventKind, partitions_of
from kafka_nextgen.text import printable
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["Board", "GroupView", "MemberView", "event_text"]

#: So many characters of a member's id tell it from others of its client id.
_SHORT = 8
#: States that are looked at last.
_CALM = {"stable": 1, "empty": 2}


@define
class MemberView:
    """A member that is in the group."""

    member: str
    client: str | None = None
    instance: str | None = None
    epoch: int | None = None
    owned: set[TopicPartition] = Factory(set)

    @property
    def name(self) -> str:
        """Its instance id, else its client id and the beginning of its own id, else that id."""
        if self.instance or not self.client:
            return self.instance or self.member
        return f"{self.client} {self.member.removeprefix(f'{self.client}-')[:_SHORT]}"


@define
class GroupView:
    """A group as it is now. ``at`` is the time (ms) of its last event."""

    cluster: str
    group: str
    at: int = 0
    protocol: str | None = None
    epoch: int | None = None
    problem: str | None = None
    members: dict[str, MemberView] = Factory(dict)
    committed: dict[TopicPartition, int] = Factory(dict)
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

    @property
    def lag(self) -> int | None:
        """The lags of all partitions whose committed offset and end are known; None if there are none."""
        known = self.committed.keys() & self.ends.keys()
        return sum(max(0, self.ends[tp] - self.committed[tp]) for tp in known) if known else None

    def add(self, event: Event) -> None:
        """Take an event in."""
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


class Board:
    """All groups that events told of."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], GroupView] = {}

    def add(self, event: Event) -> None:
        """Take an event in."""
        key = (event.cluster, event.group)
        if key not in self._groups:
            self._groups[key] = GroupView(*key)
        self._groups[key].add(event)

    def groups(self) -> list[GroupView]:
        """Groups in trouble, stable and empty ones, each by name."""
        views = self._groups.values()
        return sorted(views, key=lambda view: (_CALM.get(view.state, 0), view.group, view.cluster))


def _partitions(event: Event) -> Iterator[TopicPartition]:
    return starmap(TopicPartition, partitions_of(event))


def event_text(event: Event) -> str:
    """An event in a line: its time in UTC, its group, and what it says."""
    words = [time_text(event.at), event.group, event.kind.value]
    words += [text for text in (event.instance or event.client, event.member) if text]
    if event.epoch is not None:
        words.append(f"epoch {event.epoch}")
    if event.topic is not None:
        words.append(format_partitions(_partitions(event)) if event.partitions else f"{event.topic}[]")
    numbers = (("offset", event.offset), ("end", event.end), ("ms", event.ms))
    words += [f"{name} {value}" for name, value in numbers if value is not None]
    words += [text for text in (event.cause, event.reason) if text]
    return printable("  ".join(words))
