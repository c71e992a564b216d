"""What commands of the tests say while they run."""

from __future__ import annotations

import time

import click

__all__ = ["say"]


def say(line: str) -> None:
    """Print a line with the time of day."""
    click.echo(f"{time.strftime('%X')} {line}")
