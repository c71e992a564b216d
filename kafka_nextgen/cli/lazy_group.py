"""A group of commands whose modules are imported when their command is run, so that each command starts fast.

Help lists the commands by what the group knows of them; ``tests/cli/test_help.py`` compares it with the commands.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import click

__all__ = ["LazyGroup", "Place"]


class Place(NamedTuple):
    """Where a command is defined, and its line of the group's help."""

    module: str
    attribute: str
    help: str


class LazyGroup(click.Group):
    """A group of the commands at ``places``, by their names."""

    def __init__(self, *args: Any, places: Mapping[str, Place], **options: Any) -> None:
        super().__init__(*args, **options)
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None if there is none of this name."""
        place = self.places.get(cmd_name)
        if place is None:
            return None
        command: click.Command = getattr(importlib.import_module(place.module), place.attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, without importing them."""
        shown = [click.Command(name, help=place.help) for name, place in self.places.items()]
        click.Group(commands=shown).format_commands(ctx, formatter)
