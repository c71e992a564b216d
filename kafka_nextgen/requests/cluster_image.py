"""A cluster at one moment as its brokers describe it: brokers, topics, partitions and their leaders."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["LOOKS", "Broker", "ClusterImage", "PartitionInfo", "TopicInfo", "check_address"]

#: How many times a topic is looked up before it counts as missing, since new topics reach a broker with some delay.
LOOKS = 3
_HIGHEST_PORT = 65535

_NO_SUCH_TOPIC = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})


@frozen
class Broker:
    """A broker's address, and its rack if it has one."""

    node_id: int
    host: str
    port: int
    rack: str | None = None


def check_address(node_id: int, host: str, port: int) -> None:
    """Raise ``DecodeError`` for an invalid broker address."""
    if node_id < 0 or not host or not 0 < port <= _HIGHEST_PORT:
        raise DecodeError(f"broker {node_id} has the invalid address {host!r}, port {port}")


@frozen
class PartitionInfo:
    """A partition: its leader's node id (-1 for none) and epoch (-1 if unknown), replicas, offline replicas, and error
    code.
    """

    leader: int
    leader_epoch: int = -1
    replicas: tuple[int, ...] = ()
    offline: tuple[int, ...] = ()
    error: int = ErrorCode.NONE


@frozen
class TopicInfo:
    """A topic: its id (None from brokers before version 10), error code (0 for none) and partitions by number."""

    name: str
    topic_id: TopicId | None
    error: int = ErrorCode.NONE
    partitions: Mapping[int, PartitionInfo] = field(factory=dict)
    is_internal: bool = False


@frozen
class ClusterImage:
    """Everything known about a cluster; ``unknown_ids`` are requested topic ids that do not exist."""

    cluster_id: str | None = None
    controller_id: int = -1
    brokers: Mapping[int, Broker] = field(factory=dict)
    topics_by_name: Mapping[str, TopicInfo] = field(factory=dict)
    unknown_ids: frozenset[TopicId] = frozenset()
    topics_by_id: Mapping[TopicId, TopicInfo] = field(init=False, repr=False, eq=False)

    @topics_by_id.default
    def _by_id(self) -> Mapping[TopicId, TopicInfo]:
        return {topic.topic_id: topic for topic in self.topics_by_name.values() if topic.topic_id is not None}

    def partition(self, partition: TopicPartition) -> PartitionInfo | None:
        """The partition, if it exists."""
        topic = self.topics_by_name.get(partition.topic)
        return None if topic is None else topic.partitions.get(partition.partition)

    def why_missing(self, partition: TopicPartition) -> str | None:
        """The reason why the partition does not exist, as text; None if it exists, or might exist."""
        topic = self.topics_by_name.get(partition.topic)
        if topic is None:
            return None
        if topic.error in _NO_SUCH_TOPIC:
            return "the topic does not exist"
        has_it = topic.error != ErrorCode.NONE or partition.partition in topic.partitions
        return None if has_it else "its topic does not have this partition"

    def leader_of(self, partition: TopicPartition) -> Broker | None:
        """The broker that leads the partition, if there is one and it is online."""
        found = self.partition(partition)
        return None if found is None else self.brokers.get(found.leader)

    def is_online(self, partition: TopicPartition, node_id: int) -> bool:
        """Whether the node has a replica of the partition, and both are online."""
        found = self.partition(partition)
        return (
            found is not None and node_id in self.brokers and node_id in found.replicas and node_id not in found.offline
        )

    def name_of(self, topic_id: TopicId) -> str | None:
        """The name of the topic with this id, if it is known."""
        topic = self.topics_by_id.get(topic_id)
        return None if topic is None else topic.name

    def id_of(self, name: str) -> TopicId | None:
        """The id of the topic with this name, if it is known."""
        topic = self.topics_by_name.get(name)
        return None if topic is None else topic.topic_id
