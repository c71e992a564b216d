"""The page that says what finds each planted bug, and the module with the seeds that are known to show them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone

from attrs import frozen

from tests.simulation.mutants.keeping import Setting
from tests.simulation.mutants.planting import Mutant, Part
from tests.simulation.mutants.trying import Seed, Trial

__all__ = ["Found", "known_module", "page", "row_begins"]

_HEAD = """# Mutants

Bugs that are planted to check that [the simulator](simulation.md) finds them (`tests/simulation/mutants/`). Each is
tried from {starts}, seed by seed, each with {events:,} events before all faults heal, every second seed in
liveness mode. A seed whose group does not use the code is counted but not run; a seed that finds something even without
the bug does not count as finding it. "Seeds" is how many it took{median}. "Scenario" is the shortest file of
`tests/scenarios/` that fails with the bug, for comparison.

Written by `python -m tests.simulation.mutants --write --starts {number} --most {most}` on {date}: of {all} bugs
{killed} were found, {quickly} of them within 10 seeds. A bug that is alive after {most} seeds reveals a gap in the
checkers or in the simulation. [Plant another](testing.md#plant-another) says how to add one.
"""

_TABLE = """
## {part}

| mutant | bug, and its effect on users | seeds | found by | scenario |
|---|---|---|---|---|
"""

_KNOWN = '''"""Seeds that are known to show planted bugs. ``python -m tests.simulation.mutants --again`` writes them."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["KNOWN"]

#: The seed, how many of its events are to be with faults, and whether it has to settle after that.
KNOWN: Mapping[str, tuple[int, int, bool]] = {{
{rows}
}}
'''


@frozen
class Found:
    """What became of a bug."""

    mutant: Mutant
    trial: Trial
    scenario: str | None


def page(founds: list[Found], setting: Setting, most: int) -> str:
    """The page; ``most`` is after how many seeds of each start a bug was given up."""
    seeds = [each.trial.seeds for each in founds]
    killed = [each for each in seeds if each is not None]
    head = _HEAD.format(
        starts="one start" if setting.starts == 1 else f"{setting.starts} starts",
        median="" if setting.starts == 1 else ", as the median of the starts",
        events=setting.events,
        number=setting.starts,
        date=f"{datetime.now(timezone.utc):%Y-%m-%d}",
        killed=len(killed),
        all=len(founds),
        quickly=sum(each <= 10 for each in killed),
        most=most,
    )
    return head + "".join(_table(part, founds) for part in Part)


def _table(part: Part, founds: list[Found]) -> str:
    rows = [_row(each) for each in founds if each.mutant.part is part]
    return _TABLE.format(part=part.value.capitalize()) + "\n".join(rows) + "\n" if rows else ""


def row_begins(mutant: Mutant) -> str:
    """How the row of a bug begins."""
    return f"| {mutant.name} | {mutant.does} {mutant.harms} |"


def _row(found: Found) -> str:
    seeds, rules = found.trial.seeds, "; ".join(found.trial.rules).replace("|", "\\|")
    scenario = "none" if found.scenario is None else f"`{found.scenario}`"
    seen = f"alive after {found.trial.tried}" if seeds is None else seeds
    return f"{row_begins(found.mutant)} {seen} | {rules or 'none'} | {scenario} |"


def known_module(seeds: Mapping[str, Seed]) -> str:
    """The module with the seeds."""
    rows = [f'    "{name}": {seed},' for name, seed in sorted(seeds.items())]
    return _KNOWN.format(rows="\n".join(rows))
