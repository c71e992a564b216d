"""Bugs that are planted to see whether the simulation finds them.

A simulation that finds nothing shows nothing, unless it would have found something. Each bug here is one that an
implementation could have. ``python -m tests.simulation.mutants --write`` looks how many seeds it takes to find each,
and writes ``docs/mutants.md``.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.simulation.mutants.classic_groups import CLASSIC_GROUPS
from tests.simulation.mutants.classic_members import CLASSIC_MEMBERS
from tests.simulation.mutants.committed import COMMITTED
from tests.simulation.mutants.extensions import EXTENSIONS
from tests.simulation.mutants.logs import LOGS
from tests.simulation.mutants.members import MEMBERS
from tests.simulation.mutants.migrations import MIGRATIONS
from tests.simulation.mutants.planting import Mutant, Part, planted
from tests.simulation.mutants.standbys import STANDBYS
from tests.simulation.mutants.steps import STEPS
from tests.simulation.mutants.upkeep import UPKEEP

__all__ = ["MUTANTS", "Mutant", "Part", "planted"]

_ALL = (
    *(*MEMBERS, *STEPS, *UPKEEP, *COMMITTED, *LOGS),
    *(*CLASSIC_MEMBERS, *CLASSIC_GROUPS, *MIGRATIONS, *EXTENSIONS, *STANDBYS),
)

MUTANTS: Mapping[str, Mutant] = {mutant.name: mutant for mutant in _ALL}
