"""The name of a planted bug on a command line."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import click

from tests.simulation.mutants import MUTANTS, Mutant

__all__ = ["BUG"]


class _Bug(click.ParamType[Mutant]):
    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Mutant:
        """The bug of that name. There are too many to list them all: those are named that are near."""
        bug = value if isinstance(value, Mutant) else MUTANTS.get(value)
        if bug is None:
            near = " or ".join(get_close_matches(value, MUTANTS, 3))
            question = f"is it {near}?" if near else "docs/mutants.md has all"
            self.fail(f"no bug is called {value!r}; {question}", param, ctx)
        return bug


BUG = _Bug()
