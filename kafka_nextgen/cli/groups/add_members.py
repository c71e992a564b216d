"""``kafka-nextgen groups add-members``."""

from __future__ import annotations

import click

from kafka_nextgen.admin import AddedMember, NewMember
from kafka_nextgen.cli.groups.options import Reach, json_option, reaching
from kafka_nextgen.cli.groups.printing import fail_with, print_json, say

__all__ = ["add_members"]

_SECONDS = click.FloatRange(min=0, min_open=True)


@click.command("add-members")
@click.argument("group_id", metavar="GROUP")
@click.option("-i", "--instance-id", "instance_ids", multiple=True, help="A static member; may be given again.")
@click.option(
    "--within",
    type=click.FloatRange(min=0),
    default=300.0,
    show_default=True,
    help="Seconds to wait for them at most; 0 expects them no more, or nobody if none is named.",
)
@click.option("--session-timeout", type=_SECONDS, help="Seconds to keep the place of each, if less.")
@click.option("--rebalance-timeout", type=_SECONDS, help="Seconds that each is given at least to give partitions up.")
@click.option("--assignor", help="The assignor of those that ask for none.")
@json_option
@reaching
def add_members(
    reach: Reach,
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
    with reach.open() as admin:
        added = admin.add_members(group_id, members, within, reach.timeout_s)
    if as_json:
        print_json([_document(member) for member in added])
    else:
        what = "expected" if within else "no longer expected"
        for member in added:
            if member.error is None:
                say(f"Instance {member.instance_id} is {what} in {group_id}.")
    fail_with(member.error for member in added if member.error is not None)


def _document(member: AddedMember) -> dict[str, object]:
    return {"instance_id": member.instance_id, "error": None if member.error is None else str(member.error)}
