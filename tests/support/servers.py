"""The brokers of one test session: each is started when the first test asks for it and stopped at the end."""

from __future__ import annotations

from attrs import define, field

from tests.support.embedded_kafka import start_embedded_kafka
from tests.support.kafka_readiness import wait_until_coordinating
from tests.support.kafka_server import KafkaServer
from tests.support.real_kafka import start_real_kafka

__all__ = ["Servers"]

#: The releases that the embedded brokers are like.
EMBEDDED = {"embedded": "4.3", "embedded-4.0": "4.0"}


@define
class Servers:
    """Brokers by kind: an embedded one like a release, ``external``, or a version of Apache Kafka."""

    _started: dict[str, KafkaServer] = field(factory=dict)
    _failed: dict[str, Exception] = field(factory=dict)

    def get(self, kind: str) -> KafkaServer:
        """Return the broker of that kind; what kept it from starting once is raised again, not tried again."""
        if kind in self._failed:
            raise self._failed[kind]
        if kind not in self._started:
            try:
                self._started[kind] = _start(kind)
            except Exception as error:
                self._failed[kind] = error
                raise
        return self._started[kind]

    def stop(self) -> None:
        while self._started:
            self._started.popitem()[1].stop()


def _start(kind: str) -> KafkaServer:
    if kind in EMBEDDED:
        return start_embedded_kafka(EMBEDDED[kind])
    server = start_real_kafka(kind)
    if kind != "external":
        try:
            wait_until_coordinating(server.bootstrap_servers)
        except BaseException:
            server.stop()
            raise
    return server
