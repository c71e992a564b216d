"""CreateTopics and CreatePartitions: create topics, or add partitions to them (KIP-195).

-1 partitions or replicas mean the broker's default (KIP-464). A request may place the replicas itself; CreateTopics
then leaves both numbers at -1. There is one copy of every record, which all nodes share: replicas are stored as numbers
so that clients see what they requested. Any node does the controller's work. As in Kafka, a request for more than
10,000 partitions creates none, and ``validate_only`` changes nothing and returns the same errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar
from uuid import uuid4

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.broker.configs.keys import Source
from kafka_nextgen.testing.broker.configs.topics import topic_config_complaint
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.refusal import Refusal, error_fields
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.broker.topic import Topic
from kafka_nextgen.testing.broker.topic_settings import TopicSettings, topic_keys
from kafka_nextgen.testing.broker.topics import MAX_PARTITIONS
from kafka_nextgen.wire import messages as m

__all__ = ["create_partitions", "create_topics"]

_AskedTopic = m.CreateTopicsRequest.CreatableTopic
_Result = m.CreateTopicsResponse.CreatableTopicResult
_Config = _Result.CreatableTopicConfigs

_TWICE = Refusal(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
_TOO_MANY = Refusal(ErrorCode.POLICY_VIOLATION, "Excessively large number of partitions per request.")

_GrownTopic = m.CreatePartitionsRequest.CreatePartitionsTopic
_GrownResult = m.CreatePartitionsResponse.CreatePartitionsTopicResult

_Asked = TypeVar("_Asked", _AskedTopic, _GrownTopic)
_Answer = TypeVar("_Answer", _Result, _GrownResult)

#: The nodes of each partition's replicas, leader first.
_Replicas = tuple[tuple[int, ...], ...]


async def create_topics(request: m.CreateTopicsRequest, context: Context) -> m.CreateTopicsResponse:
    """Create the topics that are valid; return a result for each."""
    default = context.cluster.settings.num_partitions
    if sum(_partitions(topic, default) for topic in request.topics) > MAX_PARTITIONS:
        return m.CreateTopicsResponse(topics=_each(request.topics, lambda topic: _refused(topic.name, _TOO_MANY)))
    created = _each(request.topics, lambda topic: _create(topic, context, request.validate_only), _refused)
    return m.CreateTopicsResponse(topics=created)


def _each(
    topics: Sequence[_Asked],
    answer: Callable[[_Asked], _Answer],
    refused: Callable[[str, Refusal], _Answer] | None = None,
) -> list[_Answer]:
    """Answer each topic once; with ``refused``, refuse topics that the request names twice."""
    counts = Counter(topic.name for topic in topics)
    return [
        answer(topic) if refused is None or counts[name] == 1 else refused(name, _TWICE)
        for name, topic in {topic.name: topic for topic in topics}.items()
    ]


def _partitions(asked: _AskedTopic, default: int) -> int:
    if asked.assignments:
        return len(asked.assignments)
    return default if asked.num_partitions == -1 else max(0, asked.num_partitions)


def _create(asked: _AskedTopic, context: Context, validate_only: bool) -> _Result:
    cluster = context.cluster
    if not (context.may(Right.CREATE_IN_CLUSTER) or context.may(Right.CREATE_TOPIC, asked.name)):
        return _refused(asked.name, Refusal(Right.CREATE_TOPIC.error, "Authorization failed."))
    replicas = cluster.topics.creation_complaint(asked.name) or _replicas(asked, cluster)
    if isinstance(replicas, Refusal):
        return _refused(asked.name, replicas)
    settings = cluster.topic_settings({config.name: config.value or "" for config in asked.configs})
    topic_id = uuid4()  # reported if nothing is created
    if not validate_only:
        topic_id = cluster.topics.create(asked.name, replicas, settings).topic_id
    result = _Result(name=asked.name, topic_id=topic_id, **error_fields(None), configs=[])
    if not context.may(Right.DESCRIBE_TOPIC_CONFIGS, asked.name):
        return result.replaced(topic_config_error_code=Right.DESCRIBE_TOPIC_CONFIGS.error)
    return result.replaced(
        num_partitions=len(replicas),
        replication_factor=len(replicas[0]),
        configs=[_config(key, settings) for key in topic_keys(cluster.settings.profile)],
    )


def _replicas(asked: _AskedTopic, cluster: Cluster) -> _Replicas | Refusal:
    wrong = topic_config_complaint({config.name: config.value for config in asked.configs}, cluster.settings.profile)
    if wrong is not None:
        return Refusal(ErrorCode.INVALID_CONFIG, wrong)
    return _assigned(asked, cluster) if asked.assignments else _spread(asked, cluster)


def _spread(asked: _AskedTopic, cluster: Cluster) -> _Replicas | Refusal:
    count = cluster.settings.num_partitions if asked.num_partitions == -1 else asked.num_partitions
    factor = cluster.settings.default_replication_factor if asked.replication_factor == -1 else asked.replication_factor
    if factor <= 0:
        return Refusal(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            "Replication factor must be larger than 0, or -1 to use the default value.",
        )
    if count <= 0:
        return Refusal(ErrorCode.INVALID_PARTITIONS, f"Partitions must be 1 or more, not {count}.")
    if factor > len(cluster.nodes):
        return Refusal(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"Replication factor {factor} is larger than the number of brokers, {len(cluster.nodes)}.",
        )
    return cluster.topics.placement(count, factor)


def _assigned(asked: _AskedTopic, cluster: Cluster) -> _Replicas | Refusal:
    if asked.num_partitions != -1 or asked.replication_factor != -1:
        return Refusal(ErrorCode.INVALID_REQUEST, "With assigned replicas, both numbers must be -1.")
    by_index = {assignment.partition_index: assignment.broker_ids for assignment in asked.assignments}
    if sorted(by_index) != list(range(len(asked.assignments))):
        return Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, "Partitions must be numbered from 0 without gaps.")
    return _as_assigned([by_index[i] for i in range(len(by_index))], cluster)


def _config(key: str, settings: TopicSettings) -> _Config:
    source = Source.TOPIC if key in settings.overrides else Source.DEFAULT
    return _Config(name=key, value=settings.value(key), read_only=False, config_source=source, is_sensitive=False)


def _refused(name: str, refusal: Refusal) -> _Result:
    return _Result(name=name, **error_fields(refusal), configs=[])


async def create_partitions(request: m.CreatePartitionsRequest, context: Context) -> m.CreatePartitionsResponse:
    """Add the partitions that are valid; return a result for each topic."""
    if sum(_new_partitions(topic, context.cluster) for topic in request.topics) > MAX_PARTITIONS:
        refusal = Refusal(ErrorCode.INVALID_PARTITIONS, f"A request can create at most {MAX_PARTITIONS} partitions.")
        return m.CreatePartitionsResponse(results=_each(request.topics, lambda topic: _grown(topic.name, refusal)))
    grown = _each(request.topics, lambda topic: _grow(topic, context, request.validate_only), _grown)
    return m.CreatePartitionsResponse(results=grown)


def _new_partitions(asked: _GrownTopic, cluster: Cluster) -> int:
    topic = cluster.topics.named(asked.name)
    return 0 if topic is None else max(0, asked.count - len(topic.partitions))


def _grow(asked: _GrownTopic, context: Context, validate_only: bool) -> _GrownResult:
    cluster = context.cluster
    if not context.may(Right.ALTER_TOPIC, asked.name):
        return _grown(asked.name, Refusal(Right.ALTER_TOPIC.error, ""))
    topic = cluster.topics.named(asked.name)
    if topic is None:
        refusal = Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"There is no topic '{asked.name}'.")
        return _grown(asked.name, refusal)
    replicas = _new_replicas(asked, topic, cluster)
    if isinstance(replicas, Refusal):
        return _grown(asked.name, replicas)
    if not validate_only:
        cluster.topics.grow(topic, replicas)
    return _grown(asked.name, None)


def _new_replicas(asked: _GrownTopic, topic: Topic, cluster: Cluster) -> _Replicas | Refusal:
    has = len(topic.partitions)
    if asked.count <= has:
        return Refusal(
            ErrorCode.INVALID_PARTITIONS, f"The topic already has {has} partition(s); {asked.count} is not an increase."
        )
    if asked.assignments is None:
        return cluster.topics.placement(asked.count, topic.replication_factor, first=has)
    if len(asked.assignments) != asked.count - has:
        return Refusal(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"{len(asked.assignments)} assignment(s) do not match {asked.count - has} new partition(s).",
        )
    return _as_assigned([assignment.broker_ids for assignment in asked.assignments], cluster)


def _grown(name: str, refusal: Refusal | None) -> _GrownResult:
    if refusal is None:
        return _GrownResult(name=name, error_code=ErrorCode.NONE)
    return _GrownResult(name=name, error_code=refusal.code, error_message=refusal.message or None)


def _as_assigned(assignments: Sequence[Sequence[int]], cluster: Cluster) -> _Replicas | Refusal:
    """Use the replicas that a request assigned, partition by partition."""
    replicas = tuple(tuple(nodes) for nodes in assignments)
    for nodes in replicas:
        if not nodes or len(set(nodes)) < len(nodes) or len(nodes) != len(replicas[0]):
            text = f"replicas {list(nodes)} are empty, contain duplicates, or differ in number from the others"
            return Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, text)
        if unknown := set(nodes) - {node.node_id for node in cluster.nodes}:
            return Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"there is no broker {min(unknown)}")
    return replicas
