"""A Kafka cluster that runs elsewhere, with the methods of ``Cluster``: the same test runs on both."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

from kafka_nextgen import clocks
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.testing.arguments import mapping, text, whole_number
from kafka_nextgen.testing.kit.kafka_cluster import KafkaCluster
from kafka_nextgen.testing.kit.remote import RemoteBackend
from kafka_nextgen.transport.turned_clock import seconds_to_advance

__all__ = ["RealCluster"]


class RealCluster(KafkaCluster):
    """The methods of ``Cluster`` for a Kafka cluster that runs elsewhere.

        with RealCluster("localhost:9092") as cluster:
            cluster.create_topic("orders", partitions=6)
            cluster.produce("orders", [{"id": 1}])

    Args:
        bootstrap_servers: the ``bootstrap.servers`` for clients.
        config: other keys of a consumer's configuration, for TLS and SASL.
        settings: the same as keyword arguments.

    Raises:
        ConfigError: a setting is unknown or invalid.
        TypeError: an argument of this or another call has a wrong type.
        NoBrokersError: no broker answered within ten seconds.
    """

    def __init__(self, bootstrap_servers: str, config: Mapping[str, object] | None = None, **settings: object) -> None:
        super().__init__()
        self._bootstrap_servers = text("list of bootstrap servers", bootstrap_servers)
        given = {**mapping("config", config or {}), "bootstrap.servers": bootstrap_servers, **settings}
        self._remote: RemoteBackend | None = RemoteBackend(ConsumerConfig.parse(given))

    @property
    def bootstrap_servers(self) -> str:
        """The ``bootstrap.servers`` for clients."""
        return self._bootstrap_servers

    def create_topic(self, name: str, partitions: int = 1) -> None:
        """Create a topic, and wait until it can be written to. Raises BrokerError if the broker refuses."""
        self._backend().create_topic(text("topic", name), whole_number("partitions", partitions))

    def advance(self, seconds: float) -> None:
        """Wait in real time: tests can't advance a real Kafka's clock. Raises what ``Clock.advance`` raises."""
        self._backend()
        clocks.real_sleep(seconds_to_advance(seconds))

    def close(self) -> None:
        """Close all connections. May be called more than once."""
        remote, self._remote = self._remote, None
        if remote is not None:
            remote.close()

    if not TYPE_CHECKING:  # which would assume that every name exists

        def __getattr__(self, name: str) -> NoReturn:
            needs = "only the embedded broker has it: use Cluster, or the fixture kafka_cluster_factory"
            raise AttributeError(f"RealCluster has no {name}: {needs}")

    def _backend(self) -> RemoteBackend:
        if self._remote is None:
            raise MisuseError("this RealCluster is closed: create another")
        return self._remote

    def _pass_time(self, seconds: float) -> None:
        """Do nothing: a real cluster follows the real time."""

    def __enter__(self) -> RealCluster:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
