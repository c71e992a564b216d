"""How the answers of a classic group are told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.consumer_protocol import HIGHEST_VERSION, decode_assignment, user_data_of, version_of
from kafka_nextgen.groups.described import DescribedClassicGroup, DescribedClassicMember, DescribedLeaver
from kafka_nextgen.groups.leaving import LeftMember
from kafka_nextgen.testing.coordinator.classic.responses import JoinGroupAnswer, SyncGroupAnswer
from kafka_nextgen.types import format_partitions

#: How the id of a member is written.
WriteId = Callable[[str], str]


def tell_joined(name: str, answer: JoinGroupAnswer, write_id: WriteId) -> str:
    """``-> A generation=1 range leader=A of A B``; without ``of`` for those who do not lead."""
    if answer.error is not ErrorCode.NONE:
        return f"-> {name} {answer.error.name}"
    members = sorted(write_id(member.member_id) for member in answer.members)
    everybody = f" of {' '.join(members)}" if members else ""
    skip = " skips assignment" if answer.skip_assignment else ""
    leader = write_id(answer.leader_id)
    return f"-> {name} generation={answer.generation} {answer.protocol_name} leader={leader}{everybody}{skip}"


def tell_synced(name: str, answer: SyncGroupAnswer, *, with_user_data: bool = False) -> str:
    """``-> A assignment=foo[0]``, as its leader wrote it, or the coordinator; ``user_data=hello`` if there is any."""
    if answer.error is not ErrorCode.NONE:
        return f"-> {name} {answer.error.name}"
    user_data = user_data_of(answer.assignment) if with_user_data else None
    besides = f" user_data={user_data.decode(errors='replace')}" if user_data else ""
    return f"-> {name} assignment={_told(answer.assignment)}{besides}"


def _told(assignment: bytes) -> str:
    """The partitions; the version if it is not the highest."""
    try:
        partitions = format_partitions(decode_assignment(assignment)) or "-"
    except DecodeError:
        return "garbage"
    version = version_of(assignment) if assignment else HIGHEST_VERSION
    return partitions if version == HIGHEST_VERSION else f"{partitions} embedded={version}"


def tell_left(left: Iterable[LeftMember], write_id: WriteId) -> Iterator[str]:
    """``-> A left``, ``-> @one UNKNOWN_MEMBER_ID``: a line for each."""
    for member in left:
        name = write_id(member.member_id) if member.member_id else ""
        instance = f"@{member.instance_id}" if member.instance_id else ""
        outcome = "left" if member.error is ErrorCode.NONE else member.error.name
        yield f"-> {name}{instance} {outcome}"


def tell_described(group: DescribedClassicGroup, write_id: WriteId) -> Iterator[str]:
    """``-> Stable range`` and the members, by name."""
    if group.error is not ErrorCode.NONE:
        yield f"-> {group.error.name}"
        return
    yield " ".join(filter(None, ("->", group.state, group.protocol_name)))
    yield from sorted(_described_member(member, write_id) for member in group.members)
    yield from tell_leavers(group.leaving, write_id)


def tell_leavers(leavers: Iterable[DescribedLeaver], write_id: WriteId) -> Iterator[str]:
    """Who is announced to leave, and whether it has left."""
    for leaver in leavers:
        name = write_id(leaver.member_id) if leaver.instance_id is None else leaver.instance_id
        yield f"   {'has left' if leaver.has_left else 'to leave'} {name}"


def _described_member(member: DescribedClassicMember, write_id: WriteId) -> str:
    instance = f"@{member.instance_id}" if member.instance_id else ""
    return f"   {write_id(member.member_id)}{instance} has={_told(member.assignment)}"
