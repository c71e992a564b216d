"""Whether what a member states as its reason to join is for its coordinator: Apache Kafka's are not told of it."""

from __future__ import annotations

from kafka_nextgen.transport.cluster import ClusterClient, Coordinator
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HISTORY, Api

__all__ = ["listens"]


async def listens(cluster: ClusterClient, group_id: str, api: Api, timeout_s: float) -> bool:
    """Whether the coordinator that ``api`` goes to remembers why its groups rebalance. Raises as the call itself."""
    return await cluster.supports(CONSUMER_GROUP_HISTORY, Coordinator(group_id), api, timeout_s)
