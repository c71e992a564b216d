"""``kafka-nextgen groups``: ``GroupAdmin`` on the command line, with tables for people and JSON for programs.

Results go to stdout, errors of groups and brokers to stderr. The exit code is 1 if anything failed, even if the rest
succeeded.
"""

from __future__ import annotations

import click

from kafka_nextgen.cli.groups.change import config, delete
from kafka_nextgen.cli.groups.history import history
from kafka_nextgen.cli.groups.inspect import describe, list_, validate_regex
from kafka_nextgen.cli.groups.members import add_members, announce_leaving, members, remove_members
from kafka_nextgen.cli.groups.offsets import offsets

__all__ = ["groups"]


@click.group(
    commands=[
        list_,
        describe,
        members,
        offsets,
        history,
        delete,
        add_members,
        announce_leaving,
        remove_members,
        config,
        validate_regex,
    ]
)
def groups() -> None:
    """Look at groups of both protocols, and change them."""
