"""``kafka-nextgen groups members``, ``add-members`` and ``remove-members``."""

from __future__ import annotations

from collections.abc import Iterable

import click

from kafka_nextgen.admin import AddedMember, MemberDescription, NewMember, RemovedMember
from kafka_nextgen.cli.groups.documents import member_document
from kafka_nextgen.cli.options import ClusterOptions, cluster_options, json_option
from kafka_nextgen.cli.output import fail_with, print_json, print_line, print_table
from kafka_nextgen.types import format_partitions

__all__ = ["add_members", "members", "print_members", "remove_members"]

_HEADER = ("MEMBER", "TYPE", "INSTANCE", "CLIENT", "HOST", "RACK", "EPOCH", "SUBSCRIPTION", "ASSIGNMENT", "TARGET")
#: The additional columns for members that have client assignors, or were assigned by one.
_ASSIGNOR_HEADER = ("ASSIGNORS", "ASSIGNOR ERROR", "ASSIGNOR METADATA")
_AT_TARGET = "="

_POSITIVE_SECONDS = click.FloatRange(min=0, min_open=True)


@click.command()
@click.argument("group_id", metavar="GROUP")
@json_option
@cluster_options
def members(cluster: ClusterOptions, group_id: str, as_json: bool) -> None:
    """Show the members of GROUP: what they are subscribed to, what they own, and what they are to own.

    A target of = is what is owned already; the classic protocol has none.
    """
    with cluster.open() as admin:
        found = admin.members(group_id, cluster.timeout_s)
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
    """Return the assignors that the member can run; other clients report a version range below 0 (``Metadata``)."""
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


@click.command("add-members")
@click.argument("group_id", metavar="GROUP")
@click.option("-i", "--instance-id", "instance_ids", multiple=True, help="A static member; may be given again.")
@click.option(
    "--within",
    type=click.FloatRange(min=0),
    default=300.0,
    show_default=True,
    help="Seconds to wait for them at most; 0 expects them no more, or none at all if none is named.",
)
@click.option("--session-timeout", type=_POSITIVE_SECONDS, help="Seconds to keep the place of each, if less.")
@click.option(
    "--rebalance-timeout", type=_POSITIVE_SECONDS, help="Seconds that each is given at least to give partitions up."
)
@click.option("--assignor", help="The assignor of those that ask for none.")
@json_option
@cluster_options
def add_members(
    cluster: ClusterOptions,
    group_id: str,
    instance_ids: tuple[str, ...],
    within: float,
    session_timeout: float | None,
    rebalance_timeout: float | None,
    assignor: str | None,
    as_json: bool,
) -> None:
    """Announce members to GROUP that are about to join, so that it rebalances once, when all of them have."""
    if not instance_ids and within > 0:
        raise click.UsageError("say who is to join: --instance-id, as their group.instance.id will be")
    members = [NewMember(each, session_timeout, rebalance_timeout, assignor) for each in instance_ids]
    with cluster.open() as admin:
        added = admin.add_members(group_id, members, within, cluster.timeout_s)
    if as_json:
        print_json([_added_document(member) for member in added])
    else:
        what = "expected" if within else "no longer expected"
        for member in added:
            if member.error is None:
                print_line(f"Instance {member.instance_id} is {what} in {group_id}.")
    fail_with(member.error for member in added if member.error is not None)


def _added_document(member: AddedMember) -> dict[str, object]:
    return {"instance_id": member.instance_id, "error": None if member.error is None else str(member.error)}


@click.command("remove-members")
@click.argument("group_id", metavar="GROUP")
@click.option("-i", "--instance-id", "instance_ids", multiple=True, help="A static member; may be given again.")
@click.option("-m", "--member-id", "member_ids", multiple=True, help="Any member; may be given again.")
@click.option("--reason", default="removed by kafka-nextgen groups remove-members", help="For the coordinator's log.")
@json_option
@cluster_options
def remove_members(
    cluster: ClusterOptions,
    group_id: str,
    instance_ids: tuple[str, ...],
    member_ids: tuple[str, ...],
    reason: str,
    as_json: bool,
) -> None:
    """Put members out of GROUP. One whose application still runs joins again."""
    if not instance_ids and not member_ids:
        raise click.UsageError("say which members: --instance-id or --member-id, as 'groups members' shows them")
    with cluster.open() as admin:
        removed = admin.remove_members(group_id, instance_ids, member_ids, reason, cluster.timeout_s)
    if as_json:
        print_json([_removed_document(member) for member in removed])
    else:
        for member in removed:
            if member.error is None:
                print_line(f"Removed {_removed_name(member)} from {group_id}.")
    fail_with(member.error for member in removed if member.error is not None)


def _removed_name(member: RemovedMember) -> str:
    return f"instance {member.instance_id}" if member.instance_id else f"member {member.member_id}"


def _removed_document(member: RemovedMember) -> dict[str, object]:
    error = None if member.error is None else str(member.error)
    return {"instance_id": member.instance_id, "member_id": member.member_id, "error": error}
