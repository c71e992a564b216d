"""``python -m tests.verification.simulation.mutants --write``: try every planted bug, and write how it is found.

All bugs are tried with a few seeds first, and those that are still alive with more. What was tried is kept in
``build/mutants.jsonl``, so that it may be interrupted.

``--again`` takes a minute or two instead of an hour: it looks for other seeds of those bugs alone whose known seed does
not show them any more, for what is drawn or looked at has changed.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

import click

from tests.scenarios.files import FOLDER, PLAYERS, files, scenario_in
from tests.verification.scenario_language import Scenario
from tests.verification.simulation.mutants import BUG, MUTANTS, Mutant, planted
from tests.verification.simulation.mutants.page import known_in, row, rows_of, with_rows, with_summary, written
from tests.verification.simulation.mutants.trying import MOST_SEEDS, Kept, Seed, Setting, Trial, finds, seed_for

_ROOT = Path(__file__).parents[4]
#: The page about them, which says how many were found.
PAGE = _ROOT / "docs" / "proof" / "mutants.md"
#: A row for each.
ROWS = Path(__file__).parent / "found.md"
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


def _seed_again(events: int, most: int, name_and_known: tuple[str, Seed | None]) -> Seed | None:
    """The known seed of a bug, if it still shows it, or else another one."""
    name, known = name_and_known
    if known is not None and finds(MUTANTS[name], known[0], known[1], settles=known[2]):
        return known
    return seed_for(MUTANTS[name], events, most)


def _know_again(names: tuple[str, ...], events: int, most: int, jobs: int) -> list[str]:
    """Write the seeds that are known anew; the names of bugs without one."""
    seeds = known_in(ROWS.read_text())
    known: list[object] = [(name, seeds.get(name)) for name in names]
    for name, seed in zip(names, _each(jobs, partial(_seed_again, events, most), known), strict=True):
        if seed is None:
            seeds.pop(name, None)
        elif seed != seeds.get(name):
            click.echo(f"{name}: {written(seed)}")
            seeds[name] = seed
        ROWS.write_text(with_rows(ROWS.read_text(), {name: {"known seed": written(seed)}}))
    return [name for name in names if name not in seeds]


@click.command()
@click.option("--again", is_flag=True, help="Look only for other seeds where the known ones show their bugs no more.")
@click.option("--write", is_flag=True, help="Write found.md and docs/proof/mutants.md.")
@click.option("--events", type=_MANY, default=2_000, help="So many of each seed until all heals.", show_default=True)
@click.option("--starts", type=_MANY, default=5, help="From so many seeds on.", show_default=True)
@click.option("--most", type=_MANY, default=MOST_SEEDS, help="Give up after so many seeds.", show_default=True)
@click.option("--jobs", type=_MANY, default=1, help="On so many cores.", show_default=True)
@click.argument("bugs", metavar="[NAME]...", type=BUG, nargs=-1)
def main(again: bool, write: bool, events: int, starts: int, most: int, jobs: int, bugs: tuple[Mutant, ...]) -> None:
    """Try these bugs of found.md, or all. The exit status is 1 if one is alive in the end."""
    names = tuple(bug.name for bug in bugs)
    if write and names:
        raise click.UsageError("--write is for all bugs")
    missing = [name for name in names or MUTANTS if name not in rows_of(ROWS.read_text())]
    if missing and (write or again):
        raise click.UsageError(f"{ROWS.name} has no row of {', '.join(missing)}: add one, which says what it does")
    if again:
        unknown = _know_again(names or tuple(MUTANTS), events, most, jobs)
        click.echo(f"without a seed: {', '.join(unknown) or 'none'}")
        raise SystemExit(bool(unknown))
    kept = Kept(_ROOT / "build" / "mutants.jsonl", Setting(events, starts))
    trials = _try_all(names or tuple(MUTANTS), kept, most, jobs)
    if write:
        scenarios = zip(MUTANTS, _each(jobs, _scenario, list(MUTANTS)), strict=True)
        rows = {name: row(trials[name], scenario) for name, scenario in scenarios}
        ROWS.write_text(with_rows(ROWS.read_text(), rows))
        PAGE.write_text(with_summary(PAGE.read_text(), [trial.seeds for trial in trials.values()], starts, most))
    alive = [name for name, trial in trials.items() if trial.seeds is None]
    click.echo(f"{len(trials) - len(alive)} of {len(trials)} were found; alive: {', '.join(alive) or 'none'}")
    raise SystemExit(bool(alive))


if __name__ == "__main__":
    main()


#: A scenario takes a tenth of this at most.
_LONGEST_S = 5.0


@cache
def _scenarios() -> list[tuple[Path, str, Scenario]]:
    """All of them, those with the fewest commands first."""
    found = [(path, path.read_text(), scenario_in(path)) for path in files()]
    return sorted(found, key=lambda each: (each[1].count("----"), each[0]))


def failing_scenario(mutant: Mutant) -> str | None:
    """The shortest scenario that does not come back as it is written."""
    scenarios = _scenarios()
    with planted(mutant):
        for path, written, scenario in scenarios:
            if any(_plays(world, scenario) != written for world in scenario.worlds if world in PLAYERS):
                return path.relative_to(FOLDER).as_posix()
    return None


@contextmanager
def _in_time() -> Iterator[None]:
    """Give up what takes too long (time of the processor)."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"it is not over after {_LONGEST_S} s")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _plays(world: str, scenario: Scenario) -> str:
    try:
        with _in_time():
            return PLAYERS[world](scenario).play(scenario)
    except Exception as broken:
        return str(broken)
