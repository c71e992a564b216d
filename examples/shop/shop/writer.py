"""Writes one record after the other, and knows of each that the brokers have it."""

from __future__ import annotations

from collections.abc import Sequence

from confluent_kafka import KafkaError, KafkaException, Message, Producer

TIMEOUT_S = 30

Headers = Sequence[tuple[str, str | bytes | None]]


class NotWrittenError(Exception):
    """The brokers do not have the record, as far as is known."""


class Writer:
    def __init__(self, bootstrap_servers: str) -> None:
        self._producer = Producer({"bootstrap.servers": bootstrap_servers, "enable.idempotence": True, "log_level": 0})

    def write(self, topic: str, value: bytes | None, key: bytes | None, headers: Headers = ()) -> None:
        """Return when all replicas have the record. Raises NotWrittenError."""
        failures: list[KafkaError] = []

        def delivered(failure: KafkaError | None, _: Message) -> None:
            if failure is not None:
                failures.append(failure)

        try:
            self._producer.produce(topic, value, key, headers=list(headers), on_delivery=delivered)
        except KafkaException as refused:  # too large, for instance
            raise NotWrittenError(f"{topic}: {refused}") from refused
        if self._producer.flush(TIMEOUT_S) or failures:
            raise NotWrittenError(f"{topic}: {failures or f'no answer within {TIMEOUT_S} s'}")
