"""``kafka-nextgen groups config``: shown, set or taken back."""

from __future__ import annotations

import click

from kafka_nextgen.admin import GroupConfigEntry
from kafka_nextgen.admin.arguments import ConfigValue
from kafka_nextgen.cli.groups.options import Reach, json_option, reaching
from kafka_nextgen.cli.groups.printing import print_json, print_table, say
from kafka_nextgen.errors import ConfigError

__all__ = ["config"]

_OF_CONSUMERS = "consumer."


@click.command()
@click.argument("group_id", metavar="GROUP")
@click.option("--set", "to_set", multiple=True, metavar="NAME=VALUE", help="Set a key; may be given again.")
@click.option("--unset", "to_unset", multiple=True, metavar="NAME", help="Follow the broker again in a key.")
@click.option("--dry-run", is_flag=True, help="Let the broker check --set and --unset, and change nothing.")
@click.option("--all", "show_all", is_flag=True, help="Show keys of share and streams groups as well.")
@json_option
@reaching
def config(
    reach: Reach,
    group_id: str,
    to_set: tuple[str, ...],
    to_unset: tuple[str, ...],
    dry_run: bool,
    show_all: bool,
    as_json: bool,
) -> None:
    """Show how GROUP is configured; with --set or --unset, change that instead.

    The group need not be there yet. A change reaches members with their next heartbeat.
    """
    changes: dict[str, ConfigValue] = {**_settings_in(to_set), **dict.fromkeys(to_unset)}
    with reach.open() as admin:
        if changes:
            admin.alter_config(group_id, changes, dry_run, reach.timeout_s)
            say(f"{group_id}: {'could be configured' if dry_run else 'configured'}.", err=True)
            return  # brokers learn of it in their own time, so one asked now may still tell the old values
        entries = admin.describe_config(group_id, reach.timeout_s)
    shown = [entry for entry in entries.values() if show_all or entry.is_own or entry.name.startswith(_OF_CONSUMERS)]
    if as_json:
        print_json([{"name": entry.name, "value": entry.value, "source": _source(entry)} for entry in shown])
    else:
        print_table(("NAME", "VALUE", "SET BY"), [(entry.name, entry.value, _source(entry)) for entry in shown])


def _source(entry: GroupConfigEntry) -> str:
    return "group" if entry.is_own else "broker"


def _settings_in(pairs: tuple[str, ...]) -> dict[str, ConfigValue]:
    settings: dict[str, ConfigValue] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise ConfigError(f"--set takes NAME=VALUE, not {pair!r}")
        settings[name.strip()] = value.strip()
    return settings
