"""``kafka-nextgen groups members``, ``add-members``, ``announce-leaving`` and ``remove-members``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

import click

from kafka_nextgen.admin import AddedMember, AnnouncedMember, MemberDescription, NewMember, RemovedMember
from kafka_nextgen.assignors import Metadata
from kafka_nextgen.cli.list_options import list_option
from kafka_nextgen.cli.options import ClusterOptions, cluster_options, json_option
from kafka_nextgen.cli.output import Columns, fail_with, print_json, print_line, print_rows
from kafka_nextgen.types import StandbyState, format_partitions

__all__ = ["add_members", "announce_leaving", "members", "print_members", "remove_members"]

_COLUMNS: Columns[MemberDescription] = {
    "MEMBER": lambda member: member.member_id,
    "TYPE": lambda member: member.type.value,
    "INSTANCE": lambda member: member.instance_id,
    "CLIENT": lambda member: member.client_id,
    "HOST": lambda member: member.client_host,
    "RACK": lambda member: member.rack_id,
    "EPOCH": lambda member: member.member_epoch,
    "SUBSCRIPTION": lambda member: _subscription(member),
    "ASSIGNMENT": lambda member: _assignment(member),
    "TARGET": lambda member: _target(member),
}
#: The additional columns for members that have client assignors, or were assigned by one.
_ASSIGNOR_COLUMNS: Columns[MemberDescription] = {
    "ASSIGNORS": lambda member: " ".join(_assignors(member)) or None,
    "ASSIGNOR ERROR": lambda member: member.assignment_error or None,
    "ASSIGNOR METADATA": lambda member: _metadata(member.assignment_metadata),
}
#: The additional column for groups with standbys.
_STANDBY_COLUMNS: Columns[MemberDescription] = {"STANDBY": lambda member: _standby(member)}
_AT_TARGET = "="

_POSITIVE_SECONDS = click.FloatRange(min=0, min_open=True)

_instance_ids = list_option("-i", "--instance-id", "instance_ids", metavar="ID,...", help="The id of a static member.")
_within = click.option(
    "--within",
    type=click.FloatRange(min=0),
    default=300.0,
    show_default=True,
    help="Maximum seconds to wait for the members. 0 stops the wait for these members or, without members, for all.",
)


@click.command(short_help="Show the members and their partitions.")
@click.argument("group_id", metavar="GROUP")
@json_option
@cluster_options
def members(cluster: ClusterOptions, group_id: str, as_json: bool) -> None:
    """Show the members of GROUP: their subscriptions, the partitions they own, and their targets.

    A target of = means that it equals the owned partitions; the classic protocol has no targets.
    """
    with cluster.open() as admin:
        found = admin.members(group_id, cluster.timeout_s)
    if as_json:
        print_json(found)
    else:
        print_members(found)


def print_members(members: Collection[MemberDescription]) -> None:
    """Print a table of members."""
    columns = dict(_COLUMNS)
    if any(member.standby_place for member in members):
        columns |= _STANDBY_COLUMNS
    if any(map(_has_assignors, members)):
        columns |= _ASSIGNOR_COLUMNS
    print_rows(columns, members, stacks=True)


def _standby(member: MemberDescription) -> str | None:
    """Return the place of a standby, and whether it is loading."""
    if not member.standby_place:
        return None
    is_loading = member.standby_state is StandbyState.LOADING
    return f"{member.standby_place} loading" if is_loading else str(member.standby_place)


def _has_assignors(member: MemberDescription) -> bool:
    return bool(_assignors(member) or member.assignment_error or member.assignment_metadata is not None)


def _assignors(member: MemberDescription) -> list[str]:
    """Return the assignors that the member can run; other clients report a version range below 0 (``Metadata``)."""
    return [
        f"{each.name}({each.minimum_version}..{each.maximum_version})"
        for each in member.client_assignors
        if each.maximum_version >= 0
    ]


def _metadata(metadata: Metadata | None) -> str | None:
    return None if metadata is None else f"version {metadata.version}, {len(metadata.payload)} bytes"


def _subscription(member: MemberDescription) -> str | None:
    pattern = f"/{member.subscribed_pattern}/" if member.subscribed_pattern else ""
    return " ".join(filter(None, (pattern, *member.subscribed_topics))) or None


def _assignment(member: MemberDescription) -> str | None:
    if member.tasks is not None:
        return str(member.tasks)
    return None if member.assignment is None else format_partitions(member.assignment)


def _target(member: MemberDescription) -> str | None:
    if member.target_tasks is not None:
        return _AT_TARGET if member.is_at_target else str(member.target_tasks)
    if member.target is None:
        return None
    return _AT_TARGET if member.is_at_target else format_partitions(member.target)


@click.command("add-members", short_help="Announce which members will join.")
@click.argument("group_id", metavar="GROUP")
@_instance_ids
@_within
@click.option("--session-timeout", type=_POSITIVE_SECONDS, help="Maximum seconds to reserve a slot for each member.")
@click.option(
    "--rebalance-timeout", type=_POSITIVE_SECONDS, help="Minimum seconds that each member gets to give up partitions."
)
@click.option("--assignor", help="The assignor of members that request none.")
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
    """Announce to GROUP which members will join, so that it rebalances once, when all of them have joined."""
    if not instance_ids and within > 0:
        raise click.UsageError("specify the members that will join with --instance-id, their group.instance.id")
    members = [NewMember(each, session_timeout, rebalance_timeout, assignor) for each in instance_ids]
    with cluster.open() as admin:
        added = admin.add_members(group_id, members, within, cluster.timeout_s)
    what = "expected" if within else "no longer expected"
    _print_results(added, as_json, lambda member: f"Instance {member.instance_id} is {what} in {group_id}.")


M = TypeVar("M", AddedMember, AnnouncedMember, RemovedMember)


def _print_results(members: Sequence[M], as_json: bool, line_of: Callable[[M], str]) -> None:
    """Print a line for each success, or all results as JSON. Fails if any member has an error."""
    if as_json:
        print_json(members)
    else:
        for member in members:
            if member.error is None:
                print_line(line_of(member))
    fail_with(member.error for member in members if member.error is not None)


@click.command("announce-leaving", short_help="Announce which members will leave.")
@click.argument("group_id", metavar="GROUP")
@_instance_ids
@click.option("-m", "--member-id", "member_ids", multiple=True, help="A dynamic member. Can be repeated.")
@_within
@json_option
@cluster_options
def announce_leaving(
    cluster: ClusterOptions,
    group_id: str,
    instance_ids: tuple[str, ...],
    member_ids: tuple[str, ...],
    within: float,
    as_json: bool,
) -> None:
    """Announce to GROUP which members will leave, so that it rebalances once, when all of them have left.

    Until then, no member reads the partitions of those that have left. Members that do not leave in time stay members.
    """
    if not instance_ids and not member_ids and within > 0:
        raise click.UsageError("specify the members that will leave with --instance-id or --member-id")
    with cluster.open() as admin:
        announced = admin.announce_leaving(group_id, instance_ids, member_ids, within, cluster.timeout_s)
    what = "announced" if within else "no longer announced"
    _print_results(announced, as_json, lambda member: f"{_capitalized(_name(member))} is {what} to leave {group_id}.")


@click.command("remove-members")
@click.argument("group_id", metavar="GROUP")
@_instance_ids
@click.option("-m", "--member-id", "member_ids", multiple=True, help="Any member. Can be repeated.")
@click.option(
    "--reason", default="removed by kafka-nextgen groups remove-members", help="The reason, for the coordinator's log."
)
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
    """Remove members from GROUP. A member whose application still runs rejoins."""
    if not instance_ids and not member_ids:
        raise click.UsageError("specify the members with --instance-id or --member-id; 'groups members' shows them")
    with cluster.open() as admin:
        removed = admin.remove_members(group_id, instance_ids, member_ids, reason, cluster.timeout_s)
    _print_results(removed, as_json, lambda member: f"Removed {_name(member)} from {group_id}.")


def _capitalized(name: str) -> str:
    return name[:1].upper() + name[1:]  # the rest is an id


def _name(member: AnnouncedMember | RemovedMember) -> str:
    return f"instance {member.instance_id}" if member.instance_id else f"member {member.member_id}"
