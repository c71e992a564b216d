"""``kafka-nextgen groups list``: the groups of all brokers."""

from __future__ import annotations

import click

from kafka_nextgen.cli.options import ClusterOptions, cluster_options, filters, json_option
from kafka_nextgen.cli.output import fail_with, print_json, print_table

__all__ = ["list_"]


@click.command("list")
@filters
@json_option
@cluster_options
def list_(cluster: ClusterOptions, types: tuple[str, ...], states: tuple[str, ...], as_json: bool) -> None:
    """List the groups of all brokers."""
    with cluster.open() as admin:
        listed = admin.list(types, states, cluster.timeout_s)
    rows = [(group.group_id, group.type.value, group.state.value, group.protocol_type) for group in listed.groups]
    if as_json:
        print_json([dict(zip(("group", "type", "state", "protocol_type"), row, strict=True)) for row in rows])
    else:
        print_table(("GROUP", "TYPE", "STATE", "PROTOCOL TYPE"), [(*row[:3], row[3] or None) for row in rows])
    fail_with(listed.failed.values())
