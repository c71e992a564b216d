"""``kafka-nextgen groups remove-members``."""

from __future__ import annotations

import click

from kafka_nextgen.admin import RemovedMember
from kafka_nextgen.cli.groups.options import Reach, json_option, reaching
from kafka_nextgen.cli.groups.printing import fail_with, print_json, say

__all__ = ["remove_members"]


@click.command("remove-members")
@click.argument("group_id", metavar="GROUP")
@click.option("-i", "--instance-id", "instance_ids", multiple=True, help="A static member; may be given again.")
@click.option("-m", "--member-id", "member_ids", multiple=True, help="Any member; may be given again.")
@click.option("--reason", default="removed by kafka-nextgen groups remove-members", help="For the coordinator's log.")
@json_option
@reaching
def remove_members(
    reach: Reach,
    group_id: str,
    instance_ids: tuple[str, ...],
    member_ids: tuple[str, ...],
    reason: str,
    as_json: bool,
) -> None:
    """Put members out of GROUP. One whose application still runs joins again."""
    if not instance_ids and not member_ids:
        raise click.UsageError("say which members: --instance-id or --member-id, as 'groups members' shows them")
    with reach.open() as admin:
        removed = admin.remove_members(group_id, instance_ids, member_ids, reason, reach.timeout_s)
    if as_json:
        print_json([_document(member) for member in removed])
    else:
        for member in removed:
            if member.error is None:
                say(f"Removed {_name(member)} from {group_id}.")
    fail_with(member.error for member in removed if member.error is not None)


def _name(member: RemovedMember) -> str:
    return f"instance {member.instance_id}" if member.instance_id else f"member {member.member_id}"


def _document(member: RemovedMember) -> dict[str, object]:
    error = None if member.error is None else str(member.error)
    return {"instance_id": member.instance_id, "member_id": member.member_id, "error": error}
