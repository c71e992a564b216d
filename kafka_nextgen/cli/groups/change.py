"""``kafka-nextgen groups config`` and ``delete``."""

from __future__ import annotations

import click

from kafka_nextgen.admin.arguments import ConfigValue
from kafka_nextgen.cli.options import ClusterOptions, cluster_options, json_option
from kafka_nextgen.cli.output import fail_with, print_json, print_line, print_table
from kafka_nextgen.errors import ConfigError

__all__ = ["config", "delete"]

_CONSUMER_PREFIX = "consumer."


@click.command(short_help="Show or change the configuration of a group.")
@click.argument("group_id", metavar="GROUP")
@click.option("--set", "to_set", multiple=True, metavar="NAME=VALUE", help="Set a key. Can be repeated.")
@click.option(
    "--unset", "to_unset", multiple=True, metavar="NAME", help="Remove a key, so that the broker's value applies again."
)
@click.option("--dry-run", is_flag=True, help="Let the broker check --set and --unset, and change nothing.")
@click.option("--all", "show_all", is_flag=True, help="Show keys of share and streams groups as well.")
@json_option
@cluster_options
def config(
    cluster: ClusterOptions,
    group_id: str,
    to_set: tuple[str, ...],
    to_unset: tuple[str, ...],
    dry_run: bool,
    show_all: bool,
    as_json: bool,
) -> None:
    """Show how GROUP is configured; with --set or --unset, change that instead.

    The group need not exist yet. A change reaches members with their next heartbeat.
    """
    changes: dict[str, ConfigValue] = {**_parse_settings(to_set), **dict.fromkeys(to_unset)}
    with cluster.open() as admin:
        if changes:
            admin.alter_config(group_id, changes, dry_run, cluster.timeout_s)
            done = "the broker accepts this configuration; nothing was changed" if dry_run else "configured"
            print_line(f"{group_id}: {done}.", err=True)
            return  # other brokers apply it later, so a description now may have the old values
        entries = admin.describe_config(group_id, cluster.timeout_s)
    shown = [entry for entry in entries.values() if show_all or entry.is_own or entry.name.startswith(_CONSUMER_PREFIX)]
    sources = {True: "group", False: "broker"}
    if as_json:
        print_json([{"name": each.name, "value": each.typed_value, "source": sources[each.is_own]} for each in shown])
    else:
        print_table(("NAME", "VALUE", "SET BY"), [(each.name, each.value, sources[each.is_own]) for each in shown])


def _parse_settings(pairs: tuple[str, ...]) -> dict[str, ConfigValue]:
    settings: dict[str, ConfigValue] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise ConfigError(f"--set takes NAME=VALUE, not {pair!r}")
        settings[name.strip()] = value.strip()
    return settings


@click.command(short_help="Delete groups with their committed offsets.")
@click.argument("group_ids", nargs=-1, required=True, metavar="GROUP...")
@json_option
@cluster_options
def delete(cluster: ClusterOptions, group_ids: tuple[str, ...], as_json: bool) -> None:
    """Delete GROUPs without members, with all their committed offsets."""
    with cluster.open() as admin:
        deleted = admin.delete(group_ids, cluster.timeout_s)
    if as_json:
        print_json([{"group": group_id, "error": deleted.failed.get(group_id)} for group_id in deleted])
    else:
        for group_id in deleted.done:
            print_line(f"Deleted {group_id}.")
    fail_with(deleted.failed.values())
