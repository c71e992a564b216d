"""``kafka-nextgen topics``: list, describe, create and delete topics."""

from __future__ import annotations

import click

from kafka_nextgen.cli.lazy_group import LazyGroup, Place

__all__ = ["topics"]


@click.group(
    cls=LazyGroup,
    places={
        "list": Place("kafka_nextgen.cli.topics.inspect", "list_", "List topics."),
        "describe": Place("kafka_nextgen.cli.topics.inspect", "describe", "Describe topics and their partitions."),
        "create": Place("kafka_nextgen.cli.topics.change", "create", "Create TOPICs."),
        "delete": Place("kafka_nextgen.cli.topics.change", "delete", "Delete topics and all their records."),
    },
)
def topics() -> None:
    """Look at topics, create and delete them."""
