"""``kafka-nextgen assignors``: what assignors make of groups, on paper. No group is changed."""

from __future__ import annotations

import click

from kafka_nextgen.cli.assignors.explain import explain_

__all__ = ["assignors"]


@click.group()
def assignors() -> None:
    """See what an assignor would do to a group."""


assignors.add_command(explain_)
