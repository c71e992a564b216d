"""``python -m tests.verification.simulation --seeds A-B``: run seeds, and say what was found."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tests.verification.simulation.batches import Order, Outcome, Total, run_all
from tests.verification.simulation.checking.excuses import Excuse
from tests.verification.simulation.coverage import NAMES, UNMET
from tests.verification.simulation.dice import Fault
from tests.verification.simulation.mutants import BUG, Mutant
from tests.verification.simulation.running import Mode
from tests.verification.simulation.stories.telling import told

_BOTH = "both"
#: The exit status of a run that was interrupted, and found nothing until then.
_INTERRUPTED = 130


def _seeds(_ctx: click.Context, _param: click.Parameter, value: str) -> range:
    """``7`` is one seed, ``1-100`` are a hundred."""
    given = re.fullmatch(r"(\d+)(?:-(\d+))?", value)
    if given is None:
        raise click.BadParameter(f"{value!r} is no seed, and not two with a dash between them")
    seeds = range(int(given[1]), int(given[2] or given[1]) + 1)
    if not seeds:
        raise click.BadParameter(f"{value!r} has no seed in it")
    return seeds


@click.command()
@click.option("--seeds", callback=_seeds, default="1-100", help="From the first to the last.", show_default=True)
@click.option(
    "--events", type=click.IntRange(1), default=2_000, help="So many of each seed until all heals.", show_default=True
)
@click.option(
    "--mode",
    type=click.Choice([*(mode.value for mode in Mode), _BOTH]),
    default=Mode.SAFETY.value,
    help="Everything heals in the end, or some faults stay.",
    show_default=True,
)
@click.option("--plant", type=BUG, help="With this planted bug.")
@click.option("--standbys", "has_standbys", is_flag=True, help="With a target size, beyond which members stand by.")
@click.option("--leaving", "has_leaving", is_flag=True, help="With members that are announced to leave.")
@click.option("--jobs", type=click.IntRange(1), default=1, help="So many processes.", show_default=True)
@click.option("--all-met", is_flag=True, help="It is a finding if a fault, an arrow, a rule or a row never came.")
@click.option(
    "--log", type=click.Path(dir_okay=False, path_type=Path), help="Take down all that happens, in this file."
)
def main(
    seeds: range,
    events: int,
    mode: str,
    plant: Mutant | None,
    has_standbys: bool,
    has_leaving: bool,
    jobs: int,
    all_met: bool,
    log: Path | None,
) -> None:
    """Run these seeds. The exit status is 1 if something was found, and 130 if that was interrupted before."""
    if log is not None:
        if jobs > 1:
            raise click.UsageError("--log is for one process, so that what happens is in order")
        try:
            log.write_text("")
        except OSError as error:
            raise click.BadParameter(f"{log}: {error.strerror}", param_hint="'--log'") from None
    modes = tuple(Mode) if mode == _BOTH else (Mode(mode),)
    bug = None if plant is None else plant.name
    orders = [Order(seed, events, each, bug, has_standbys, has_leaving, log) for each in modes for seed in seeds]
    began = time.perf_counter()
    total = _run(orders, jobs, Total(frozenset(modes)))
    is_interrupted = total.seeds < len(orders)
    if is_interrupted:
        click.echo(f"interrupted after {total.seeds} of {len(orders)} runs")
    _say_how_fast(total, time.perf_counter() - began)
    _say_what_came(total)
    for finding in sorted(total.failed, key=lambda outcome: (outcome.order.mode.value, outcome.order.seed)):
        _tell(finding)
    missing = total.never_met if all_met and not is_interrupted else []
    for name in missing:
        click.echo(f"never met: {name}")
    if total.failed or missing:
        raise SystemExit(1)
    raise SystemExit(_INTERRUPTED if is_interrupted else 0)


def _run(orders: Sequence[Order], jobs: int, total: Total) -> Total:
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with suppress(KeyboardInterrupt), Progress(*columns, console=Console(stderr=True)) as progress:  # what came counts
        task = progress.add_task("", total=len(orders))
        for outcome in run_all(orders, jobs):
            total.add(outcome)
            if outcome.verdict.broken:
                progress.console.print(_title(outcome), markup=False, highlight=False)
            progress.update(task, advance=1, description=_how_far(total))
    return total


def _how_far(total: Total) -> str:
    return f"{total.events:,} events, {len(total.failed)} runs failed"


def _title(outcome: Outcome) -> str:
    order, verdict = outcome.order, outcome.verdict
    return f"seed {order.seed} ({order.mode.value}), event {verdict.events}: {'; '.join(verdict.broken[:3])}"


def _tell(finding: Outcome) -> None:
    click.echo(_title(finding))
    if finding.order.has_standbys:
        click.echo("scenarios have no target size that differs by node: this one is not told as a scenario")
        return
    if finding.order.has_leaving:
        click.echo("scenarios of clusters have no announcements: this one is not told as a scenario")
        return
    click.echo("making a scenario of it, which may take a minute or two", err=True)
    click.echo(told(finding.order.seed, finding.order.events, finding.order.mode, finding.order.plant))


def _say_how_fast(total: Total, seconds: float) -> None:
    a_core, in_all = total.events / max(total.busy_s, 1e-9), total.events / max(seconds, 1e-9)
    click.echo(
        f"{total.seeds} runs, {total.events:,} events in {seconds:.1f} s: {in_all:,.0f} a second, "
        f"{a_core:,.0f} a second on one core; {len(total.failed)} runs failed"
    )


def _say_what_came(total: Total) -> None:
    click.echo("faults:")
    _say_counts((total.faults[fault], fault.value) for fault in Fault)
    click.echo("what was excused:")
    _say_counts((total.excused[excuse], excuse.value) for excuse in Excuse)
    click.echo("what runs went through:")
    _say_counts((total.met[name], name + (" (need not come)" if name in UNMET else "")) for name in NAMES)


def _say_counts(counts: Iterable[tuple[int, str]]) -> None:
    for count, name in counts:
        click.echo(f"  {count:>8} {name}")


if __name__ == "__main__":
    main()
