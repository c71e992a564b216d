"""``python -m tests.simulation.mutants --write``: try every planted bug, and write the page that says how it went."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

import click

from tests.simulation.mutants import MUTANTS, Part
from tests.simulation.mutants.trying import MOST_SEEDS, Trial, lines, try_from

PAGE = Path(__file__).parents[3] / "docs" / "mutants.md"

_HEAD = """# Mutants

Bugs that are planted to see whether the simulation finds them (`tests/simulation/mutants/`). Each is tried from
{starts} seeds on, one seed after the other, each with {events} events until all heals; every second seed in liveness
mode. "Seeds" is how many it took, as the median. A seed that finds something without the bug does not count.

Written by `python -m tests.simulation.mutants --write` on {date}: {killed} of {all} were found, {quickly} within 10
seeds. A bug that {most} seeds do not show is a hole in the checkers, or in what is simulated.
"""


def page(trials: Sequence[Trial], events: int, most: int) -> str:
    """The page."""
    seeds = [trial.seeds for trial in trials]
    killed = [each for each in seeds if each is not None]
    parts = [
        _HEAD.format(
            starts=len(trials[0].deaths),
            events=events,
            date=f"{datetime.now(timezone.utc):%Y-%m-%d}",
            killed=len(killed),
            all=len(trials),
            quickly=sum(each <= 10 for each in killed),
            most=most,
        )
    ]
    for part in Part:
        rows = [_row(trial) for trial in trials if trial.mutant.part is part]
        if rows:
            head = "| mutant | what it does, and what it would do to a user | seeds | found by |\n|---|---|---|---|\n"
            parts.append(f"\n## {part.value.capitalize()}\n\n{head}" + "\n".join(rows) + "\n")
    return "".join(parts)


def _row(trial: Trial) -> str:
    mutant, seeds = trial.mutant, trial.seeds
    found = "; ".join(lines(trial)).replace("|", "\\|") or "none"
    return f"| {mutant.name} | {mutant.does} {mutant.harms} | {'alive' if seeds is None else seeds} | {found} |"


@click.command()
@click.option("--write", is_flag=True, help="Write docs/mutants.md.")
@click.option("--events", default=1_000, help="So many of each seed until all heals.")
@click.option("--starts", default=5, help="From so many seeds on.")
@click.option("--most", default=MOST_SEEDS, help="Give up after so many seeds.")
@click.argument("names", nargs=-1)
def main(write: bool, events: int, starts: int, most: int, names: tuple[str, ...]) -> None:
    """Try these bugs, or all."""
    trials = []
    for name in names or MUTANTS:
        trial = Trial(MUTANTS[name], tuple(try_from(MUTANTS[name], start, events, most) for start in range(starts)))
        trials.append(trial)
        first = trial.first
        click.echo(f"{name}: {trial.seeds} seeds; {first or 'alive'}")
    if write:
        PAGE.write_text(page(trials, events, most))
    raise SystemExit(any(trial.seeds is None for trial in trials))


if __name__ == "__main__":
    main()
