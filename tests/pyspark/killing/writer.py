"""Writes to the topic while the query is killed, and keeps the committed records, which the query has to find.

There are two producers: an idempotent one, and one that commits and aborts every other transaction. So the logs have
markers and aborted records between the records that count.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from confluent_kafka import KafkaError, Message, Producer

from tests.endtoend.transacting import TIMEOUT_S, transactional_producer
from tests.support.clients import idempotent_producer, unique

#: The values of records, by partition and offset.
Records = dict[tuple[int, int], bytes]

PARTITIONS = 3
PAUSE_S = 0.1
AT_ONCE = 20
ROUNDS_PER_TRANSACTION = 5


class Writer:
    """Writes in a thread, 200 records a second, until ``stop``."""

    def __init__(self, bootstrap_servers: str, topic: str) -> None:
        self._topic = topic
        self._plain = idempotent_producer(bootstrap_servers)
        self._transactional = transactional_producer(bootstrap_servers, unique("killed"))
        self._acknowledged: Records = {}
        self._number = 0
        self._is_over = threading.Event()
        self._threads = ThreadPoolExecutor(1)
        self._written: Future[None] = self._threads.submit(self._run)

    def stop(self) -> Records:
        """Write nothing more, and return what was acknowledged. Raises what ended the writing before."""
        self._is_over.set()
        self._threads.shutdown()
        self._written.result()
        return self._acknowledged

    def _run(self) -> None:
        turn = 0
        while not self._is_over.wait(PAUSE_S):
            turn += 1
            self._send(self._plain, self._acknowledged)
            self._plain.poll(0)
            if turn % ROUNDS_PER_TRANSACTION == 0:
                self._transact(commits=turn % (2 * ROUNDS_PER_TRANSACTION) == 0)
        _flush(self._plain)

    def _transact(self, *, commits: bool) -> None:
        written: Records = {}
        self._transactional.begin_transaction()
        self._send(self._transactional, written)
        _flush(self._transactional)  # aborted records are in the log, too
        if commits:
            self._transactional.commit_transaction(TIMEOUT_S)
            self._acknowledged.update(written)
        else:
            self._transactional.abort_transaction(TIMEOUT_S)

    def _send(self, producer: Producer, into: Records) -> None:
        for _ in range(AT_ONCE):
            self._number += 1
            value, partition = b"%d" % self._number, self._number % PARTITIONS
            producer.produce(self._topic, value, partition=partition, on_delivery=partial(_note, into))


def _note(into: Records, error: KafkaError | None, message: Message) -> None:
    assert error is None, f"record {message.value()!r} was not written: {error}"
    partition, offset, value = message.partition(), message.offset(), message.value()
    assert partition is not None
    assert offset is not None
    into[partition, offset] = value or b""


def _flush(producer: Producer) -> None:
    left = producer.flush(TIMEOUT_S)
    assert left == 0, f"{left} records were not acknowledged within {TIMEOUT_S} s"
