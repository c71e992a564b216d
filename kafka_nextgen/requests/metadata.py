"""Metadata, versions 1 to 13: the brokers, and the leader of each partition.

Topics can be requested by name or, from version 12 on, by id (KIP-516); answers contain ids from version 10 on. If
``topics`` is null, all topics are requested; an empty list requests only the brokers.

An answer covers only the requested topics, so ``merged`` combines it with the previous image. Brokers get new leaders
at different times. So, as long as a topic keeps its id, a partition's older leader epoch never replaces a newer one
(KIP-320).
"""

from __future__ import annotations

from collections.abc import Collection

from attrs import evolve

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.requests.cluster_image import Broker, ClusterImage, PartitionInfo, TopicInfo, check_address
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.messages import MetadataRequest, MetadataResponse

__all__ = ["Broker", "ClusterImage", "PartitionInfo", "TopicInfo", "from_response", "merged", "to_request"]

_Asked = MetadataRequest.MetadataRequestTopic
_Topic = MetadataResponse.MetadataResponseTopic
_Partition = _Topic.MetadataResponsePartition


def to_request(
    names: Collection[str] | None, topic_ids: Collection[TopicId] = (), allow_auto_topic_creation: bool = False
) -> MetadataRequest:
    """Request topics by name and by id (version 12 or later), or all (``names`` None)."""
    topics = None
    if names is not None:
        topics = [_Asked(name=name) for name in sorted(names)]
        topics += [_Asked(name=None, topic_id=topic_id) for topic_id in sorted(topic_ids)]
    return MetadataRequest(topics=topics, allow_auto_topic_creation=allow_auto_topic_creation)


def from_response(message: MetadataResponse) -> ClusterImage:
    """Read an answer. Raises ``DecodeError`` for invalid brokers and partitions."""
    brokers = {}
    for broker in message.brokers:
        check_address(broker.node_id, broker.host, broker.port)
        brokers[broker.node_id] = Broker(broker.node_id, broker.host, broker.port, broker.rack)
    topics = [_topic(topic) for topic in message.topics if topic.name is not None]
    return ClusterImage(
        cluster_id=message.cluster_id,
        controller_id=message.controller_id,
        brokers=brokers,
        topics_by_name={topic.name: topic for topic in topics},
        unknown_ids=frozenset(topic.topic_id for topic in message.topics if topic.name is None and topic.topic_id),
    )


def merged(known: ClusterImage, answer: ClusterImage) -> ClusterImage:
    """The new image: ``answer``, plus the topics of ``known`` that it does not mention."""
    topics = dict(known.topics_by_name)
    for name, topic in answer.topics_by_name.items():
        # A name refers to one topic at a time, so a topic that was known under an old id is dropped.
        topics[name] = _newest(topics.get(name), topic)
    topics = {name: topic for name, topic in topics.items() if topic.topic_id not in answer.unknown_ids}
    return evolve(answer, topics_by_name=topics)


def _newest(known: TopicInfo | None, answer: TopicInfo) -> TopicInfo:
    if known is None or known.topic_id != answer.topic_id or known.topic_id is None:
        return answer
    partitions = {
        number: known.partitions[number] if _is_older(partition, known.partitions.get(number)) else partition
        for number, partition in answer.partitions.items()
    }
    return evolve(answer, partitions=partitions)


def _is_older(answer: PartitionInfo, known: PartitionInfo | None) -> bool:
    return known is not None and 0 <= answer.leader_epoch < known.leader_epoch


def _topic(topic: _Topic) -> TopicInfo:
    assert topic.name is not None
    return TopicInfo(
        name=topic.name,
        topic_id=topic.topic_id,
        error=topic.error_code,
        is_internal=topic.is_internal,
        partitions={partition.partition_index: _partition(topic.name, partition) for partition in topic.partitions},
    )


def _partition(topic: str, partition: _Partition) -> PartitionInfo:
    if partition.partition_index < 0:
        raise DecodeError(f"the response to Metadata has the invalid partition {topic}[{partition.partition_index}]")
    return PartitionInfo(
        leader=partition.leader_id,
        leader_epoch=max(partition.leader_epoch, -1),
        replicas=tuple(partition.replica_nodes),
        offline=tuple(partition.offline_replicas),
        error=partition.error_code,
    )
