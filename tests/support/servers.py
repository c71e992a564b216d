"""The brokers of one test session: each is started when the first test asks for it and stopped at the end.

Real ones may be shared with the other processes of a run.
"""

from __future__ import annotations

import warnings
from pathlib import Path

from attrs import define, field

from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.support.embedded_kafka import start_embedded_kafka
from tests.support.guardian import kept_for_the_run
from tests.support.kafka_readiness import wait_until_coordinating
from tests.support.kafka_server import KafkaServer, KafkaStartError
from tests.support.real_kafka import start_real_kafka
from tests.support.shared_servers import SharedServers

#: The releases that the embedded brokers are like.
EMBEDDED = {"embedded": "4.4", "embedded-4.0": "4.0", "embedded-4.3": "4.3"}


@define
class Servers:
    """Brokers by kind: an embedded one like a release, ``external``, or a version of Apache Kafka.

    The last of these are shared by processes that have the folder ``common``.
    """

    common: Path | None = None
    _started: dict[str, KafkaServer] = field(factory=dict)
    _failed: dict[str, NoKafkaError | KafkaStartError] = field(factory=dict)
    _shared: SharedServers | None = None

    def get(self, kind: str) -> KafkaServer:
        """Return the broker of that kind; ``NoKafkaError`` or ``KafkaStartError``, of one line, if there is none.

        What kept it from starting is told once, as a warning of the run. It is not tried again.
        """
        if kind in self._failed:
            raise self._failed[kind]
        if kind not in self._started:
            self._started[kind] = self._try_to_start(kind)
        return self._started[kind]

    def _try_to_start(self, kind: str) -> KafkaServer:
        try:
            return self._start(kind)
        except NoKafkaError as error:
            self._failed[kind] = error
            raise
        except Exception as error:
            warnings.warn(f"Kafka {kind} did not start: {error}", stacklevel=2)
            self._failed[kind] = KafkaStartError(f"Kafka {kind} did not start; the run's warnings say why")
            raise self._failed[kind] from error

    def _start(self, kind: str) -> KafkaServer:
        if kind in EMBEDDED:
            return start_embedded_kafka(EMBEDDED[kind])
        if self.common is None or kind == "external":
            return _start_real(kind)
        self._shared = self._shared or SharedServers(self.common, _start_for_all)
        return self._shared.get(kind)

    def stop(self) -> None:
        while self._started:
            self._started.popitem()[1].stop()
        if self._shared is not None:
            self._shared.leave()


def _start_for_all(kind: str) -> KafkaServer:
    with kept_for_the_run():
        return _start_real(kind)


def _start_real(kind: str) -> KafkaServer:
    server = start_real_kafka(kind)
    if kind != "external":
        try:
            wait_until_coordinating(server.bootstrap_servers)
        except BaseException:
            server.stop()
            raise
    return server
