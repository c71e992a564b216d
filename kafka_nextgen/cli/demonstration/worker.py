"""A consumer process of the demonstration, run as a module with the arguments SERVERS TOPIC GROUP NAME.

It processes and reports records, and commits about once a second, before partitions are revoked, and on SIGTERM. After
a SIGKILL, the next owner processes the records since the last commit again. The process exits when its stdin closes,
which means that its parent is gone.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence

from kafka_nextgen import clocks
from kafka_nextgen.cli.demonstration import reports
from kafka_nextgen.consumer import Consumer
from kafka_nextgen.engine.application.rebalance_listener import RebalanceConsumer, RebalanceListener
from kafka_nextgen.processing.stopping import StopHandle, stopped_by_signals
from kafka_nextgen.types import Record, TopicPartition

__all__ = ["main"]

POLL_S = 0.2
COMMIT_INTERVAL_S = 1.0
_STDIN, _STDOUT = 0, 1


class _Worker(RebalanceListener):
    """Tracks the next offset of each owned partition, and reports everything."""

    def __init__(self) -> None:
        self._next_offsets: dict[int, int] = {}

    def process(self, record: Record) -> None:
        """Process a record by reporting it."""
        assert record.key is None or isinstance(record.key, bytes)
        assert record.value is None or isinstance(record.value, bytes)
        _say(reports.Processed(record.partition, record.offset, reports.checksum(record.key, record.value)))
        self._next_offsets[record.partition] = record.offset + 1

    def commit(self, consumer: Consumer | RebalanceConsumer) -> None:
        """Commit everything processed, then report it."""
        consumer.commit()
        _say(reports.Committed(self._next_offsets))

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        _say(reports.Assigned(_numbers(partitions)))

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.commit(consumer)
        self._forget(partitions, lost=False)

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._forget(partitions, lost=True)

    def _forget(self, partitions: Sequence[TopicPartition], *, lost: bool) -> None:
        for number in _numbers(partitions):
            self._next_offsets.pop(number, None)
        _say(reports.GivenUp(_numbers(partitions), lost))


def main() -> None:
    """Consume until SIGTERM."""
    bootstrap_servers, topic, group, name = sys.argv[1:]
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    worker = _Worker()
    with stopped_by_signals(StopHandle()) as stop, _consumer(bootstrap_servers, group, name) as consumer:
        consumer.subscribe([topic], listener=worker)
        last_commit_at = clocks.monotonic()
        while not stop.is_stopped:
            for record in consumer.poll(POLL_S):
                worker.process(record)
            if clocks.monotonic() - last_commit_at >= COMMIT_INTERVAL_S:
                worker.commit(consumer)
                last_commit_at = clocks.monotonic()
    _say(reports.Finished())


def _consumer(bootstrap_servers: str, group: str, name: str) -> Consumer:
    return Consumer(
        bootstrap_servers=bootstrap_servers,
        group_id=group,
        client_id=name,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        max_poll_records=100,
    )


def _say(report: reports.Report) -> None:
    os.write(_STDOUT, reports.write(report))


def _numbers(partitions: Sequence[TopicPartition]) -> tuple[int, ...]:
    return tuple(partition.partition for partition in partitions)


def _end_with_parent() -> None:
    while os.read(_STDIN, 1):  # not sys.stdin: Python aborts if a thread is inside it when the process ends
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
