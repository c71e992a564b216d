"""How the coordinator's side is told: its answers, and what its records say beyond them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.described import DescribedGroup
from kafka_nextgen.groups.extensions import records as x
from kafka_nextgen.groups.topic_partitions import TopicPartitions, flatten
from kafka_nextgen.testing.coordinator.describe import state_of
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.responses import (
    ConsumerGroupHeartbeatAnswer,
    OffsetsCommitted,
    OffsetsDeleted,
    OffsetsFetched,
)
from kafka_nextgen.types import TopicIdPartition, TopicPartition, format_partitions
from tests.verification.scenario_language.telling_classic import tell_leavers

#: How partitions known by topic id are written.
Write = Callable[[Iterable[TopicIdPartition]], str]

Targets = Mapping[str, TopicPartitions]


def tell_heartbeat(name: str, answer: ConsumerGroupHeartbeatAnswer, epoch: str, write: Write) -> str:
    """``-> A epoch=3 assignment=foo[0]``, or ``-> A FENCED_MEMBER_EPOCH``."""
    if answer.error is not ErrorCode.NONE:
        return f"-> {name} {answer.error.name}"
    assignment = "unchanged" if answer.assignment is None else write(answer.assignment)
    return f"-> {name} epoch={epoch} assignment={assignment}"


def tell_standby_place(answer: ConsumerGroupHeartbeatAnswer) -> str:
    return f" standby={answer.standby_place}" if answer.standby_place else ""


def tell_commit(name: str, answer: OffsetsCommitted) -> Iterator[str]:
    """``-> A committed foo[0-1]``, or ``-> A STALE_MEMBER_EPOCH foo[2]``: a line for each outcome."""
    return (f"-> {name} {outcome}" for outcome in _outcomes("committed", answer.errors))


def tell_deletion(answer: OffsetsDeleted) -> Iterator[str]:
    """``-> deleted foo[0]``, ``-> GROUP_SUBSCRIBED_TO_TOPIC foo[1]``, or ``-> GROUP_ID_NOT_FOUND`` for all."""
    if answer.error is not ErrorCode.NONE:
        yield f"-> {answer.error.name}"
    yield from (f"-> {outcome}" for outcome in _outcomes("deleted", answer.errors))


def _outcomes(success: str, errors: Mapping[TopicPartition, ErrorCode]) -> Iterator[str]:
    by_code: dict[ErrorCode, list[TopicPartition]] = {}
    for partition, code in sorted(errors.items()):
        by_code.setdefault(code, []).append(partition)
    for code, partitions in by_code.items():
        yield f"{success if code is ErrorCode.NONE else code.name} {format_partitions(partitions)}"


def tell_fetch(name: str, answer: OffsetsFetched) -> str:
    """``-> A foo[0]=10 foo[1]=-``, ``-> A foo[0]=UNSTABLE_OFFSET_COMMIT``, or ``-> A STALE_MEMBER_EPOCH``."""
    if answer.error is not ErrorCode.NONE:
        return f"-> {name} {answer.error.name}"
    told = {partition: str(at.offset) if at else "-" for partition, at in answer.offsets.items()}
    told.update(dict.fromkeys(answer.unstable, ErrorCode.UNSTABLE_OFFSET_COMMIT.name))
    found = [f"{partition}={what}" for partition, what in sorted(told.items())]
    return f"-> {name} {' '.join(found) or '-'}"


def tell_members(
    group: DescribedGroup, write_id: Callable[[str], str], write_epoch: Callable[[int], str], write: Write
) -> Iterator[str]:
    """``-> Stable epoch=3 target=3`` and the members, by name."""
    if group.error is not ErrorCode.NONE:
        yield f"-> {group.error.name}"
        return
    yield f"-> {group.state} epoch={write_epoch(group.group_epoch)} target={write_epoch(group.assignment_epoch)}"
    for name, member in sorted((write_id(member.member_id), member) for member in group.members):
        protocol = "classic" if member.is_classic else "consumer"
        epoch = write_epoch(member.member_epoch)
        standby = f" standby={member.standby_place} {member.standby_state.name}" if member.standby_place else ""
        has, target = write(member.assignment), write(member.target)
        yield f"   {name} {protocol} epoch={epoch} has={has} target={target}{standby.lower()}"
    for expected in group.expected:
        yield f"   {'waits' if expected.has_joined else 'expected'} {expected.instance_id}"
    yield from tell_leavers(group.leaving, write_id)


def tell_status(name: str, before: r.MemberStatus | None, after: r.MemberStatus | None) -> tuple[str, ...]:
    """``A stable => unrevoked`` if that changed, the status alone if it waits for something, else nothing."""
    if after is None:
        return ()
    old, new = _word(before or r.MemberStatus.STABLE), _word(after)
    if old != new:
        return (f"   {name} {old} => {new}",)
    return () if after is r.MemberStatus.STABLE else (f"   {name} {new}",)


def _word(status: r.MemberStatus) -> str:
    return status.name.removesuffix("_PARTITIONS").lower()


def tell_news(records: Iterable[r.Record], targets: Targets, write: Write) -> list[str]:
    """What records say: members that went, matches, and the epoch, with its target if that was made at once."""
    records = tuple(records)
    made = {record.assignment_epoch for record in records if isinstance(record, r.TargetAssignmentMetadata)}
    return [line for record in records for line in _tell_record(record, made, targets, write)]


def _tell_record(record: r.Record, made: set[int], targets: Targets, write: Write) -> Iterator[str]:
    if isinstance(record, r.MemberMetadataRemoved):
        yield f"   {record.member_id} removed"
    elif isinstance(record, r.GroupMetadata) and record.epoch not in made:
        yield f"   group epoch={record.epoch}"
    elif isinstance(record, r.TargetAssignmentMetadata):
        shares = " ".join(f"{member_id}={write(flatten(share))}" for member_id, share in sorted(targets.items()))
        yield f"   target epoch={record.assignment_epoch} {shares or '-'}"
    elif isinstance(record, r.RegularExpression):
        yield f"   {record.pattern} matches {' '.join(record.topics) or '-'}"
    elif isinstance(record, r.ExtensionRecord):
        yield from _tell_extension(record)


def _tell_extension(record: r.ExtensionRecord) -> Iterator[str]:
    match record:
        case x.ExpectedMembers():
            yield f"   slots for {' '.join(slot.instance_id for slot in record.slots)}"
        case x.ExpectedMembersRemoved():
            yield "   slots for -"
        case x.LeavingMembers():
            yield f"   to leave {' '.join(leaver.name for leaver in record.leavers)}"
        case x.LeavingMembersRemoved():
            yield "   to leave -"
        case x.StandbyMembers():
            loading = f" loading={','.join(record.loading)}" if record.loading else ""
            yield f"   standbys {' '.join(record.member_ids)}{loading}"
        case x.StandbyMembersRemoved():
            yield "   standbys -"


def tell_group(group: Group, write: Write) -> Iterator[str]:
    """The group's epochs, and who has what, and has to give what back."""
    yield f"   {state_of(group)} epoch={group.epoch} target={group.assignment_epoch}"
    for member_id, current in sorted(group.currents.items()):
        revoking = f" revoking={_granted(current.pending_revocation, write)}" if current.pending_revocation else ""
        yield f"   {member_id} epoch={current.member_epoch} has={_granted(current.assigned, write)}{revoking}"


def _granted(partitions: tuple[tuple[TopicIdPartition, int], ...], write: Write) -> str:
    return write(partition for partition, _ in partitions)
