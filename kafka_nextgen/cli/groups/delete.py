"""``kafka-nextgen groups delete``."""

from __future__ import annotations

import click

from kafka_nextgen.cli.groups.options import Reach, json_option, reaching
from kafka_nextgen.cli.groups.printing import fail_with, print_json, say

__all__ = ["delete"]


@click.command()
@click.argument("group_ids", nargs=-1, required=True, metavar="GROUP...")
@json_option
@reaching
def delete(reach: Reach, group_ids: tuple[str, ...], as_json: bool) -> None:
    """Forget GROUPs without members, and all they have committed."""
    with reach.open() as admin:
        deleted = admin.delete(group_ids, reach.timeout_s)
    if as_json:
        failed = {group_id: str(error) for group_id, error in deleted.failed.items()}
        print_json([{"group": group_id, "error": failed.get(group_id)} for group_id in deleted])
    else:
        for group_id in deleted.done:
            say(f"Deleted {group_id}.")
    fail_with(deleted.failed.values())
