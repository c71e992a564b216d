"""Derives events of groups from records: members, epochs, targets and owners of partitions. ``events`` handles
offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.cause import EpochCause
from kafka_nextgen.history.events import BEGINS_IN_THE_MIDDLE, EventKind, partitions_by_topic
from kafka_nextgen.offsets_topic.ahead import Ahead
from kafka_nextgen.offsets_topic.classic_story import RESTARTED, departure_by, tell_generation
from kafka_nextgen.offsets_topic.story_state import (
    UNKNOWN,
    Departure,
    GroupState,
    Held,
    MemberState,
    Telling,
    words_of,
)
from kafka_nextgen.types import RebalanceReason, TopicId

__all__ = ["GroupStories"]

_LEFT_TEMPORARILY = -2
_HIGHEST_FIRST_EPOCH = 2  # Kafka before 4.3 starts with 1
_TEMPORARILY = "left temporarily"


class GroupStories:
    """The state of all groups that appeared in records. ``names`` has topic names by id; the caller may add to it."""

    def __init__(self, names: Mapping[TopicId, str]) -> None:
        self.groups: dict[str, GroupState] = {}
        self._names = names
        self._telling = Telling("", "")
        self._departure_known: Departure | None = None
        self._rules: Mapping[type, Callable[[Any, Ahead], None]] = {
            r.MemberMetadata: self._on_member,
            r.MemberMetadataRemoved: self._on_member_removed,
            r.CurrentMemberAssignment: self._on_current,
            r.CurrentMemberAssignmentRemoved: self._on_current_removed,
            r.GroupMetadata: self._on_epoch,
            r.GroupMetadataRemoved: self._on_group_removed,
            r.PartitionMetadata: self._on_partition_metadata,
            r.RegularExpression: self._on_pattern,
            r.TargetAssignmentMember: self._on_target_member,
            r.TargetAssignmentMetadata: self._on_target,
            r.ClassicGroupMetadata: self._on_generation,
            r.ClassicGroupMetadataRemoved: self._on_group_removed,
        }

    def take_in(self, record: r.Record, ahead: Ahead, telling: Telling, departure: Departure | None) -> None:
        """Report the events of a record; ``departure`` says how the members that it removes left, if known."""
        if isinstance(record, r.ExtensionRecord) and (told := record.tells_cause) is not None:
            self._on_cause(self._group(record.group_id), told)
        rule = self._rules.get(type(record))
        if rule is not None:
            self._telling, self._departure_known = telling, departure
            rule(record, ahead)

    def _group(self, group_id: str) -> GroupState:
        return self.groups.setdefault(group_id, GroupState(group_id, "consumer"))

    def _named(self, held: Iterable[tuple[str | TopicId, int]]) -> Held:
        names = self._names
        return frozenset((each if isinstance(each, str) else names.get(each, each), number) for each, number in held)

    def _on_member(self, record: r.MemberMetadata, ahead: Ahead) -> None:
        group = self._group(record.group_id)
        member = group.member(record.member_id)
        subscription = (record.subscribed_topics, record.subscribed_pattern)
        was_tuple = isinstance(member.subscription, tuple)
        is_changed = member.is_joined and was_tuple and member.subscription != subscription
        is_other_assignor = member.is_joined and was_tuple and member.assignor != record.server_assignor
        is_new, is_back = not member.is_joined or member.is_away, member.is_away or _has_former(group, member, record)
        group.protocol = "consumer"
        member.instance_id, member.subscription = record.instance_id, subscription
        member.assignor = record.server_assignor
        latest = ahead.latest or record
        member.client_id, member.host = latest.client_id, latest.client_host
        member.is_joined, member.is_away = True, False
        if is_new:
            self._tell_joined(group, member, ahead, is_back=is_back)
        elif is_changed:
            group.note(self._telling.at, RebalanceReason.SUBSCRIPTION_CHANGED, member.member_id)
        elif is_other_assignor:  # since Kafka 4.4 this can increase the epoch (KAFKA-20434)
            group.note(self._telling.at, RebalanceReason.ASSIGNOR_CHANGED, member.member_id)

    def _tell_joined(self, group: GroupState, member: MemberState, ahead: Ahead, *, is_back: bool) -> None:
        reason = RebalanceReason.MEMBER_RESTARTED if is_back else RebalanceReason.MEMBER_JOINED
        group.note(self._telling.at, reason, member.member_id)
        is_seen = group.epoch is not None or (ahead.group_epoch or _HIGHEST_FIRST_EPOCH + 1) <= _HIGHEST_FIRST_EPOCH
        cause = words_of(reason) if is_back else None if is_seen else BEGINS_IN_THE_MIDDLE
        self._telling.tell_joined(group, member, group.epoch if ahead.epoch is None else ahead.epoch, cause)

    def _on_member_removed(self, record: r.MemberMetadataRemoved, ahead: Ahead) -> None:
        if ahead.stays:
            return
        group = self._group(record.group_id)
        member = group.members.pop(record.member_id, None) or MemberState(record.member_id)
        how = self._departure(member, ahead)
        if how is not RESTARTED:
            group.note_gone(self._telling.at, how, member.member_id)
        if member.instance_id is not None and how is RESTARTED:
            group.former.add(member.instance_id)
        if not member.is_away:
            self._telling.tell_gone(group, member, how)
        self._drop_if_blank(group)

    def _departure(self, member: MemberState, ahead: Ahead) -> Departure:
        heir = ahead.next_member
        if heir is not None and heir.instance_id is not None and heir.instance_id == member.instance_id:
            return RESTARTED
        return departure_by(ahead.cause) or self._departure_known or Departure()

    def _on_current_removed(self, record: r.CurrentMemberAssignmentRemoved, ahead: Ahead) -> None:
        group = self.groups.get(record.group_id)
        member = None if group is None else group.members.get(record.member_id)
        if group is None or member is None or ahead.stays:
            return
        cause = self._departure(member, ahead).cause
        of = {"member": member.member_id, "instance": member.instance_id, "epoch": member.epoch, "cause": cause}
        self._telling.tell_partitions(EventKind.REVOKED, group, member.held, **of)
        member.held = frozenset()

    def _on_epoch(self, record: r.GroupMetadata, ahead: Ahead) -> None:
        group = self._group(record.group_id)
        before, group.metadata_hash = group.metadata_hash, record.metadata_hash
        group.protocol = "consumer"
        if record.epoch == group.epoch:
            return
        group.epoch = record.epoch
        recorded = group.take_recorded(False, record.epoch) or ahead.cause
        is_other = before is not None and before != record.metadata_hash
        otherwise = words_of(RebalanceReason.TOPIC_METADATA_CHANGED) if is_other else UNKNOWN
        self._telling.tell_epoch(group, record.epoch, recorded, otherwise)

    def _on_partition_metadata(self, record: r.PartitionMetadata, _: Ahead) -> None:
        group = self._group(record.group_id)
        group.note(self._telling.at, RebalanceReason.TOPIC_METADATA_CHANGED)

    def _on_pattern(self, record: r.RegularExpression, _: Ahead) -> None:
        group = self._group(record.group_id)
        group.note(self._telling.at, RebalanceReason.PATTERN_RESOLVED)

    def _on_group_removed(self, record: r.GroupMetadataRemoved | r.ClassicGroupMetadataRemoved, ahead: Ahead) -> None:
        group = self.groups.get(record.group_id)
        if group is None or ahead.goes_on:
            return
        for member in group.members.values():
            if (member.is_joined or member.held) and not member.is_away:
                self._telling.tell_gone(group, member, Departure())
        del self.groups[record.group_id]

    def _on_target_member(self, record: r.TargetAssignmentMember, ahead: Ahead) -> None:
        group = self._group(record.group_id)
        member = group.member(record.member_id)
        now = self._named((topic, number) for topic, numbers in record.partitions.items() for number in numbers)
        epoch = group.epoch if ahead.epoch is None else ahead.epoch
        of = {"epoch": epoch, "member": member.member_id, "instance": member.instance_id}
        before = partitions_by_topic(self._named(member.target or ()))
        told = {**dict.fromkeys(before, ()), **partitions_by_topic(now)}
        for topic, numbers in told.items():
            self._tell(EventKind.TARGET, group, topic=topic, partitions=numbers, **of)
        if not told:
            self._tell(EventKind.TARGET, group, partitions=(), **of)
        member.target = now

    def _on_target(self, record: r.TargetAssignmentMetadata, _: Ahead) -> None:
        group = self._group(record.group_id)
        if record.assignment_epoch != group.target_epoch:
            group.target_epoch = record.assignment_epoch
            self._tell(EventKind.TARGET, group, epoch=record.assignment_epoch)

    def _on_current(self, record: r.CurrentMemberAssignment, _: Ahead) -> None:
        if record.member_epoch == 0:
            return  # it has just replaced its instance's former member; the next record has its own partitions
        group = self._group(record.group_id)
        member = group.member(record.member_id)
        member.held = self._named(member.held)
        if record.member_epoch == _LEFT_TEMPORARILY:
            member.epoch = record.previous_member_epoch
            if not member.is_away:
                self._telling.tell_gone(group, member, Departure(EventKind.LEFT, _TEMPORARILY))
            member.is_away, member.is_stable = True, False
            return
        member.is_away = False
        held = (*record.assigned, *record.pending_revocation)
        now = self._named((each.topic_id, each.partition) for each, _epoch in held)
        is_done = record.status is r.MemberStatus.STABLE
        self._telling.tell_moved(group, member, now, record.member_epoch, is_done=is_done)

    def _on_generation(self, record: r.ClassicGroupMetadata, _: Ahead) -> None:
        if not record.protocol_type and record.group_id not in self.groups:
            return  # a group that was just created
        group = self._group(record.group_id)
        for member in group.members.values():
            member.held = self._named(member.held)
        tell_generation(self._telling, group, record)

    def _on_cause(self, group: GroupState, told: EpochCause) -> None:
        if group.epoch is None or told.epoch > group.epoch:
            group.recorded.setdefault((told.is_classic, told.epoch), told.cause)

    def _tell(self, kind: EventKind, group: GroupState, **fields: Any) -> None:
        self._telling.tell(kind, group.group_id, group.protocol, **fields)

    def _drop_if_blank(self, group: GroupState) -> None:
        """Drop a group that is known only from a tombstone."""
        if not group.members and group.epoch is None and not group.recorded and group.seen is None:
            self.groups.pop(group.group_id, None)


def _has_former(group: GroupState, member: MemberState, record: r.MemberMetadata) -> bool:
    """Whether the member has replaced a former member with its instance id."""
    if record.instance_id is None or record.instance_id not in group.former:
        return False
    group.former.discard(record.instance_id)
    return True
