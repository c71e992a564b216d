"""``kafka-nextgen groups``: ``GroupAdmin`` on the command line, with tables for people and JSON for programs.

Results go to stdout, errors of groups and brokers to stderr. The exit code is 1 if anything failed, even if the rest
succeeded.
"""

from __future__ import annotations

import click

from kafka_nextgen.cli.lazy_group import LazyGroup, Place

__all__ = ["groups"]


@click.group(
    cls=LazyGroup,
    places={
        "list": Place("kafka_nextgen.cli.groups.listing", "list_", "List the groups of all brokers."),
        "describe": Place("kafka_nextgen.cli.groups.inspect", "describe", "Describe groups, with members or offsets."),
        "members": Place("kafka_nextgen.cli.groups.members", "members", "Show the members and their partitions."),
        "offsets": Place("kafka_nextgen.cli.groups.offsets", "offsets", "Show, change or reset committed offsets."),
        "history": Place("kafka_nextgen.cli.groups.history", "history", "Show why a group rebalanced."),
        "delete": Place("kafka_nextgen.cli.groups.change", "delete", "Delete groups with their committed offsets."),
        "add-members": Place("kafka_nextgen.cli.groups.members", "add_members", "Announce which members will join."),
        "announce-leaving": Place(
            "kafka_nextgen.cli.groups.members", "announce_leaving", "Announce which members will leave."
        ),
        "remove-members": Place("kafka_nextgen.cli.groups.members", "remove_members", "Remove members from GROUP."),
        "config": Place("kafka_nextgen.cli.groups.change", "config", "Show or change the configuration of a group."),
        "validate-regex": Place(
            "kafka_nextgen.cli.groups.inspect", "validate_regex", "Try a pattern as a subscription."
        ),
    },
)
def groups() -> None:
    """Look at groups of both protocols, and change them."""
