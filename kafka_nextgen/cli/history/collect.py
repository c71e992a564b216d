"""``kafka-nextgen history collect``: record the history of a cluster's groups in a file or a topic."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import click

from kafka_nextgen.admin import AsyncGroupAdmin
from kafka_nextgen.aio import AsyncConsumer
from kafka_nextgen.cli.options import ClusterOptions, cluster_options
from kafka_nextgen.collecting.collector import Collector, GroupFilter, new_source
from kafka_nextgen.collecting.record_reader import RecordReader, reader_config
from kafka_nextgen.collecting.topic_sink import TopicSink
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.history.file_sink import DEFAULT_KEEP, DEFAULT_MAX_BYTES, FileSink
from kafka_nextgen.history.queued_sink import QueuedSink
from kafka_nextgen.processing.stopping import StopHandle, stopped_by_signals

__all__ = ["collect", "group_filter"]

MIB = 1 << 20


@click.command(short_help="Write events of groups to a file or a topic.")
@click.option("-g", "--group", "groups", multiple=True, help="A group to observe. Can be repeated.")
@click.option(
    "--pattern", metavar="REGEX", help="Observe groups whose whole id matches, including those created later."
)
@click.option(
    "--interval", type=click.FloatRange(min=0.1), default=5.0, show_default=True, help="Seconds between two polls."
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to append to, such as log.jsonl."
)
@click.option("--topic", help="The topic to write to instead, in the same cluster.")
@click.option("--name", help="The name of this poller in the events.  [default: the host's name]")
@click.option(
    "--records", is_flag=True, help="Read the coordinators' records in __consumer_offsets instead of polling."
)
@click.option("--once", is_flag=True, help="Stop after one poll, or with --records at the current end of the topic.")
@click.option(
    "--max-mib",
    type=click.IntRange(min=1),
    default=DEFAULT_MAX_BYTES // MIB,
    show_default=True,
    help="Rotate the file at this size.",
)
@click.option(
    "--keep", type=click.IntRange(min=0), default=DEFAULT_KEEP, show_default=True, help="Rotated files to keep."
)
@click.option("--gzip", "compress", is_flag=True, help="Compress rotated files.")
@cluster_options
def collect(
    cluster: ClusterOptions,
    groups: tuple[str, ...],
    pattern: str | None,
    interval: float,
    output: Path | None,
    topic: str | None,
    name: str | None,
    records: bool,
    once: bool,
    max_mib: int,
    keep: int,
    compress: bool,
) -> None:
    """Poll groups every few seconds, and write what changed as events: members, epochs, assignments, offsets, lag.

    Without --group and --pattern, all consumer groups are observed, including those created later. The cluster may be
    of any kind and version. With --records no change between two polls is missed, but lag is not recorded, and the
    topic __consumer_offsets must be readable. Ends on SIGINT or SIGTERM, after writing all events.
    """
    wanted = group_filter(groups, pattern)
    if (output is None) == (topic is None):
        raise click.UsageError("specify where to write events: --output FILE or --topic NAME")
    sink: QueuedSink
    if output is not None:
        sink = _file_sink(output, max_mib * MIB, keep, compress)
    else:
        sink = TopicSink(cluster.config, topic=str(topic))
    with stopped_by_signals(StopHandle()) as stop:
        if not once:
            click.echo(f"Writing events to {output or topic}; Ctrl-C stops it", err=True)
        try:
            if records:
                asyncio.run(_read_records(cluster, sink, wanted, stop, once))
            else:
                asyncio.run(_poll(cluster, sink, new_source(name), wanted, interval, stop, once))
        finally:
            sink.close(cluster.timeout_s)
    click.echo(f"{sink.written} events written to {output or topic}, {sink.dropped} dropped", err=True)
    if sink.dropped:
        raise click.exceptions.Exit(1)


def group_filter(groups: tuple[str, ...], pattern: str | None) -> GroupFilter:
    """Return the filter of ``--group`` and ``--pattern``. Raises ConfigError for invalid values."""
    if "" in groups:
        raise ConfigError("--group takes the id of a group, not an empty string")
    try:
        return GroupFilter(groups, None if pattern is None else re.compile(pattern))
    except re.error as error:
        raise ConfigError(f"--pattern {pattern}: {error}") from None


def _file_sink(path: Path, max_bytes: int, keep: int, compress: bool) -> FileSink:
    if not path.parent.is_dir():
        raise ConfigError(f"--output {path}: directory {path.parent} does not exist; create it first")
    path.open("ab").close()  # report errors now instead of logging them later
    return FileSink(path, max_bytes=max_bytes, keep=keep, compress=compress)


async def _poll(
    cluster: ClusterOptions,
    sink: QueuedSink,
    source: str,
    wanted: GroupFilter,
    interval_s: float,
    stop: StopHandle,
    once: bool,
) -> None:
    async with AsyncGroupAdmin(cluster.config) as admin:
        collector = Collector(admin, sink, source, wanted, timeout_s=cluster.timeout_s)
        if once:
            await collector.poll()
        else:
            await collector.run(interval_s, lambda: stop.is_stopped)


async def _read_records(
    cluster: ClusterOptions, sink: QueuedSink, wanted: GroupFilter, stop: StopHandle, once: bool
) -> None:
    async with AsyncGroupAdmin(cluster.config) as admin, AsyncConsumer(reader_config(cluster.config)) as consumer:
        reader = RecordReader(admin, consumer, sink, wanted, timeout_s=cluster.timeout_s)
        await reader.run(lambda: stop.is_stopped, until_current_end=once)
    if reader.bad_records:
        click.echo(f"{reader.bad_records} records could not be read", err=True)
