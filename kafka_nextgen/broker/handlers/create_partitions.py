"""CreatePartitions: add partitions to topics (KIP-195).

A request may place the replicas of the new partitions itself.
"""

from __future__ import annotations

from collections import Counter

from kafka_nextgen.broker.cluster import Cluster
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.placement import Replicas, as_assigned
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.broker.security.rights import ALTER_TOPIC
from kafka_nextgen.broker.topic import Topic
from kafka_nextgen.broker.topics import MAX_PARTITIONS
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import CreatePartitionsRequest, CreatePartitionsResponse

__all__ = ["handle"]

_AskedTopic = CreatePartitionsRequest.CreatePartitionsTopic
_Result = CreatePartitionsResponse.CreatePartitionsTopicResult


async def handle(request: CreatePartitionsRequest, context: Context) -> CreatePartitionsResponse:
    """Add the partitions that are valid; return a result for each topic."""
    counts = Counter(topic.name for topic in request.topics)
    if sum(_new_partitions(topic, context.cluster) for topic in request.topics) > MAX_PARTITIONS:
        refusal = Refusal(ErrorCode.INVALID_PARTITIONS, f"A request makes up to {MAX_PARTITIONS} partitions.")
        return CreatePartitionsResponse(results=[_result(name, refusal) for name in counts])
    return CreatePartitionsResponse(
        results=[
            _grow(topic, context, request.validate_only)
            if counts[name] == 1
            else _result(name, Refusal(ErrorCode.INVALID_REQUEST, "Duplicate topic name."))
            for name, topic in {topic.name: topic for topic in request.topics}.items()
        ]
    )


def _new_partitions(asked: _AskedTopic, cluster: Cluster) -> int:
    topic = cluster.topics.named(asked.name)
    return 0 if topic is None else max(0, asked.count - len(topic.partitions))


def _grow(asked: _AskedTopic, context: Context, validate_only: bool) -> _Result:
    cluster = context.cluster
    if not context.may(ALTER_TOPIC, asked.name):
        return _result(asked.name, Refusal(ALTER_TOPIC.error, ""))
    topic = cluster.topics.named(asked.name)
    if topic is None:
        refusal = Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"There is no topic '{asked.name}'.")
        return _result(asked.name, refusal)
    replicas = _replicas(asked, topic, cluster)
    if isinstance(replicas, Refusal):
        return _result(asked.name, replicas)
    if not validate_only:
        cluster.topics.grow(topic, replicas)
    return _result(asked.name, None)


def _replicas(asked: _AskedTopic, topic: Topic, cluster: Cluster) -> Replicas | Refusal:
    has = len(topic.partitions)
    if asked.count <= has:
        return Refusal(
            ErrorCode.INVALID_PARTITIONS, f"The topic has {has} partition(s) already; {asked.count} is no increase."
        )
    if asked.assignments is None:
        return cluster.topics.placement(asked.count, topic.replication_factor, first=has)
    if len(asked.assignments) != asked.count - has:
        return Refusal(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"{len(asked.assignments)} assignment(s) do not fit {asked.count - has} new partition(s).",
        )
    assigned = [assignment.broker_ids for assignment in asked.assignments]
    return as_assigned(assigned, [node.node_id for node in cluster.nodes])


def _result(name: str, refusal: Refusal | None) -> _Result:
    if refusal is None:
        return _Result(name=name, error_code=ErrorCode.NONE)
    return _Result(name=name, error_code=refusal.code, error_message=refusal.message or None)
