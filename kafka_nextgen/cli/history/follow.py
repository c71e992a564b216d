"""``kafka-nextgen history follow``: groups as they are now, live in the terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
from rich.console import Console

from kafka_nextgen.cli.following.group_views import GroupViews
from kafka_nextgen.cli.following.screen import Screen, open_screen
from kafka_nextgen.cli.following.sources import ClusterSource, FileSource, Source, TopicSource
from kafka_nextgen.cli.history.collect import group_filter
from kafka_nextgen.cli.options import ClusterOptions, cluster_options
from kafka_nextgen.collecting.collector import GroupFilter
from kafka_nextgen.history.events import Event
from kafka_nextgen.processing.stopping import StopHandle, stopped_by_signals

__all__ = ["follow"]

PAUSE_S = 0.2


@click.command()
@click.argument("path", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--topic", help="Follow this topic of events instead of a file.")
@click.option("-g", "--group", "groups", multiple=True, help="Only this group; may be given again.")
@click.option("--pattern", metavar="REGEX", help="Only groups whose whole id matches.")
@click.option(
    "--interval",
    type=click.FloatRange(min=0.1),
    default=2.0,
    show_default=True,
    help="Seconds from look to look, where the cluster itself is followed.",
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

    Events come from PATH, a file that a writer appends to, from --topic, or, without either, from looking at the
    cluster every few seconds. Where stdout is no terminal, each event is printed as a line. Ends on SIGINT or SIGTERM.
    """
    if path is not None and topic is not None:
        raise click.UsageError("follow either a file or a topic")
    wanted = group_filter(groups, pattern)
    with stopped_by_signals(StopHandle()) as stop, open_screen(Console()) as screen:
        source: Source
        if path is not None:
            source = FileSource(path)
        elif topic is not None:
            source = TopicSource(cluster, topic)
        else:
            source = ClusterSource(cluster, wanted, interval, lambda: stop.is_stopped)
        asyncio.run(_show(source, wanted, screen, stop))
    if source.skipped:
        click.echo(f"{source.skipped} lines were no events; history report tells more of them", err=True)


async def _show(source: Source, wanted: GroupFilter, screen: Screen, stop: StopHandle) -> None:
    groups = GroupViews()
    async with source:
        while not stop.is_stopped:
            events = [event for event in await source.take() if _matches(event, wanted)]
            for event in events:
                groups.add(event)
            screen.show(groups, events)
            if not events:
                await asyncio.sleep(PAUSE_S)


def _matches(event: Event, wanted: GroupFilter) -> bool:
    if event.group in wanted.groups:
        return True
    if wanted.pattern is not None:
        return wanted.pattern.fullmatch(event.group) is not None
    return not wanted.groups
