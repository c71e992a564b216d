"""The context of one request: what its client may do, and which partitions and groups its node is responsible for.

A node refuses requests for partitions that another node leads, and for groups and transactions that another node
coordinates. Records can be read from any replica (KIP-392).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.broker.coordination.refusals import group_of, refuse
from kafka_nextgen.testing.broker.features import GROUP_VERSION
from kafka_nextgen.testing.broker.node import Node
from kafka_nextgen.testing.broker.peer import Peer
from kafka_nextgen.testing.broker.reading.asked import Asked
from kafka_nextgen.testing.broker.security.access import Access
from kafka_nextgen.testing.broker.security.acls import CLUSTER_NAME, Right
from kafka_nextgen.testing.broker.security.listeners import Endpoint
from kafka_nextgen.testing.broker.topic import Partition
from kafka_nextgen.testing.coordinator.requests import Request
from kafka_nextgen.testing.coordinator.responses import Response

__all__ = ["Context"]

_R = TypeVar("_R", bound=Response)

_FROM_FOLLOWERS = 11  # the first version of Fetch with a rack


@frozen
class Context:
    """The context of one request: the node that received it, the client, and the version.

    ``injected`` returns the error that a test injects for a partition of a fetch, NONE if there is none.
    """

    cluster: Cluster
    node: Node
    peer: Peer
    version: int = 0
    client_id: str = ""
    injected: Callable[[Asked], ErrorCode] | None = None

    @property
    def access(self) -> Access:
        """The client's permissions."""
        return Access(self.cluster.security.authorizer, self.peer.principal, self.peer.host)

    def may(self, right: Right, name: str = CLUSTER_NAME) -> bool:
        """Whether the client has this right on the resource with this name; rights on the cluster need no name."""
        return self.access.may(right, name)

    @property
    def user(self) -> str:
        """The client's user name, to which quotas apply."""
        return self.peer.principal.name

    @property
    def client_host(self) -> str:
        """The client's address, as Kafka writes it."""
        return f"/{self.peer.host}"

    def endpoint(self, node: Node) -> Endpoint:
        """The address of a node on the listener that this client uses (KIP-103)."""
        return node.endpoints[self.peer.listener.name]

    def address_fields(self, node: Node) -> dict[str, Any]:
        """The fields of a message that give a node's address."""
        endpoint = self.endpoint(node)
        return {"host": endpoint.host, "port": endpoint.port, "rack": node.rack}

    @property
    def has_consumer_protocol(self) -> bool:
        """Whether the feature ``group.version`` is on (KIP-848)."""
        return self.cluster.features.level(GROUP_VERSION) > 0

    @property
    def speaks_extensions(self) -> bool:
        """Whether both this broker and this client use the extensions that Apache Kafka never shipped."""
        return self.cluster.settings.extensions and self.peer.knows_extensions

    def coordinates(self, group_id: str) -> bool:
        """Whether this node is the group's coordinator."""
        return self.cluster.coordinator_of(group_id) is self.node

    def group_error(self, right: Right, group_id: str) -> ErrorCode | None:
        """Why this node refuses a request that needs ``right`` on the group; None if it does not."""
        if not self.may(right, group_id):
            return right.error
        return None if self.coordinates(group_id) else ErrorCode.NOT_COORDINATOR

    def ask_group(self, right: Right, request: Request, expected: type[_R]) -> _R:
        """Pass a request to the coordinator of its group, or refuse it if the client lacks ``right``.

        The response is of the ``expected`` class either way.
        """
        error = self.group_error(right, group_of(request))
        return self._ask_group(error, request, expected)

    def ask_consumer_group(self, right: Right, request: Request, expected: type[_R]) -> _R:
        """The same for requests of the consumer group protocol, which may be disabled."""
        if not self.has_consumer_protocol:
            return self._ask_group(ErrorCode.UNSUPPORTED_VERSION, request, expected)
        return self.ask_group(right, request, expected)

    def _ask_group(self, error: ErrorCode | None, request: Request, expected: type[_R]) -> _R:
        if error is None:
            return self.cluster.groups.ask(request, expected)
        refusal = refuse(request, error)
        assert isinstance(refusal, expected)
        return refusal

    def coordinates_transaction(self, transactional_id: str) -> bool:
        """Whether this node is the transactional id's coordinator."""
        return self.cluster.transaction_coordinator_of(transactional_id) is self.node

    def transaction_error(self, transactional_id: str) -> ErrorCode | None:
        """Why this node refuses a request about the transactional id; None if it does not."""
        if not transactional_id:
            return ErrorCode.INVALID_REQUEST
        return None if self.coordinates_transaction(transactional_id) else ErrorCode.NOT_COORDINATOR

    def led_partition(self, topic: str, index: int, known_epoch: int = -1) -> Partition | ErrorCode:
        """The partition if this node leads it at the epoch that the client knows, otherwise the error."""
        partition = self.cluster.topics.partition(topic, index)
        if partition is None:
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        error = self.leadership_error(partition, known_epoch)
        return partition if error is ErrorCode.NONE else error

    def leadership_error(self, partition: Partition, known_epoch: int = -1) -> ErrorCode:
        """NONE if this node leads the partition at the epoch the client knows (KIP-320; -1: any), otherwise the
        error."""
        if partition.leader != self.node.node_id:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return self._epoch_error(partition, known_epoch)

    def reading_error(self, partition: Partition, known_epoch: int = -1) -> ErrorCode:
        """NONE if this client can read the partition here, otherwise the error. With KIP-392, it can read any
        replica."""
        if self.version >= _FROM_FOLLOWERS and self.node.node_id in partition.replicas:
            return self._epoch_error(partition, known_epoch)
        return self.leadership_error(partition, known_epoch)

    def _epoch_error(self, partition: Partition, known_epoch: int) -> ErrorCode:
        if known_epoch < 0 or known_epoch == partition.leader_epoch:
            return ErrorCode.NONE
        if known_epoch < partition.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        return ErrorCode.UNKNOWN_LEADER_EPOCH
