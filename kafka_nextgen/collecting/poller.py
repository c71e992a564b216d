"""Derives events of one group from repeated descriptions of it. Does no I/O.

A poller sees less than members and coordinators do: it misses states that begin and end between two polls, and its
times are the times of polls. So the cause is unknown if a member is gone, and only the last of several epochs is known.

The state that the first poll finds began earlier, at an unknown time. Its events have the cause ``begins in the
middle``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import field

from kafka_nextgen.admin import GroupDescription, GroupOffset, GroupState, GroupType, MemberDescription
from kafka_nextgen.codes import name_of
from kafka_nextgen.errors import BrokerError
from kafka_nextgen.history.events import BEGINS_IN_THE_MIDDLE, Event, EventKind, partitions_by_topic
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.types import TopicPartition

__all__ = ["MEMBER_JOINED", "UNKNOWN", "GroupPoller"]

UNKNOWN = "unknown"
MEMBER_JOINED, _MEMBER_GONE = "member joined", "member gone"

#: A classic group in these states reports no assignments.
_REBALANCING = frozenset({GroupState.PREPARING_REBALANCE, GroupState.COMPLETING_REBALANCE})

_NO_PARTITIONS: tuple[tuple[str | None, tuple[int, ...]], ...] = ((None, ()),)

_Partitions = frozenset[TopicPartition]


@define
class GroupPoller:
    """Turns descriptions of one group into events.

    Args:
        source: The poller's ``source`` of events.
        cluster: The cluster's id.
        group: The group's id.
        sequence: The numbers of events, shared by the pollers of a source.
        is_new: Whether the group is known not to have existed before the first poll.
    """

    source: str
    cluster: str
    group: str
    sequence: Iterator[int]
    is_new: bool = False
    _protocol: str | None = None
    _members: dict[str, MemberDescription] = field(factory=dict)
    _owned: dict[str, _Partitions] = field(factory=dict)
    _targets: dict[str, _Partitions] = field(factory=dict)
    _group_epoch: int | None = None
    _target_epoch: int | None = None
    _committed: dict[TopicPartition, int] = field(factory=dict)
    _lags: dict[TopicPartition, tuple[int, int | None, int]] = field(factory=dict)
    _failures: dict[str, str] = field(factory=dict)
    _cause: str | None = BEGINS_IN_THE_MIDDLE

    def __attrs_post_init__(self) -> None:
        if self.is_new:
            self._cause = None

    def observe(self, at: int, group: GroupDescription | None) -> list[Event]:
        """Return what changed until ``at`` (ms since the Unix epoch); ``group`` is None if it does not exist."""
        self._failures.pop("group", None)
        if group is None:
            events = list(self._left(at, {}))
            self._group_epoch = self._target_epoch = None
            self._committed.clear()
            self._lags.clear()
        else:
            self._protocol = "classic" if group.type is GroupType.CLASSIC else "consumer"
            events = list(self._changes(at, group))
        self._cause = None
        return events

    def observe_offsets(self, at: int, offsets: Mapping[TopicPartition, GroupOffset]) -> list[Event]:
        """Return events of changed commits and lags."""
        self._failures.pop("offsets", None)
        return [*self._commits(at, offsets), *self._lag(at, offsets)]

    def record_failure(self, at: int, error: Exception, what: str = "group") -> list[Event]:
        """Return an event when requests about ``what`` begin to fail, or fail for a new cause."""
        cause = name_of(error.code) if isinstance(error, BrokerError) else type(error).__name__
        if cause == self._failures.get(what):
            return []
        self._failures[what] = cause
        return [self._event(at, EventKind.ERROR, cause=cause, reason=str(error))]

    def _changes(self, at: int, group: GroupDescription) -> Iterator[Event]:
        members = {member.member_id: member for member in group.members}
        cause, by = self._cause_of(group.group_epoch, members)
        yield from self._left(at, members)
        yield from self._joined(at, members)
        yield from self._epochs(at, group, cause, by)
        for member in group.members:
            yield from self._target(at, member, group.assignment_epoch)
        if group.state not in _REBALANCING:
            yield from self._ownership_changes(at, members)
        self._members = members

    def _left(self, at: int, members: Mapping[str, MemberDescription]) -> Iterator[Event]:
        for member_id in sorted(self._members.keys() - members.keys()):
            member = self._members.pop(member_id)
            self._owned.pop(member_id, None)
            self._targets.pop(member_id, None)
            yield self._member_event(at, EventKind.LEFT, member, instance=member.instance_id, cause=UNKNOWN)

    def _joined(self, at: int, members: Mapping[str, MemberDescription]) -> Iterator[Event]:
        for member_id, member in members.items():
            if member_id not in self._members:
                yield self._member_event(
                    at,
                    EventKind.JOINED,
                    member,
                    instance=member.instance_id,
                    client=member.client_id,
                    host=member.client_host,
                    cause=self._cause,
                )

    def _cause_of(self, epoch: int | None, members: Mapping[str, MemberDescription]) -> tuple[str | None, str | None]:
        """Return the cause and the member of a new group epoch, if it rose by one and one member joined or left."""
        came, gone = members.keys() - self._members.keys(), self._members.keys() - members.keys()
        if self._group_epoch is None or epoch != self._group_epoch + 1 or len(came) + len(gone) != 1:
            return self._cause, None
        return (MEMBER_JOINED, next(iter(came))) if came else (_MEMBER_GONE, next(iter(gone)))

    def _epochs(self, at: int, group: GroupDescription, cause: str | None, by: str | None) -> Iterator[Event]:
        if group.group_epoch is not None and group.group_epoch != self._group_epoch:
            yield self._event(at, EventKind.GROUP_EPOCH, epoch=group.group_epoch, member=by, cause=cause)
        if group.assignment_epoch is not None and group.assignment_epoch != self._target_epoch:
            yield self._event(at, EventKind.TARGET, epoch=group.assignment_epoch, cause=self._cause)
        self._group_epoch, self._target_epoch = group.group_epoch, group.assignment_epoch

    def _target(self, at: int, member: MemberDescription, epoch: int | None) -> Iterator[Event]:
        """Yield the topics of a changed target; a removed topic has no partitions."""
        if member.target is None or member.target == self._targets.get(member.member_id):
            return
        topics = _changed_topics(self._targets.get(member.member_id, frozenset()), member.target)
        self._targets[member.member_id] = member.target
        for topic, partitions in topics or _NO_PARTITIONS:
            yield self._event(
                at,
                EventKind.TARGET,
                epoch=epoch,
                member=member.member_id,
                topic=topic,
                partitions=partitions,
                cause=self._cause,
            )

    def _ownership_changes(self, at: int, members: Mapping[str, MemberDescription]) -> Iterator[Event]:
        """Yield all revocations before all assignments, so that a moved partition has one owner at a time."""
        known = {name: member for name, member in members.items() if member.assignment is not None}
        for member in known.values():
            gone = self._owned.get(member.member_id, frozenset()) - (member.assignment or frozenset())
            for topic, partitions in partitions_by_topic(gone).items():
                yield self._member_event(at, EventKind.REVOKED, member, topic=topic, partitions=partitions)
        for member in known.values():
            yield from self._assigned(at, member, member.assignment or frozenset())

    def _assigned(self, at: int, member: MemberDescription, owned: _Partitions) -> Iterator[Event]:
        """Yield new partitions, or an event without partitions if the member reached the target of this epoch."""
        new = partitions_by_topic(owned - self._owned.get(member.member_id, frozenset())).items()
        self._owned[member.member_id] = owned
        is_at_target = member.member_epoch is not None and member.is_at_target
        has_come_there = is_at_target and not self._was_at_target(member)
        for topic, partitions in new or (_NO_PARTITIONS if has_come_there else ()):
            yield self._member_event(
                at, EventKind.ASSIGNED, member, topic=topic, partitions=partitions, cause=self._cause
            )

    def _was_at_target(self, member: MemberDescription) -> bool:
        """Return whether the member was at the target of the same epoch at the previous poll."""
        before = self._members.get(member.member_id)
        return before is not None and before.member_epoch == member.member_epoch and before.is_at_target

    def _commits(self, at: int, offsets: Mapping[TopicPartition, GroupOffset]) -> Iterator[Event]:
        for tp, found in offsets.items():
            if found.committed is not None and found.committed.offset != self._committed.get(tp):
                self._committed[tp] = offset = found.committed.offset
                yield self._event(at, EventKind.COMMITTED, topic=tp.topic, partitions=(tp.partition,), offset=offset)

    def _lag(self, at: int, offsets: Mapping[TopicPartition, GroupOffset]) -> Iterator[Event]:
        for tp, found in offsets.items():
            if found.committed is None or found.end_offset is None:
                continue
            offset, start, end = lag = (found.committed.offset, found.start_offset, found.end_offset)
            if lag != self._lags.get(tp):
                self._lags[tp] = lag
                place = {"topic": tp.topic, "partitions": (tp.partition,)}
                yield self._event(at, EventKind.LAG, **place, offset=offset, start=start, end=end)

    def _member_event(self, at: int, kind: EventKind, member: MemberDescription, **more: Any) -> Event:
        return self._event(at, kind, member=member.member_id, epoch=member.member_epoch, **more)

    def _event(self, at: int, kind: EventKind, **more: Any) -> Event:
        return Event(
            at=at,
            seq=next(self.sequence),
            source=self.source,
            cluster=self.cluster,
            group=self.group,
            kind=kind,
            protocol=self._protocol,
            **more,
        )


def _changed_topics(
    before: Iterable[TopicPartition], after: Iterable[TopicPartition]
) -> list[tuple[str, tuple[int, ...]]]:
    """Return the topics whose partitions changed, with their current partitions, if any."""
    old, new = partitions_by_topic(before), partitions_by_topic(after)
    return [(topic, new.get(topic, ())) for topic in sorted({*old, *new}) if old.get(topic) != new.get(topic)]
