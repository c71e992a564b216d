"""``kafka-nextgen topics``: list, describe, create and delete topics."""

from __future__ import annotations

import click

from kafka_nextgen.cli.topics.change import create, delete
from kafka_nextgen.cli.topics.inspect import describe, list_

__all__ = ["topics"]


@click.group(commands=[list_, describe, create, delete])
def topics() -> None:
    """Look at topics, create and delete them."""
