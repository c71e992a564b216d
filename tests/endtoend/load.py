"""Records that are produced without a pause, and what the broker acknowledged of them."""

from __future__ import annotations

import threading
from collections import Counter

from confluent_kafka import KafkaError, Message, Producer

from tests.support.numbering import partition_of, value_of
from tests.support.waiting import GUARD_S

_IN_FLIGHT = 500  # records on their way; with more, a broker that comes back is busy with what waited for it


class Load:
    """An idempotent producer in a thread, which numbers its records (``tests.support.numbering``)."""

    def __init__(self, bootstrap_servers: str, topic: str, partitions: int) -> None:
        self.sent = 0
        self.acknowledged: Counter[int] = Counter()  # how often, by number
        self.misplaced: list[str] = []
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap_servers,
                "enable.idempotence": True,
                "linger.ms": 2,
                "reconnect.backoff.ms": 50,
                "reconnect.backoff.max.ms": 200,
                "retry.backoff.ms": 50,
                "error_cb": self._note_error,
                "log_level": 0,  # it would tell of every connection that a killed broker leaves
            }
        )
        self._topic, self._partitions = topic, partitions
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Load:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Send nothing more, and return once everything is acknowledged or 30 seconds are over."""
        self._stopped.set()
        self._thread.join()
        self._producer.flush(GUARD_S)

    def _run(self) -> None:
        while not self._stopped.is_set():
            if self.sent - len(self.acknowledged) >= _IN_FLIGHT:
                self._producer.poll(0.05)
                continue
            number, partition = self.sent, partition_of(self.sent, self._partitions)
            self._producer.produce(self._topic, value_of(number), partition=partition, on_delivery=self._note)
            self.sent += 1
            self._producer.poll(0)

    def _note(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.misplaced.append(f"{message.value()!r} failed: {error}")
            return
        number = int(message.value() or b"")
        self.acknowledged[number] += 1
        if message.offset() != number // self._partitions:
            self.misplaced.append(f"{number} is at offset {message.offset()} of partition {message.partition()}")

    def _note_error(self, error: KafkaError) -> None:
        if error.fatal():
            self.misplaced.append(str(error))
