"""``kafka-nextgen history``: collect, compare, follow and report the history of groups."""

from __future__ import annotations

import click

from kafka_nextgen.cli.lazy_group import LazyGroup, Place

__all__ = ["history"]


@click.group(
    cls=LazyGroup,
    places={
        "collect": Place(
            "kafka_nextgen.cli.history.collect", "collect", "Write events of groups to a file or a topic."
        ),
        "compare": Place("kafka_nextgen.cli.history.compare", "compare", "List where sources of events differ."),
        "follow": Place("kafka_nextgen.cli.history.follow", "follow", "Show groups and their events, live."),
        "report": Place("kafka_nextgen.cli.history.report", "report", "Report what happened to groups."),
    },
)
def history() -> None:
    """Record what happens to groups, and report it afterwards."""
