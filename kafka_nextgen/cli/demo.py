"""``kafka-nextgen demo``: consumers join, leave and are killed while they share a stream; it ends with a proof."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
from rich.console import Console

from kafka_nextgen.cli.demonstration.flights import count_by_partition, load_flights
from kafka_nextgen.cli.demonstration.ledger import Proof
from kafka_nextgen.cli.demonstration.progress import PARTITION_COUNT, Progress
from kafka_nextgen.cli.demonstration.scenario import Scenario, ScenarioError
from kafka_nextgen.cli.demonstration.screen import Screen, open_screen
from kafka_nextgen.cli.options import history_option, open_history_file

__all__ = ["demo"]

TIMEOUT_S = 300.0  # on a busy machine; usually it takes half a minute
MAX_FAULTS_SHOWN = 20


@click.command(short_help="Show consumer groups at work on an embedded broker.")
@history_option
def demo(history: Path | None) -> None:
    """Show consumer groups at work on an embedded broker, and prove that nothing was missed.

    Real flights are streamed into twelve partitions while three consumer processes share them: one joins late, one
    leaves, one is killed. The last line says whether every flight was processed, and whether none was processed twice
    without a reason. With --history, "kafka-nextgen history report FILE" then shows what happened to the group.
    """
    flights = load_flights()
    with open_history_file(history) as tell_history, open_screen(Console()) as screen:
        scenario = Scenario(
            flights, Progress(count_by_partition(flights, PARTITION_COUNT), screen.tell), history=tell_history
        )
        stopped_by, proof = asyncio.run(_run(scenario, screen))
    faults = ([stopped_by] if stopped_by else []) + [fault for fault in proof.faults if fault != stopped_by]
    if faults:
        raise click.ClickException(_failure_message(faults))
    click.echo(_success_message(proof))


async def _run(scenario: Scenario, screen: Screen) -> tuple[str | None, Proof]:
    """Run and show the scenario; return the error that stopped it, if any, and the proof."""
    showing = asyncio.ensure_future(_show(scenario.progress, screen))
    try:
        return None, await asyncio.wait_for(scenario.run(), TIMEOUT_S)
    except asyncio.TimeoutError:
        return f"not done within {TIMEOUT_S:g} seconds: still waiting for {scenario.waiting_for}", scenario.proof()
    except ScenarioError as error:
        return str(error), scenario.proof()
    finally:
        showing.cancel()
        screen.show(scenario.progress)


async def _show(progress: Progress, screen: Screen) -> None:
    while True:
        await asyncio.sleep(screen.interval_s)
        screen.show(progress)


def _success_message(proof: Proof) -> str:
    who = " and ".join(f"{count:,} that {name}" for name, count in proof.repeated.items())
    twice = "none of them twice, because a killed consumer had committed everything that it had processed"
    if who:
        twice = f"and the only ones processed twice are {who} had processed but not committed when it was killed"
    return f"Proved: all {proof.produced:,} flights were processed, {twice}."


def _failure_message(faults: list[str]) -> str:
    shown = "\n  ".join(faults[:MAX_FAULTS_SHOWN])
    more = f"\n  and {len(faults) - MAX_FAULTS_SHOWN:,} more" if len(faults) > MAX_FAULTS_SHOWN else ""
    return f"the proof failed:\n  {shown}{more}"
