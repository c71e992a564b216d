"""Asks a leader where its log ends the epochs that were read (KIP-320)."""

from __future__ import annotations

from kafka_nextgen.bridge.offset_for_leader_epoch import EpochEnd, from_response, to_request
from kafka_nextgen.errors import UnsupportedProtocolError
from kafka_nextgen.fetching import NeedEpochEnds
from kafka_nextgen.transport.cluster import ClusterClient, Node
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import OFFSET_FOR_LEADER_EPOCH

__all__ = ["ask_epoch_ends"]

#: Before, it took the right to act for the cluster, which consumers do not have.
_FOR_CONSUMERS = 3


async def ask_epoch_ends(
    cluster: ClusterClient, need: NeedEpochEnds, timeout_s: float
) -> dict[TopicPartition, EpochEnd] | None:
    """Where the epochs end, None if the broker does not tell consumers.

    Raises ``TransportError`` and ``DecodeError``; error codes are in the answer.
    """
    api = OFFSET_FOR_LEADER_EPOCH.at_least(_FOR_CONSUMERS)
    try:
        message = await cluster.call(Node(need.node_id), api, lambda _: to_request(need.questions), timeout_s)
    except UnsupportedProtocolError:
        return None
    assert isinstance(message, m.OffsetForLeaderEpochResponse)
    return from_response(message, need.questions)
