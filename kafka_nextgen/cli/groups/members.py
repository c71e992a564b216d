"""``kafka-nextgen groups members``."""

from __future__ import annotations

from collections.abc import Iterable

import click

from kafka_nextgen.admin import MemberDescription
from kafka_nextgen.cli.groups.documents import member_document
from kafka_nextgen.cli.groups.options import Reach, json_option, reaching
from kafka_nextgen.cli.groups.printing import print_json, print_table
from kafka_nextgen.types import format_partitions

__all__ = ["members", "print_members"]

_HEADER = ("MEMBER", "TYPE", "INSTANCE", "CLIENT", "HOST", "RACK", "EPOCH", "SUBSCRIPTION", "ASSIGNMENT", "TARGET")
#: What is shown besides of members that have assignors of their own, or were assigned by one.
_ASSIGNOR_HEADER = ("ASSIGNORS", "ASSIGNOR ERROR", "ASSIGNOR METADATA")
_AT_TARGET = "="


@click.command()
@click.argument("group_id", metavar="GROUP")
@json_option
@reaching
def members(reach: Reach, group_id: str, as_json: bool) -> None:
    """Show the members of GROUP: what they are subscribed to, what they own, and what they are to own.

    A target of = is what is owned already; the classic protocol has none.
    """
    with reach.open() as admin:
        found = admin.members(group_id, reach.timeout_s)
    if as_json:
        print_json([member_document(member) for member in found])
    else:
        print_members(found)


def print_members(members: Iterable[MemberDescription]) -> None:
    """Print a table of members."""
    members = list(members)
    if any(map(_has_assignors, members)):
        print_table((*_HEADER, *_ASSIGNOR_HEADER), [(*_row(member), *_assignor_row(member)) for member in members])
    else:
        print_table(_HEADER, [_row(member) for member in members])


def _has_assignors(member: MemberDescription) -> bool:
    return bool(_assignors(member) or member.assignment_error or member.assignment_metadata is not None)


def _assignors(member: MemberDescription) -> list[str]:
    """Those that members can run; a range below 0 is what clients of another make tell theirs (``Metadata``)."""
    return [
        f"{each.name}({each.minimum_version}..{each.maximum_version})"
        for each in member.client_assignors
        if each.maximum_version >= 0
    ]


def _assignor_row(member: MemberDescription) -> tuple[str | int | None, ...]:
    metadata = member.assignment_metadata
    return (
        " ".join(_assignors(member)) or None,
        member.assignment_error or None,
        None if metadata is None else f"version {metadata.version}, {len(metadata.payload)} bytes",
    )


def _row(member: MemberDescription) -> tuple[str | int | None, ...]:
    assignment = None if member.assignment is None else format_partitions(member.assignment)
    return (
        member.member_id,
        member.type.value,
        member.instance_id,
        member.client_id,
        member.client_host,
        member.rack_id,
        member.member_epoch,
        _subscription(member),
        assignment,
        _target(member),
    )


def _subscription(member: MemberDescription) -> str | None:
    pattern = f"/{member.subscribed_pattern}/" if member.subscribed_pattern else ""
    return " ".join(filter(None, (pattern, *member.subscribed_topics))) or None


def _target(member: MemberDescription) -> str | None:
    if member.target is None:
        return None
    return _AT_TARGET if member.is_at_target else format_partitions(member.target)
