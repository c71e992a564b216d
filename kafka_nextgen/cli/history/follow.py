"""``kafka-nextgen history follow``: groups as they are now, live in the terminal."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import click
from rich.console import Console

from kafka_nextgen.cli.following.group_views import GroupViews
from kafka_nextgen.cli.following.screen import Screen, open_screen
from kafka_nextgen.cli.following.sources import Source, cluster_events, file_events, topic_events
from kafka_nextgen.cli.history.collect import group_filter
from kafka_nextgen.cli.options import ClusterOptions, cluster_options
from kafka_nextgen.collecting.collector import GroupFilter
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.json_lines import InvalidLine
from kafka_nextgen.processing.stopping import StopHandle, stopped_by_signals

__all__ = ["follow"]

PAUSE_S = 0.2


@click.command(short_help="Show groups and their events, live.")
@click.argument("path", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--topic", help="Follow this topic of events instead of a file.")
@click.option("-g", "--group", "groups", multiple=True, help="Only this group. Can be repeated.")
@click.option("--pattern", metavar="REGEX", help="Only groups whose whole id matches.")
@click.option(
    "--interval",
    type=click.FloatRange(min=0.1),
    default=2.0,
    show_default=True,
    help="Seconds between two polls, if the cluster itself is followed.",
)
@cluster_options
def follow(
    cluster: ClusterOptions,
    path: Path | None,
    topic: str | None,
    groups: tuple[str, ...],
    pattern: str | None,
    interval: float,
) -> None:
    """Show each group's state, epoch, owners, lag and last events, as they change.

    Events come from PATH, a file that a writer appends to, from --topic, or, without either, from polling the
    cluster every few seconds. If stdout is not a terminal, each event is printed as a line. Ends on SIGINT or SIGTERM.
    """
    if path is not None and topic is not None:
        raise click.UsageError("follow either a file or a topic")
    wanted = group_filter(groups, pattern)
    with stopped_by_signals(StopHandle()) as stop, open_screen(Console()) as screen:
        source: Source
        if path is not None:
            source = file_events(path)
        elif topic is not None:
            source = topic_events(cluster, topic)
        else:
            source = cluster_events(cluster, wanted, interval, lambda: stop.is_stopped)
        skipped = asyncio.run(_show(source, wanted, screen, stop))
    if skipped:
        click.echo(f"{skipped} lines were not events; history report says more about them", err=True)


async def _show(source: Source, wanted: GroupFilter, screen: Screen, stop: StopHandle) -> int:
    """Show events until ``stop``; return the number of lines that were not events."""
    groups, skipped = GroupViews(), 0
    async with aclosing(source):
        async for found in source:
            events = [each for each in found if isinstance(each, Event) and wanted.matches_id(each.group)]
            skipped += sum(isinstance(each, InvalidLine) for each in found)
            for event in events:
                groups.add(event)
            screen.show(groups, events)
            if not events:
                await asyncio.sleep(PAUSE_S)
            if stop.is_stopped:
                break
    return skipped
