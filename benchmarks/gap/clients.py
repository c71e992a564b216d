"""The two clients, each reading until it is told to stop, with its own defaults wherever it has a choice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import confluent_kafka

import kafka_nextgen

__all__ = ["READERS", "Log"]

POLL_TIMEOUT_S = 0.1


class Log(Protocol):
    """Whom a reader tells."""

    def delivered(self, partitions: Iterable[int]) -> None: ...

    def call_back(self, what: str, partitions: Iterable[int]) -> None: ...


Reader = Callable[[str, str, str, Log, threading.Event], None]


def _config(bootstrap_servers: str, group: str) -> dict[str, str]:
    return {
        "bootstrap.servers": bootstrap_servers,
        "group.id": group,
        "group.protocol": "consumer",
        "auto.offset.reset": "latest",
    }


class _Listener(kafka_nextgen.RebalanceListener):
    def __init__(self, log: Log) -> None:
        self._log = log

    def on_partitions_assigned(
        self, consumer: kafka_nextgen.RebalanceConsumer, partitions: Sequence[kafka_nextgen.TopicPartition]
    ) -> None:
        self._log.call_back("assigned", (tp.partition for tp in partitions))

    def on_partitions_revoked(
        self, consumer: kafka_nextgen.RebalanceConsumer, partitions: Sequence[kafka_nextgen.TopicPartition]
    ) -> None:
        self._log.call_back("revoked", (tp.partition for tp in partitions))


def _read_with_kafka_nextgen(
    bootstrap_servers: str, group: str, topic: str, log: Log, stopped: threading.Event
) -> None:
    with kafka_nextgen.Consumer(_config(bootstrap_servers, group)) as consumer:
        consumer.subscribe([topic], listener=_Listener(log))
        while not stopped.is_set():
            records = consumer.poll(timeout=POLL_TIMEOUT_S)
            log.delivered(tp.partition for tp in records.partitions())


def _read_with_confluent(bootstrap_servers: str, group: str, topic: str, log: Log, stopped: threading.Event) -> None:
    consumer = confluent_kafka.Consumer(_config(bootstrap_servers, group))
    consumer.subscribe(
        [topic],
        on_assign=lambda _, partitions: log.call_back("assigned", (tp.partition for tp in partitions)),
        on_revoke=lambda _, partitions: log.call_back("revoked", (tp.partition for tp in partitions)),
    )
    while not stopped.is_set():
        message = consumer.poll(POLL_TIMEOUT_S)
        if message is not None and message.error() is None:
            partition = message.partition()
            assert partition is not None
            log.delivered((partition,))
    consumer.close()


READERS: Mapping[str, Reader] = {
    "kafka_nextgen": _read_with_kafka_nextgen,
    "confluent-kafka": _read_with_confluent,
}
