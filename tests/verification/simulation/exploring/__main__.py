"""``python -m tests.verification.simulation.exploring``: visit every state within bounds, and count them."""

from __future__ import annotations

import time

import click
from rich.console import Console

from tests.verification.simulation.exploring.moves import Bounds, Fault
from tests.verification.simulation.exploring.searching import Explorer, Result
from tests.verification.simulation.exploring.telling import tell

_KINDS = {fault.name.lower().replace("_", "-"): fault for fault in Fault}
#: The exit status of a search that was interrupted.
_INTERRUPTED = 130


@click.command()
@click.option("--members", default=2, type=click.IntRange(1, 8), help="So many clients.", show_default=True)
@click.option(
    "--partitions", default=2, type=click.IntRange(1), help="So many partitions of their one topic.", show_default=True
)
@click.option("--faults", default=1, type=click.IntRange(0, 7), help="At most so many on any way.", show_default=True)
@click.option("--fault", "kinds", multiple=True, type=click.Choice(list(_KINDS)), help="Only this kind, or these.")
@click.option("--auto-commit", is_flag=True, help="Members commit before they revoke.")
@click.option("--most-states", type=click.IntRange(1), help="Stop there, though there may be more.")
@click.option("--quiet", is_flag=True, help="Say nothing before the end.")
def main(
    members: int,
    partitions: int,
    faults: int,
    kinds: tuple[str, ...],
    auto_commit: bool,
    most_states: int | None,
    quiet: bool,
) -> None:
    """Explore groups within these bounds.

    The exit status is 1 if something was found, and 130 if the search was interrupted before.
    """
    chosen = frozenset(_KINDS[kind] for kind in kinds) or frozenset(Fault)
    bounds = Bounds(members, partitions, faults, auto_commit, most_states, chosen)
    began = time.process_time()
    progress = Console(stderr=True, quiet=quiet)
    result, is_interrupted = Result(), False

    def tell_of(so_far: Result) -> None:
        nonlocal result
        result = so_far
        progress.print(_progress(so_far))

    try:
        result = Explorer(bounds, tell_of).run()
    except KeyboardInterrupt:
        is_interrupted = True
        click.echo("interrupted")
    click.echo(_summary(bounds, result, time.process_time() - began))
    if is_interrupted:
        raise SystemExit(_INTERRUPTED)
    if result.finding is not None:
        click.echo(f"\n# Broken: {'; '.join(result.finding.broken)}.")
        click.echo(tell(bounds.names, partitions, result.finding.moves, auto_commit=auto_commit).text)
        raise SystemExit(1)


def _progress(result: Result) -> str:
    return f"depth {result.depth}: {result.states:,} states, {result.steps:,} steps"


def _summary(bounds: Bounds, result: Result, seconds: float) -> str:
    if result.finding is not None:
        how = "stopped at a finding"
    else:
        how = "to the end" if result.is_complete else "not to the end"
    lines = [
        f"{bounds.members} members, {bounds.partitions} partitions, at most {bounds.faults} faults: {how}",
        f"{result.states:>12,} states, {result.depth} steps deep, in {seconds:.0f} s of CPU time",
        f"{result.steps:>12,} steps between them",
        f"{result.coordinators:>12,} states of the coordinator, {result.clients:,} of clients",
        f"{result.settled:>12,} states with nothing left to do",
        f"{result.overtaken:>12,} pairs with a member that a late request spoke for, which no coordinator can tell",
        *(f"{result.faults[fault]:>12,} {fault.value}" for fault in Fault if result.faults[fault]),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
