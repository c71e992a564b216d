"""``kafka-nextgen consume``: print the records that a group has not read yet, or those of partitions without a group.

Offsets of a group are committed only after their records were printed and stdout was flushed: about once a second,
before partitions are revoked, and at the end. Records lost in a broken pipe are therefore read again by the next
consumer.

The format ``text`` prints raw values. ``json`` prints one object per line; data that is not UTF-8 is in base64 under
another name (``value_base64``).
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Mapping, Sequence

import click
from attrs import field

from kafka_nextgen import clocks
from kafka_nextgen.cli.options import ClientProperties, bootstrap_option, client_options
from kafka_nextgen.cli.peeking import Peek
from kafka_nextgen.consumer import Consumer
from kafka_nextgen.engine.application.rebalance_listener import RebalanceConsumer, RebalanceListener
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.processing.stopping import StopHandle, stopped_by_signals
from kafka_nextgen.types import Record, TopicPartition

__all__ = ["consume"]

POLL_S = 0.2
COMMIT_INTERVAL_S = 1.0


def _text(record: Record) -> bytes:
    return record.value if isinstance(record.value, bytes) else b""


def _json(record: Record) -> bytes:
    fields: dict[str, object] = {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": record.timestamp,
        **_readable("key", record.key),
        **_readable("value", record.value),
        "headers": [{"key": key, **_readable("value", value)} for key, value in record.headers],
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def _readable(name: str, data: object) -> dict[str, str | None]:
    if not isinstance(data, bytes):
        return {name: None}
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(data).decode()}


#: Functions from a record to a line without its newline, by format.
_FORMATS: Mapping[str, Callable[[Record], bytes]] = {"json": _json, "text": _text}


@click.command(short_help="Print the records of topics.")
@click.argument("topics", nargs=-1, required=True, metavar="TOPIC...")
@bootstrap_option
@click.option("-g", "--group", help="The consumer group to join. Without it, nothing is committed.")
@click.option(
    "-p",
    "--partition",
    "numbers",
    type=click.IntRange(min=0),
    multiple=True,
    help="Without a group: read only this partition. Can be repeated.",
)
@click.option(
    "--last",
    type=click.IntRange(min=1),
    metavar="N",
    help="Without a group: read the last N records of each partition.",
)
@click.option("-e", "--exit-at-end", is_flag=True, help="Without a group: stop where the partitions end now.")
@click.option(
    "--format",
    "style",
    type=click.Choice(sorted(_FORMATS)),
    default="text",
    show_default=True,
    help="How records are printed.",
)
@click.option("--from-beginning", is_flag=True, help="Start at the first record where nothing is committed.")
@click.option("--max-messages", type=click.IntRange(min=1), help="Stop after this many records.")
@click.option("--timeout", type=click.FloatRange(min=0), help="Stop when no record has arrived for this many seconds.")
@client_options
def consume(
    topics: tuple[str, ...],
    bootstrap_servers: str,
    group: str | None,
    numbers: tuple[int, ...],
    last: int | None,
    exit_at_end: bool,
    style: str,
    from_beginning: bool,
    max_messages: int | None,
    timeout: float | None,
    properties: ClientProperties,
) -> None:
    """Read TOPIC... and print each record: as a member of a consumer group or, without --group, all its partitions.

    Ends on SIGINT or SIGTERM, after --max-messages, or when no record has arrived for --timeout seconds.
    """
    peek = Peek(numbers, last, exit_at_end)
    if group is not None and peek.is_asked_for:
        raise click.UsageError("--partition, --last and --exit-at-end are for reading without a group: omit --group")
    if last is not None and from_beginning:
        raise click.UsageError("--last and --from-beginning exclude each other")
    defaults: dict[str, object] = {
        "bootstrap.servers": bootstrap_servers,
        **({} if group is None else {"group.id": group}),
        "auto.offset.reset": "earliest" if from_beginning else "latest",
        "enable.auto.commit": False,
    }
    settings = properties.config(defaults)
    with stopped_by_signals(StopHandle()) as stop, Consumer(settings) as consumer:
        if group is None:
            peek.assign(consumer, topics)
            _Printer(consumer, style, stop, max_messages, timeout, commits=False).run()
            return
        consumer.subscribe(topics, listener=_CommitOnRevoke())
        _Printer(consumer, style, stop, max_messages, timeout).run()
        consumer.commit()


class _CommitOnRevoke(RebalanceListener):
    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        consumer.commit()


@define
class _Printer:
    consumer: Consumer
    style: str
    stop: StopHandle
    max_messages: int | None
    timeout_s: float | None
    commits: bool = True
    printed: int = 0
    last_record_at: float = field(factory=clocks.monotonic)
    last_commit_at: float = field(factory=clocks.monotonic)

    def run(self) -> None:
        """Poll and print until there is a reason to stop."""
        while not self.is_over():
            self.print_batch()
            if self.commits and clocks.monotonic() - self.last_commit_at >= COMMIT_INTERVAL_S:
                self.consumer.commit()
                self.last_commit_at = clocks.monotonic()
        problem = None if self.printed or self.stop.is_stopped else self.consumer.health().problem
        if problem is not None:  # no records arrived, for a reason other than an empty topic
            raise click.ClickException(problem)

    def is_over(self) -> bool:
        """Return whether a signal, the number of records, the timeout or the end of all ranges ends the command."""
        if self.consumer.finished() and self.consumer.finished() == self.consumer.assignment():
            return True
        is_silent = self.timeout_s is not None and clocks.monotonic() - self.last_record_at >= self.timeout_s
        return self.stop.is_stopped or is_silent or self.printed == self.max_messages

    def print_batch(self) -> None:
        """Poll once, and print at most the remaining number of records."""
        wanted = None if self.max_messages is None else self.max_messages - self.printed
        limit = self.consumer.config.max_poll_records
        records = self.consumer.poll(self._wait_s(), limit if wanted is None else min(limit, wanted))
        if records:
            stdout = sys.stdout.buffer
            stdout.writelines(_FORMATS[self.style](record) + b"\n" for record in records)
            stdout.flush()
            self.printed += len(records)
            self.last_record_at = clocks.monotonic()

    def _wait_s(self) -> float:
        if self.timeout_s is None:
            return POLL_S
        return max(0.0, min(POLL_S, self.last_record_at + self.timeout_s - clocks.monotonic()))
