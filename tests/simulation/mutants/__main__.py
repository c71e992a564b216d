"""``python -m tests.simulation.mutants --write``: try every planted bug, and write the page that says how it went.

All bugs are tried with a few seeds first, and those that are still alive with more. What was tried is kept in
``build/mutants.jsonl``, so that it may be interrupted.

``--again`` takes a minute or two instead of an hour: it looks for other seeds of those bugs alone whose known seed does
not show them any more, for what is drawn or looked at has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from tests.simulation.mutants import MUTANTS, Mutant
from tests.simulation.mutants.keeping import Kept, Setting
from tests.simulation.mutants.known import KNOWN as KNOWN_SEEDS
from tests.simulation.mutants.naming import BUG
from tests.simulation.mutants.page import Found, known_module, page
from tests.simulation.mutants.scenes import failing_scenario
from tests.simulation.mutants.trying import MOST_SEEDS, Seed, Trial, finds, seed_for

_ROOT = Path(__file__).parents[3]
PAGE, KNOWN = _ROOT / "docs" / "mutants.md", Path(__file__).parent / "known.py"
#: So many seeds of each start are tried before the next bug has its turn.
_TURNS = (3, 30, 150)

_MANY = click.IntRange(1)
_T = TypeVar("_T")


def _try(setting: Setting, most: int, name_and_trial: tuple[str, Trial]) -> Trial:
    name, trial = name_and_trial
    trial.go_on(MUTANTS[name], setting.events, most)
    return trial


def _scenario(name: str) -> str | None:
    return failing_scenario(MUTANTS[name])


def _each(jobs: int, function: Callable[..., _T], of: list[object]) -> Iterable[_T]:
    """What the function makes of each, in order."""
    if jobs == 1:
        yield from map(function, of)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(function, of)


def _try_all(names: tuple[str, ...], kept: Kept, most: int, jobs: int) -> dict[str, Trial]:
    trials = {name: kept.trial(MUTANTS[name]) for name in names}
    for turn in (*(each for each in _TURNS if each < most), most):
        alive = [(name, trial) for name, trial in trials.items() if trial.seeds is None and trial.tried < turn]
        tried = _each(jobs, partial(_try, kept.setting, turn), list(alive))
        for (name, _), trial in zip(alive, tried, strict=True):
            trials[name] = trial
            kept.keep(MUTANTS[name], trial)
            how = f"alive after {trial.tried}" if trial.seeds is None else f"found after {trial.seeds}"
            click.echo("; ".join([f"{name}: {how} seeds", *trial.rules]))
    return trials


def _seed_again(events: int, most: int, name: str) -> Seed | None:
    """The known seed of a bug, if it still shows it, or else another one."""
    known = KNOWN_SEEDS.get(name)
    if known is not None and finds(MUTANTS[name], known[0], known[1], settles=known[2]):
        return known
    return seed_for(MUTANTS[name], events, most)


def _know_again(names: tuple[str, ...], events: int, most: int, jobs: int) -> list[str]:
    """Write the seeds that are known anew; the names of bugs without one."""
    seeds = dict(KNOWN_SEEDS)
    for name, seed in zip(names, _each(jobs, partial(_seed_again, events, most), list(names)), strict=True):
        if seed is None:
            seeds.pop(name, None)
        elif seed != seeds.get(name):
            click.echo(f"{name}: {seed}")
            seeds[name] = seed
        KNOWN.write_text(known_module({name: seed for name, seed in seeds.items() if name in MUTANTS}))
    return [name for name in names if name not in seeds]


@click.command()
@click.option("--again", is_flag=True, help="Look only for other seeds where the known ones show their bugs no more.")
@click.option("--write", is_flag=True, help="Write docs/mutants.md and the seeds that are known to show bugs.")
@click.option("--events", type=_MANY, default=2_000, help="So many of each seed until all heals.", show_default=True)
@click.option("--starts", type=_MANY, default=5, help="From so many seeds on.", show_default=True)
@click.option("--most", type=_MANY, default=MOST_SEEDS, help="Give up after so many seeds.", show_default=True)
@click.option("--jobs", type=_MANY, default=1, help="On so many cores.", show_default=True)
@click.argument("bugs", metavar="[NAME]...", type=BUG, nargs=-1)
def main(again: bool, write: bool, events: int, starts: int, most: int, jobs: int, bugs: tuple[Mutant, ...]) -> None:
    """Try these bugs of docs/mutants.md, or all. The exit status is 1 if one is alive in the end."""
    names = tuple(bug.name for bug in bugs)
    if write and names:
        raise click.UsageError("--write is for all bugs")
    if again:
        unknown = _know_again(names or tuple(MUTANTS), events, most, jobs)
        click.echo(f"without a seed: {', '.join(unknown) or 'none'}")
        raise SystemExit(bool(unknown))
    kept = Kept(_ROOT / "build" / "mutants.jsonl", Setting(events, starts))
    trials = _try_all(names or tuple(MUTANTS), kept, most, jobs)
    if write:
        scenarios = _each(jobs, _scenario, list(MUTANTS))
        founds = [
            Found(MUTANTS[name], trials[name], scenario) for name, scenario in zip(MUTANTS, scenarios, strict=True)
        ]
        PAGE.write_text(page(founds, kept.setting, most))
        KNOWN.write_text(known_module({name: each.shortest.known for name, each in trials.items() if each.shortest}))
    alive = [name for name, trial in trials.items() if trial.seeds is None]
    click.echo(f"{len(trials) - len(alive)} of {len(trials)} were found; alive: {', '.join(alive) or 'none'}")
    raise SystemExit(bool(alive))


if __name__ == "__main__":
    main()
