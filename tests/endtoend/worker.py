"""One member of a group as a process of its own: reads, tells, commits; SIGTERM lets it leave.

Run as ``python -m tests.endtoend.worker BOOTSTRAP GROUP TOPIC PARTITIONS [KEY=VALUE ...]``, the last being more of
its consumer's configuration. It pauses after each poll as if it worked, so that members come and go while records
are left to read. Offsets are committed by the program alone: after every few polls, and before partitions are given
up.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterable, Mapping

from kafka_nextgen import Consumer, RebalanceConsumer, RebalanceListener, Record, TopicPartition
from tests.endtoend.report import Line, Run
from tests.support.numbering import number_at, value_of

WORK_S = 0.02
RECORDS_PER_POLL = 100
POLLS_PER_COMMIT = 10


def tell(
    what: str,
    *,
    runs: Iterable[Run] = (),
    partitions: Iterable[TopicPartition] = (),
    offsets: Mapping[int, int] | None = None,
) -> None:
    numbers = tuple(sorted(tp.partition for tp in partitions))
    print(Line(time.monotonic(), what, tuple(runs), numbers, offsets or {}).dump(), flush=True)


def runs_of(records: Iterable[Record]) -> list[Run]:
    """Return the records as runs, in the order in which they were handed over."""
    runs: list[Run] = []
    for record in records:
        before = runs[-1] if runs else None
        if before and (before.partition, before.last + 1) == (record.partition, record.offset):
            runs[-1] = Run(record.partition, before.first, record.offset)
        else:
            runs.append(Run(record.partition, record.offset, record.offset))
    return runs


class Ledger(RebalanceListener):
    """How far each owned partition was processed, told whenever that changes."""

    def __init__(self, partitions: int) -> None:
        self.partitions = partitions
        self.processed: dict[int, int] = {}

    def deliver(self, records: list[Record]) -> None:
        runs = runs_of(records)
        if runs:
            tell("delivered", runs=runs)
        misplaced = [
            record
            for record in records
            if record.value != value_of(number_at(record.partition, record.offset, self.partitions))
        ]
        if misplaced:
            tell("misplaced", runs=runs_of(misplaced))
        self.processed.update({run.partition: run.last + 1 for run in runs})

    def commit(self, consumer: Consumer | RebalanceConsumer) -> None:
        consumer.commit()
        tell("committed", offsets=self.processed)

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Iterable[TopicPartition]) -> None:
        tell("assigned", partitions=partitions)

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Iterable[TopicPartition]) -> None:
        self.commit(consumer)
        self._forget(partitions)
        tell("revoked", partitions=partitions)

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Iterable[TopicPartition]) -> None:
        self._forget(partitions)
        tell("lost", partitions=partitions)

    def _forget(self, partitions: Iterable[TopicPartition]) -> None:
        for tp in partitions:
            self.processed.pop(tp.partition, None)


def work(consumer: Consumer, ledger: Ledger, stopped: threading.Event) -> None:
    polls = 0
    while not stopped.is_set():
        ledger.deliver(list(consumer.poll(timeout=0.2)))
        time.sleep(WORK_S)
        polls += 1
        if polls % POLLS_PER_COMMIT == 0:
            ledger.commit(consumer)


def main(bootstrap_servers: str, group: str, topic: str, partitions: str, *more: str) -> None:
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    ledger = Ledger(int(partitions))
    config = {
        "bootstrap.servers": bootstrap_servers,
        "group.id": group,
        "group.protocol": "consumer",
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "max.poll.records": RECORDS_PER_POLL,
        **dict(setting.split("=", 1) for setting in more),
    }
    with Consumer(config) as consumer:
        consumer.subscribe([topic], listener=ledger)
        work(consumer, ledger, stopped)


if __name__ == "__main__":
    main(*sys.argv[1:])
