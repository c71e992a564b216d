"""Bugs that are planted to see whether the simulation finds them.

A simulation that finds nothing shows nothing, unless it would have found something. Each bug here is one that an
implementation could have. ``found.md`` beside this module has a row for each: what it does, what users would see of it,
and how it is found. ``python -m tests.verification.simulation.mutants --write`` writes how.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import click

from tests.verification.simulation.mutants.classic_groups import CLASSIC_GROUPS
from tests.verification.simulation.mutants.classic_members import CLASSIC_MEMBERS
from tests.verification.simulation.mutants.classic_standbys import CLASSIC_STANDBYS
from tests.verification.simulation.mutants.committed import COMMITTED
from tests.verification.simulation.mutants.extensions import EXTENSIONS, LEAVING, STANDBYS
from tests.verification.simulation.mutants.logs import LOGS
from tests.verification.simulation.mutants.members import MEMBERS
from tests.verification.simulation.mutants.migrations import MIGRATIONS
from tests.verification.simulation.mutants.planting import Mutant, Part, Plant, planted
from tests.verification.simulation.mutants.steps import STEPS
from tests.verification.simulation.mutants.upkeep import RESTARTS, UPKEEP

__all__ = ["BUG", "MUTANTS", "Mutant", "Part", "planted"]

_PARTS: Mapping[Part, Mapping[str, Plant]] = {
    Part.MEMBER: MEMBERS,
    Part.COORDINATOR: {**STEPS, **UPKEEP},
    Part.OFFSETS: COMMITTED,
    Part.LOG: {**RESTARTS, **LOGS},
    Part.CLASSIC_MEMBER: CLASSIC_MEMBERS,
    Part.CLASSIC_GROUP: CLASSIC_GROUPS,
    Part.MIGRATION: MIGRATIONS,
    Part.EXTENSIONS: EXTENSIONS,
    Part.STANDBYS: STANDBYS,
    Part.CLASSIC_STANDBYS: CLASSIC_STANDBYS,
    Part.LEAVING: LEAVING,
}

MUTANTS: Mapping[str, Mutant] = {
    name: Mutant(name, part, plant) for part, plants in _PARTS.items() for name, plant in plants.items()
}


class _Bug(click.ParamType[Mutant]):
    """The name of a planted bug on a command line."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Mutant:
        """The bug of that name. There are too many to list them all: those are named that are near."""
        bug = value if isinstance(value, Mutant) else MUTANTS.get(value)
        if bug is None:
            near = " or ".join(get_close_matches(value, MUTANTS, 3))
            question = f"is it {near}?" if near else "tests/verification/simulation/mutants/found.md has all"
            self.fail(f"no bug is called {value!r}; {question}", param, ctx)
        return bug


BUG = _Bug()
