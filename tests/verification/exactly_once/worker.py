"""A worker that copies each record to the same partition of another topic, exactly once, until SIGTERM.

``python -m tests.verification.exactly_once.worker SERVERS SOURCE TARGET GROUP PRODUCER NAME MAX_RECORDS`` writes a line
when a transaction begins (``b``), when its offsets are sent (``o``) and when it is committed (``c COUNT``), so that
kills can be aimed, and when it is aborted (``a``). Its log goes to stderr.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping

from kafka_nextgen import Consumer, ConsumerGroupMetadata, OffsetAndMetadata, OutputRecord, Record, TopicPartition
from kafka_nextgen.processing.transactions.producers import TransactionalProducer, adapter_of
from tests.processing.transactions.faulty import MAKERS


class TellingProducer(TransactionalProducer):
    """Says what happens to the transactions of another client's producer."""

    def __init__(self, made: object) -> None:
        self._adapter = adapter_of(made)
        self._records = 0
        self.survives_abort = self._adapter.survives_abort  # type: ignore[misc]
        self.init = self._adapter.init  # type: ignore[method-assign]
        self.close = self._adapter.close  # type: ignore[method-assign]

    def init(self) -> None: ...

    def close(self) -> None: ...

    def begin(self) -> None:
        print("b", flush=True)
        self._records = 0
        self._adapter.begin()

    def produce(self, record: OutputRecord) -> None:
        self._records += 1
        self._adapter.produce(record)

    def send_offsets(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], member: ConsumerGroupMetadata) -> None:
        self._adapter.send_offsets(offsets, member)
        print("o", flush=True)

    def commit(self) -> None:
        self._adapter.commit()
        print(f"c {self._records}", flush=True)

    def abort(self) -> None:
        print("a", flush=True)
        self._adapter.abort()


def main(servers: str, source: str, target: str, group: str, kind: str, name: str, max_records: str) -> None:
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s {name} %(process)d: %(message)s")
    logging.getLogger("kafka").setLevel(logging.WARNING)

    def copy(record: Record) -> OutputRecord:
        return OutputRecord(target, record.value, partition=record.partition)

    with Consumer(
        bootstrap_servers=servers,
        group_id=group,
        client_id=name,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        isolation_level="read_committed",
    ) as consumer:
        consumer.run_in_transactions(
            copy,
            [source],
            producer=lambda: TellingProducer(MAKERS[kind](servers, f"{group}-{name}")),
            max_records=int(max_records),
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
