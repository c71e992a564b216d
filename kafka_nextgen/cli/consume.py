"""``kafka-nextgen consume``: print what a group has not read yet.

An offset is committed only after its record was printed and stdout flushed: about once a second, before partitions are
given up, and at the end. What a broken pipe swallowed is therefore read again by the next consumer of the group.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import click
from attrs import define, field

from kafka_nextgen.cli.options import bootstrap_option, client_options
from kafka_nextgen.cli.printing import FORMATS
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.consumer import Consumer
from kafka_nextgen.engine.application.rebalance_listener import RebalanceConsumer, RebalanceListener
from kafka_nextgen.processing.stopping import StopHandle, stopped_by_signals
from kafka_nextgen.types import TopicPartition

__all__ = ["consume"]

POLL_S = 0.2
COMMIT_INTERVAL_S = 1.0


@click.command()
@click.argument("topics", nargs=-1, required=True, metavar="TOPIC...")
@bootstrap_option
@click.option("-g", "--group", required=True, help="The consumer group to join.")
@click.option("--format", "style", type=click.Choice(sorted(FORMATS)), default="text", show_default=True)
@click.option("--from-beginning", is_flag=True, help="Where nothing is committed, start at the first record.")
@click.option("--max-messages", type=click.IntRange(min=1), help="Stop after so many records.")
@click.option("--timeout", type=click.FloatRange(min=0), help="Stop when no record came for so many seconds.")
@client_options
def consume(
    topics: tuple[str, ...],
    bootstrap_servers: str,
    group: str,
    style: str,
    from_beginning: bool,
    max_messages: int | None,
    timeout: float | None,
    properties: dict[str, object],
) -> None:
    """Read TOPIC... as a member of a consumer group and print each record.

    Ends on SIGINT or SIGTERM, after --max-messages, or when --timeout seconds brought nothing.
    """
    defaults: dict[str, object] = {
        "bootstrap.servers": bootstrap_servers,
        "group.id": group,
        "auto.offset.reset": "earliest" if from_beginning else "latest",
        "enable.auto.commit": False,
    }
    settings = ConsumerConfig.parse({**defaults, **properties})
    with stopped_by_signals(StopHandle()) as stop, Consumer(settings) as consumer:
        consumer.subscribe(topics, listener=_CommitBeforeGivingUp())
        _Reading(consumer, style, stop, max_messages, timeout).run()
        consumer.commit()


class _CommitBeforeGivingUp(RebalanceListener):
    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        consumer.commit()


@define
class _Reading:
    consumer: Consumer
    style: str
    stop: StopHandle
    max_messages: int | None
    timeout_s: float | None
    printed: int = 0
    last_record_at: float = field(factory=time.monotonic)
    last_commit_at: float = field(factory=time.monotonic)

    def run(self) -> None:
        """Poll and print until there is a reason to stop."""
        while not self.is_over():
            self.print_some()
            if time.monotonic() - self.last_commit_at >= COMMIT_INTERVAL_S:
                self.consumer.commit()
                self.last_commit_at = time.monotonic()
        problem = None if self.printed or self.stop.is_stopped else self.consumer.health().problem
        if problem is not None:  # silence had another reason than that nothing was written
            raise click.ClickException(problem)

    def is_over(self) -> bool:
        """Whether somebody asked for the end, enough was printed, or nothing comes any more."""
        is_silent = self.timeout_s is not None and time.monotonic() - self.last_record_at >= self.timeout_s
        return self.stop.is_stopped or is_silent or self.printed == self.max_messages

    def print_some(self) -> None:
        """Print what one poll brings, and not more than is wanted."""
        wanted = None if self.max_messages is None else self.max_messages - self.printed
        limit = self.consumer.config.max_poll_records
        records = self.consumer.poll(self._wait_s(), limit if wanted is None else min(limit, wanted))
        if records:
            stdout = sys.stdout.buffer
            stdout.writelines(FORMATS[self.style](record) + b"\n" for record in records)
            stdout.flush()
            self.printed += len(records)
            self.last_record_at = time.monotonic()

    def _wait_s(self) -> float:
        if self.timeout_s is None:
            return POLL_S
        return max(0.0, min(POLL_S, self.last_record_at + self.timeout_s - time.monotonic()))
