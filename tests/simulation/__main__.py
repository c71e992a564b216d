"""``python -m tests.simulation --seeds A-B``: run seeds, and say what was found."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import nullcontext

import click

from tests.simulation.coverage import NAMES
from tests.simulation.dice import Fault
from tests.simulation.excuses import Excuse
from tests.simulation.mutants import MUTANTS, planted
from tests.simulation.running import Mode, Simulation


@click.command()
@click.option("--seeds", default="1-100", help="From the first to the last.")
@click.option("--events", default=2_000, help="So many of each seed until all heals.")
@click.option("--mode", type=click.Choice([mode.value for mode in Mode]), default=Mode.SAFETY.value)
@click.option("--plant", type=click.Choice(sorted(MUTANTS)), help="With this bug (docs/mutants.md).")
def main(seeds: str, events: int, mode: str, plant: str | None) -> None:
    """Run these seeds."""
    first, _, last = seeds.partition("-")
    began, happened, bad = time.perf_counter(), 0, 0
    faults: Counter[Fault] = Counter()
    met: Counter[str] = Counter()
    excused: Counter[Excuse] = Counter()
    for seed in range(int(first), int(last or first) + 1):
        with nullcontext() if plant is None else planted(MUTANTS[plant]):
            verdict = Simulation(seed, events, Mode(mode)).run()
        happened += verdict.events
        faults += verdict.faults
        met += verdict.met
        excused += verdict.excused
        if verdict.broken:
            bad += 1
            click.echo(f"seed {seed}, event {verdict.events}: {'; '.join(verdict.broken[:3])}")
    seconds = time.perf_counter() - began
    click.echo(f"{happened} events in {seconds:.1f} s: {happened / seconds:.0f} a second; {bad} seeds failed")
    for fault in Fault:
        click.echo(f"  {faults[fault]:>8} {fault.value}")
    click.echo("what was excused:")
    for excuse in Excuse:
        click.echo(f"  {excused[excuse]:>8} {excuse.value}")
    click.echo("what runs went through:")
    for name in NAMES:
        click.echo(f"  {met[name]:>8} {name}")
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
