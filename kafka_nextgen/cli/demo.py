"""``kafka-nextgen demo``: three consumers that come, go and die over a real stream, and a proof of what they did."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
from rich.console import Console

from kafka_nextgen.cli.demonstration.board import PARTITIONS, Board
from kafka_nextgen.cli.demonstration.dataset import count_by_partition, load_flights
from kafka_nextgen.cli.demonstration.ledger import Proof
from kafka_nextgen.cli.demonstration.run import Story, StoryError
from kafka_nextgen.cli.demonstration.screen import Screen, open_screen
from kafka_nextgen.cli.history_file import history_option, open_history

__all__ = ["demo"]

LIMIT_S = 52.0
FAULTS_SHOWN = 20


@click.command()
@history_option
def demo(history: Path | None) -> None:
    """Show consumer groups at work on an embedded broker, and prove that nothing was missed.

    Real flights are streamed into twelve partitions while three consumer processes share them: one joins late, one
    leaves, one is killed. The last line says whether every flight was processed, and none twice without reason.
    With --history, "kafka-nextgen history report FILE" then tells what happened to the group.
    """
    flights = load_flights()
    with open_history(history) as tell_history, open_screen(Console()) as screen:
        story = Story(flights, Board(count_by_partition(flights, PARTITIONS), screen.tell), history=tell_history)
        stopped_by, proof = asyncio.run(_tell(story, screen))
    faults = ([stopped_by] if stopped_by else []) + [fault for fault in proof.faults if fault != stopped_by]
    if faults:
        raise click.ClickException(_complaint(faults))
    click.echo(_sentence(proof))


async def _tell(story: Story, screen: Screen) -> tuple[str | None, Proof]:
    """Run the story and show it meanwhile; returns what stopped it, if anything did, and the proof."""
    showing = asyncio.ensure_future(_show(story.board, screen))
    try:
        return None, await asyncio.wait_for(story.tell(), LIMIT_S)
    except asyncio.TimeoutError:
        return f"not done within {LIMIT_S:g} seconds: still waiting for {story.waiting_for}", story.proof()
    except StoryError as error:
        return str(error), story.proof()
    finally:
        showing.cancel()
        screen.show(story.board)


async def _show(board: Board, screen: Screen) -> None:
    while True:
        await asyncio.sleep(screen.interval_s)
        screen.show(board)


def _sentence(proof: Proof) -> str:
    who = " and ".join(f"{count:,} that {name}" for name, count in proof.repeated.items())
    twice = f"{who} had processed but not committed when it was killed" if who else "none, as none was uncommitted"
    return f"Proved: all {proof.produced:,} flights were processed, and the only ones processed twice are {twice}."


def _complaint(faults: list[str]) -> str:
    shown = "\n  ".join(faults[:FAULTS_SHOWN])
    more = f"\n  and {len(faults) - FAULTS_SHOWN:,} more" if len(faults) > FAULTS_SHOWN else ""
    return f"the proof failed:\n  {shown}{more}"
