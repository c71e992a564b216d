"""A process that transforms each record of a topic exactly once, with the producer of one of two other clients.

``python -m tests.endtoend.transformer SERVERS SOURCE TARGET GROUP PROTOCOL PRODUCER TRANSACTIONAL_ID [before|after]``
says ``open`` when its third transaction is open, before or after the offsets are sent to it, and waits for a line.
It says ``committed`` or ``aborted`` of each transaction.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import confluent_kafka
import kafka
import kafka.errors

from kafka_nextgen import Consumer, ConsumerGroupMetadata, MisuseError, Records, TopicPartition
from tests.endtoend.reading import QUICK_CLASSIC
from tests.endtoend.transacting import TIMEOUT_S, transactional_producer


class RefusedError(Exception):
    """The coordinator of the group refused the offsets; the transaction has to be aborted."""


class Transactions(Protocol):
    """What is needed of a producer, whoever made it."""

    def begin(self) -> None: ...

    def write(self, topic: str, value: bytes) -> None: ...

    def send_offsets(self, positions: Mapping[TopicPartition, int], member: ConsumerGroupMetadata) -> None: ...

    def commit(self) -> None: ...

    def abort(self) -> None: ...


class OfConfluent:
    """confluent-kafka's producer."""

    def __init__(self, servers: str, transactional_id: str) -> None:
        self._producer = transactional_producer(servers, transactional_id)
        self.begin = self._producer.begin_transaction
        self.commit = self._producer.commit_transaction
        self.abort = self._producer.abort_transaction

    def write(self, topic: str, value: bytes) -> None:
        self._producer.produce(topic, value)

    def send_offsets(self, positions: Mapping[TopicPartition, int], member: ConsumerGroupMetadata) -> None:
        self._producer.flush(TIMEOUT_S)
        named = [confluent_kafka.TopicPartition(*tp, offset) for tp, offset in positions.items()]
        try:
            self._producer.send_offsets_to_transaction(named, member, TIMEOUT_S)
        except confluent_kafka.KafkaException as error:
            if not error.args[0].txn_requires_abort():
                raise
            raise RefusedError(error.args[0].name()) from error


class OfKafkaPython:
    """kafka-python's producer; after an abort, the next one with the same transactional id.

    Offsets that the group refused would stay in the producer and go with the next transaction
    (findings/kafka-python-commits-offsets-of-an-aborted-transaction.sh).
    """

    def __init__(self, servers: str, transactional_id: str) -> None:
        self._open = functools.partial(
            kafka.KafkaProducer, bootstrap_servers=servers, transactional_id=transactional_id
        )
        self._renew()

    def _renew(self) -> None:
        self._producer: Any = self._open()
        self._producer.init_transactions()

    def begin(self) -> None:
        self._producer.begin_transaction()

    def write(self, topic: str, value: bytes) -> None:
        self._producer.send(topic, value)

    def send_offsets(self, positions: Mapping[TopicPartition, int], member: ConsumerGroupMetadata) -> None:
        self._producer.flush(TIMEOUT_S)
        named = {kafka.TopicPartition(*tp): kafka.OffsetAndMetadata(offset, "", -1) for tp, offset in positions.items()}
        try:
            self._producer.send_offsets_to_transaction(named, member)
        except kafka.errors.CommitFailedError as error:
            raise RefusedError(str(error)) from error

    def commit(self) -> None:
        self._producer.commit_transaction()

    def abort(self) -> None:
        self._producer.abort_transaction()
        self._producer.close()
        self._renew()


PRODUCERS: dict[str, Callable[[str, str], Transactions]] = {
    "confluent-kafka": OfConfluent,
    "kafka-python": OfKafkaPython,
}


def stall() -> None:
    print("open", flush=True)
    sys.stdin.readline()


def go_back(consumer: Consumer, records: Records) -> None:
    """Read again what is not committed; in partitions that came back after a loss, others have committed since."""
    for tp in records.partitions():
        try:
            committed = consumer.committed([tp])[tp]
            consumer.seek(tp, next(iter(records.of(tp))).offset if committed is None else committed)
        except MisuseError:  # not assigned any more: its next owner begins at what is committed
            continue


def main(
    servers: str, source: str, target: str, group: str, protocol: str, kind: str, name: str, stalls: str = ""
) -> None:
    transactions, number = PRODUCERS[kind](servers, name), 0
    with Consumer(
        bootstrap_servers=servers,
        group_id=group,
        group_protocol=protocol,
        **(QUICK_CLASSIC if protocol == "classic" else {}),
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        isolation_level="read_committed",
    ) as consumer:
        consumer.subscribe([source])
        while True:
            records = consumer.poll(1.0, 10)
            if not records:
                continue
            number += 1
            transactions.begin()
            for record in records:
                assert isinstance(record.value, bytes)
                transactions.write(target, record.value)
            positions = {tp: consumer.position(tp) for tp in records.partitions()}
            if number == 3 and stalls == "before":
                stall()
            try:
                transactions.send_offsets(positions, consumer.group_metadata())
            except RefusedError as refused:
                print(f"aborted: {refused}", flush=True)
                transactions.abort()
                go_back(consumer, records)
                continue
            if number == 3 and stalls == "after":
                stall()
            transactions.commit()
            print("committed", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
