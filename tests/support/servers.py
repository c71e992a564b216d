"""The brokers of one test session: each is started when the first test asks for it and stopped at the end."""

from __future__ import annotations

from attrs import define, field

from tests.support.embedded_kafka import start_embedded_kafka
from tests.support.kafka_server import KafkaServer
from tests.support.real_kafka import start_real_kafka

__all__ = ["Servers"]


@define
class Servers:
    """Brokers by kind: ``embedded``, ``external`` or a version of Apache Kafka."""

    _started: dict[str, KafkaServer] = field(factory=dict)
    _failed: dict[str, Exception] = field(factory=dict)

    def get(self, kind: str) -> KafkaServer:
        """Return the broker of that kind; what kept it from starting once is raised again, not tried again."""
        if kind in self._failed:
            raise self._failed[kind]
        if kind not in self._started:
            try:
                self._started[kind] = start_embedded_kafka() if kind == "embedded" else start_real_kafka(kind)
            except Exception as error:
                self._failed[kind] = error
                raise
        return self._started[kind]

    def stop(self) -> None:
        while self._started:
            self._started.popitem()[1].stop()
