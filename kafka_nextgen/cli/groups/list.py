"""``kafka-nextgen groups list``."""

from __future__ import annotations

import click

from kafka_nextgen.cli.groups.options import Reach, filters, json_option, reaching
from kafka_nextgen.cli.groups.printing import fail_with, print_json, print_table

__all__ = ["list_"]


@click.command("list")
@filters
@json_option
@reaching
def list_(reach: Reach, types: tuple[str, ...], states: tuple[str, ...], as_json: bool) -> None:
    """List the groups of all brokers."""
    with reach.open() as admin:
        listed = admin.list(types, states, reach.timeout_s)
    rows = [(group.group_id, group.type.value, group.state.value, group.protocol_type) for group in listed.groups]
    if as_json:
        print_json([dict(zip(("group", "type", "state", "protocol_type"), row, strict=True)) for row in rows])
    else:
        print_table(("GROUP", "TYPE", "STATE", "PROTOCOL TYPE"), [(*row[:3], row[3] or None) for row in rows])
    fail_with(listed.failed.values())
