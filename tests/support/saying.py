"""What commands of the tests say while they run."""

from __future__ import annotations

import time

import click


def say(line: str) -> None:
    click.echo(f"{time.strftime('%X')} {line}")
