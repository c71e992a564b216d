"""Find information about a record in later records of the same batches.

A cause is written after its effect: a member's tombstone comes before the record with the reason for its removal, and a
member's metadata before the epoch at which it joins. So the rows of a batch are first read from the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field

from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.cause import Cause, EpochCause
from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.types import RebalanceReason

__all__ = ["Ahead", "Row", "look_ahead"]

_LEAVING = (
    RebalanceReason.MEMBER_LEFT,
    RebalanceReason.MEMBER_EXPIRED,
    RebalanceReason.MEMBER_FENCED,
    RebalanceReason.ADMIN,
)


@frozen
class Row:
    """A record with its offset and its timestamp (milliseconds since the epoch)."""

    offset: int
    at: int
    record: r.Record


@frozen
class Ahead:
    """Information about a record from later rows of the same group.

    Args:
        group_epoch: The next group epoch.
        epoch: The epoch that belongs to this record: a joining member's first epoch, or the epoch of a member's target.
        stays: Whether the removed member is written again later, in the same or the other protocol. This record is its
            tombstone.
        next_member: The next member's metadata.
        latest: The last metadata of this member. A member that replaces a former one is first written with the former
            member's metadata.
        goes_on: Whether the removed group continues in the other protocol. This record is its tombstone.
        cause: The recorded cause of this epoch, or of this member's removal.
    """

    group_epoch: int | None = None
    epoch: int | None = None
    stays: bool = False
    next_member: r.MemberMetadata | None = None
    latest: r.MemberMetadata | None = None
    goes_on: bool = False
    cause: Cause | None = None


def look_ahead(rows: Sequence[Row]) -> list[Ahead]:
    """Return, for each row, the information from later rows."""
    groups: dict[str, _Later] = {}
    found: list[Ahead] = []
    for row in reversed(rows):
        later = groups.setdefault(row.record.group_id, _Later())
        found.append(later.seen_from(row.record))
        later.note(row.record)
    found.reverse()
    return found


@define
class _Later:
    group_epoch: int | None = None
    target_epoch: int | None = None
    is_classic: bool = False
    next_member: r.MemberMetadata | None = None
    members: set[str] = field(factory=set)
    metadata: dict[str, r.MemberMetadata] = field(factory=dict)
    # Members with a later tombstone, and whether they are written again after it.
    removed: dict[str, bool] = field(factory=dict)
    currents: dict[str, int] = field(factory=dict)
    by_epoch: dict[int, Cause] = field(factory=dict)
    by_member: dict[str, Cause] = field(factory=dict)
    last_leaving: Cause | None = None

    def seen_from(self, record: r.Record) -> Ahead:
        if isinstance(record, r.MemberMetadata):
            epoch = self.currents.get(record.member_id, self.group_epoch)
            return Ahead(self.group_epoch, epoch, latest=self.metadata.get(record.member_id))
        if isinstance(record, (r.MemberMetadataRemoved, r.CurrentMemberAssignmentRemoved)):
            cause = self.by_member.get(record.member_id, self.last_leaving)
            stays = record.member_id in self.members
            if isinstance(record, r.CurrentMemberAssignmentRemoved):
                stays = self.removed.get(record.member_id, stays)
            return Ahead(self.group_epoch, stays=stays, next_member=self.next_member, cause=cause)
        if isinstance(record, r.TargetAssignmentMember):
            return Ahead(self.group_epoch, self.target_epoch)
        if isinstance(record, r.GroupMetadata):
            return Ahead(cause=self.by_epoch.get(record.epoch))
        if isinstance(record, r.GroupMetadataRemoved):
            return Ahead(goes_on=self.is_classic)
        if isinstance(record, r.ClassicGroupMetadataRemoved):
            return Ahead(goes_on=self.next_member is not None or self.group_epoch is not None)
        return Ahead()

    def note(self, record: r.Record) -> None:
        if isinstance(record, r.MemberMetadata):
            self.next_member = record
            self.members.add(record.member_id)
            self.metadata.setdefault(record.member_id, record)
            self.removed.pop(record.member_id, None)
        elif isinstance(record, r.MemberMetadataRemoved):
            self.removed[record.member_id] = record.member_id in self.members
            self.members.discard(record.member_id)
            self.metadata.pop(record.member_id, None)
        elif isinstance(record, r.GroupMetadata):
            self.group_epoch = record.epoch
        elif isinstance(record, r.TargetAssignmentMetadata):
            self.target_epoch = record.assignment_epoch
        elif isinstance(record, r.CurrentMemberAssignment) and record.member_epoch > 0:
            self.currents[record.member_id] = record.member_epoch
        elif isinstance(record, r.ClassicGroupMetadata):
            self.is_classic = True
            self.members = {member.member_id for member in record.members}
        elif isinstance(record, r.ExtensionRecord) and (told := record.tells_cause) is not None:
            self._note_cause(told)

    def _note_cause(self, told: EpochCause) -> None:
        if not told.is_classic:
            self.by_epoch[told.epoch] = told.cause
        if told.cause.reason in _LEAVING:
            self.by_member[told.cause.member_id] = self.last_leaving = told.cause
