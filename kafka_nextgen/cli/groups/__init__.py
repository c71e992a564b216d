"""``kafka-nextgen groups``: what ``GroupAdmin`` tells and changes, for people and, with ``--json``, for programs.

What there is goes to stdout, what is wrong with a group or a broker to stderr. The exit code is 1 if anything failed,
also when the rest was told or done.
"""

from __future__ import annotations

import click

from kafka_nextgen.cli.groups.add_members import add_members
from kafka_nextgen.cli.groups.config import config
from kafka_nextgen.cli.groups.delete import delete
from kafka_nextgen.cli.groups.describe import describe
from kafka_nextgen.cli.groups.history import history
from kafka_nextgen.cli.groups.list import list_
from kafka_nextgen.cli.groups.members import members
from kafka_nextgen.cli.groups.offsets import offsets
from kafka_nextgen.cli.groups.remove_members import remove_members
from kafka_nextgen.cli.groups.validate_regex import validate_regex

__all__ = ["groups"]


@click.group()
def groups() -> None:
    """Look at groups of both protocols, and change them."""


for command in (
    list_,
    describe,
    members,
    offsets,
    history,
    delete,
    add_members,
    remove_members,
    config,
    validate_regex,
):
    groups.add_command(command)
