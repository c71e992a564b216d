"""``kafka-nextgen history``: collect, compare, follow and report the history of groups."""

from __future__ import annotations

import click

from kafka_nextgen.cli.history.collect import collect
from kafka_nextgen.cli.history.compare import compare
from kafka_nextgen.cli.history.follow import follow
from kafka_nextgen.cli.history.report import report

__all__ = ["history"]


@click.group(commands=[collect, compare, follow, report])
def history() -> None:
    """Record what happens to groups, and report it afterwards."""
