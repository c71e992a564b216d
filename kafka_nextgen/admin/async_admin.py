"""What the admins of groups and of topics have in common: connections, the deadline of a call, and closing."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from kafka_nextgen.admin.requests import AdminCall
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.application.arguments import checked_seconds
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.cluster_queries import ClusterQueries
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.waiting import Deadline

if TYPE_CHECKING:
    from typing_extensions import Unpack  # type checkers know it, even if not installed

    from kafka_nextgen.config.settings import ConsumerSettings

__all__ = ["AsyncAdmin"]

A = TypeVar("A", bound="AsyncAdmin")


class AsyncAdmin:
    """Calls to one cluster, on one event loop. Takes a consumer's configuration."""

    def __init__(
        self, config: Mapping[str, object] | ConsumerConfig | None = None, **settings: Unpack[ConsumerSettings]
    ) -> None:
        self._config = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        self._cluster: ClusterClient | None = None
        self._closed = False

    async def __aenter__(self: A) -> A:
        self._open()  # reports wrong TLS settings before the first call
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def cluster_id(self, timeout: float | None = None) -> str | None:
        """Return the cluster's id; None if its brokers have none."""
        call = await self._begin("the cluster's id", timeout)
        return call.cluster.metadata.cluster_id

    async def close(self) -> None:
        """Close all connections; calls in progress end with DisconnectedError."""
        self._closed = True
        if self._cluster is not None:
            await self._cluster.close()

    def _open(self) -> ClusterClient:
        if self._closed:
            raise MisuseError(f"this {type(self).__name__} is closed")
        if self._cluster is None:  # not in __init__, because connections belong to the running loop
            self._cluster = ClusterClient(TransportSettings.of(self._config))
        return self._cluster

    def _call(self, what: str, timeout: float | None) -> AdminCall:
        cluster, config = self._open(), self._config
        limit_s = config.default_api_timeout_ms / 1000 if timeout is None else checked_seconds(timeout)
        queries = ClusterQueries(cluster, config)
        return AdminCall(cluster, queries, config.request_timeout_ms / 1000, Deadline(limit_s, what))

    async def _begin(self, what: str, timeout: float | None) -> AdminCall:
        """Start a call. If no broker can be reached, the first call fails here, before its deadline."""
        call = self._call(what, timeout)
        if not call.cluster.metadata.brokers:
            await call.cluster.refresh_metadata(topics=(), timeout_s=call.deadline.left_s())
        return call
