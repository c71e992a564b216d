"""The state that is kept for a group while its records are read, and the creation of its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import field

from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.history.events import Event, EventKind, partitions_by_topic
from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.offsets_topic.ahead import Row
from kafka_nextgen.types import RebalanceReason, TopicId

__all__ = ["UNKNOWN", "Departure", "GroupState", "Held", "MemberState", "Telling", "words_of"]

#: The cause of events that the records do not explain.
UNKNOWN = "unknown"

#: Partitions: a topic's name, or its id if the name is unknown, and a partition number.
Held = frozenset[tuple[str | TopicId, int]]


@frozen
class Departure:
    """How a member was removed: it left (``LEFT``) or was fenced (``FENCED``), with the cause and the stated reason."""

    kind: EventKind = EventKind.LEFT
    cause: str = UNKNOWN
    reason: str | None = None


@define
class MemberState:
    """A member after the last record. ``is_away`` means that it left temporarily, and its place stays reserved."""

    member_id: str
    instance_id: str | None = None
    client_id: str | None = None
    host: str | None = None
    subscription: object = None
    assignor: str | None = None  # the server-side assignor that it votes for
    epoch: int | None = None
    is_joined: bool = False
    is_away: bool = False
    is_stable: bool = False
    held: Held = frozenset()
    target: Held | None = None


@define
class GroupState:
    """A group after the last record."""

    group_id: str
    protocol: str
    epoch: int | None = None
    target_epoch: int | None = None
    metadata_hash: int | None = None
    members: dict[str, MemberState] = field(factory=dict)
    recorded: dict[tuple[bool, int], Cause] = field(factory=dict)  # keys: whether it is classic, and the epoch
    seen: tuple[int, str, str | None] | None = None  # time (ms), cause, member: may increase the epoch next
    former: set[str] = field(factory=set)  # instances whose former member was just replaced
    gone: dict[str, Departure] = field(factory=dict)  # how members of a classic group left, until a record reports it

    def member(self, member_id: str) -> MemberState:
        """Return the member; a new one is created empty."""
        return self.members.setdefault(member_id, MemberState(member_id))

    def note(self, at: int, reason: RebalanceReason, member_id: str | None = None) -> None:
        """Note a change that may increase the epoch; of several changes at the same time, the first counts."""
        self._note(at, words_of(reason), member_id)

    def note_gone(self, at: int, how: Departure, member_id: str) -> None:
        """Note that a member left or was removed, which may increase the epoch."""
        self._note(at, words_of(RebalanceReason.MEMBER_LEFT) if how.cause == UNKNOWN else how.cause, member_id)

    def _note(self, at: int, cause: str, member_id: str | None) -> None:
        if self.seen is None or self.seen[0] != at:
            self.seen = (at, cause, member_id)

    def take_seen(self, at: int) -> tuple[str, str | None] | None:
        """Return and forget the change noted at this time."""
        seen, self.seen = self.seen, None
        return None if seen is None or seen[0] != at else seen[1:]

    def take_recorded(self, is_classic: bool, epoch: int) -> Cause | None:
        """Return the recorded cause of an epoch; drop it and older ones."""
        found = self.recorded.get((is_classic, epoch))
        self.recorded = {key: each for key, each in self.recorded.items() if key[0] != is_classic or key[1] > epoch}
        return found


@define
class Telling:
    """Collects the events of successive rows."""

    source: str
    cluster: str
    events: list[Event] = field(factory=list)
    row: Row | None = None
    _index: int = 0

    def begin(self, row: Row) -> None:
        """Start a row: the next events belong to it."""
        self.row, self._index = row, 0

    @property
    def at(self) -> int:
        """The timestamp of the row (ms)."""
        assert self.row is not None, "a row was begun"
        return self.row.at

    def tell(self, kind: EventKind, group_id: str, protocol: str | None, **fields: Any) -> None:
        """Add an event of the row."""
        assert self.row is not None, "a row was begun"
        seq = self.row.offset << 20 | self._index
        self._index += 1
        event = Event(self.row.at, seq, self.source, self.cluster, group_id, kind, protocol=protocol, **fields)
        self.events.append(event)

    def tell_partitions(
        self, kind: EventKind, group: GroupState, held: Iterable[tuple[str | TopicId, int]], **f: Any
    ) -> None:
        """Add an event for each topic."""
        for topic, numbers in partitions_by_topic(held).items():
            self.tell(kind, group.group_id, group.protocol, topic=topic, partitions=numbers, **f)

    def tell_moved(self, group: GroupState, member: MemberState, now: Held, epoch: int, *, is_done: bool) -> None:
        """Report the partitions that a member lost and gained; an event without partitions if it only reached a new
        epoch."""
        of = {"member": member.member_id, "instance": member.instance_id, "epoch": epoch}
        gained = now - member.held
        self.tell_partitions(EventKind.REVOKED, group, member.held - now, **of)
        self.tell_partitions(EventKind.ASSIGNED, group, gained, **of)
        if not gained and is_done and (epoch != member.epoch or not member.is_stable):
            self.tell(EventKind.ASSIGNED, group.group_id, group.protocol, partitions=(), **of)
        member.held, member.epoch, member.is_stable = now, epoch, is_done

    def tell_gone(self, group: GroupState, member: MemberState, how: Departure) -> None:
        """Report that a member left or was removed, and that its partitions are free."""
        of = {"member": member.member_id, "instance": member.instance_id, "epoch": member.epoch}
        self.tell_partitions(EventKind.REVOKED, group, member.held, cause=how.cause, **of)
        member.held = frozenset()
        self.tell(how.kind, group.group_id, group.protocol, cause=how.cause, reason=how.reason, **of)

    def tell_epoch(self, group: GroupState, epoch: int, recorded: Cause | None, otherwise: str = UNKNOWN) -> None:
        """Report a new group epoch, with its recorded cause; without one, the change noted at this time, or
        ``otherwise``."""
        cause, member, text = (*(group.take_seen(self.at) or (otherwise, None)), None)
        if recorded is not None:
            cause, member, text = words_of(recorded.reason), recorded.member_id or None, recorded.text or None
        self.tell(
            EventKind.GROUP_EPOCH,
            group.group_id,
            group.protocol,
            epoch=epoch,
            cause=cause,
            member=member,
            reason=text,
        )

    def tell_joined(self, group: GroupState, member: MemberState, epoch: int | None, cause: str | None) -> None:
        """Report that a member is in the group."""
        self.tell(
            EventKind.JOINED,
            group.group_id,
            group.protocol,
            member=member.member_id,
            instance=member.instance_id,
            client=member.client_id,
            host=member.host,
            epoch=epoch,
            cause=cause,
        )


def words_of(reason: RebalanceReason) -> str:
    """Return a reason as events spell it."""
    return reason.name.lower().replace("_", " ")
