"""CreateTopics: create topics, each on its own; ``validate_only`` creates none and returns the same errors.

-1 partitions or replicas mean the broker's default (KIP-464). A request that places the replicas itself leaves both
numbers at -1. Any node does the controller's work. As in Kafka, a request for more than 10,000 partitions creates none.
"""

from __future__ import annotations

from collections import Counter
from uuid import uuid4

from attrs import frozen

from kafka_nextgen.broker.cluster import Cluster
from kafka_nextgen.broker.configs.topics import topic_config_complaint
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.placement import Replicas, as_assigned
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.broker.security.rights import CREATE_IN_CLUSTER, CREATE_TOPIC, DESCRIBE_TOPIC_CONFIGS
from kafka_nextgen.broker.topic_settings import TOPIC_KEYS, TopicSettings
from kafka_nextgen.broker.topics import MAX_PARTITIONS
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.messages import CreateTopicsRequest, CreateTopicsResponse

__all__ = ["handle"]

_AskedTopic = CreateTopicsRequest.CreatableTopic
_Result = CreateTopicsResponse.CreatableTopicResult
_Config = _Result.CreatableTopicConfigs

_TOPIC_CONFIG = 1  # Kafka's ConfigSource: set on the topic
_DEFAULT_CONFIG = 5

_TOO_MANY = Refusal(ErrorCode.POLICY_VIOLATION, "Excessively large number of partitions per request.")


@frozen
class _Plan:
    replicas: Replicas
    settings: TopicSettings


async def handle(request: CreateTopicsRequest, context: Context) -> CreateTopicsResponse:
    """Create the topics that are valid; return a result for each."""
    counts = Counter(topic.name for topic in request.topics)
    default = context.cluster.settings.num_partitions
    if sum(_partitions(topic, default) for topic in request.topics) > MAX_PARTITIONS:
        return CreateTopicsResponse(topics=[_refused(name, _TOO_MANY) for name in counts])
    return CreateTopicsResponse(
        topics=[
            _create(topic, context, request.validate_only)
            if counts[name] == 1
            else _refused(name, Refusal(ErrorCode.INVALID_REQUEST, "Duplicate topic name."))
            for name, topic in {topic.name: topic for topic in request.topics}.items()
        ]
    )


def _partitions(asked: _AskedTopic, default: int) -> int:
    if asked.assignments:
        return len(asked.assignments)
    return default if asked.num_partitions == -1 else max(0, asked.num_partitions)


def _create(asked: _AskedTopic, context: Context, validate_only: bool) -> _Result:
    cluster = context.cluster
    if not (context.may(CREATE_IN_CLUSTER) or context.may(CREATE_TOPIC, asked.name)):
        return _refused(asked.name, Refusal(CREATE_TOPIC.error, "Authorization failed."))
    plan = cluster.topics.creation_complaint(asked.name) or _planned(asked, cluster)
    if isinstance(plan, Refusal):
        return _refused(asked.name, plan)
    topic_id = uuid4()  # reported if nothing is created
    if not validate_only:
        topic_id = cluster.topics.create(asked.name, plan.replicas, plan.settings).topic_id
    if context.may(DESCRIBE_TOPIC_CONFIGS, asked.name):
        return _result(asked.name, topic_id, plan)
    return _without_configs(asked.name, topic_id)


def _planned(asked: _AskedTopic, cluster: Cluster) -> _Plan | Refusal:
    overrides = {config.name: config.value for config in asked.configs}
    wrong = topic_config_complaint(overrides, cluster.settings.profile)
    if wrong is not None:
        return Refusal(ErrorCode.INVALID_CONFIG, wrong)
    replicas = _assigned(asked, cluster) if asked.assignments else _spread(asked, cluster)
    if isinstance(replicas, Refusal):
        return replicas
    return _Plan(
        replicas, cluster.topic_settings({name: value for name, value in overrides.items() if value is not None})
    )


def _spread(asked: _AskedTopic, cluster: Cluster) -> Replicas | Refusal:
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
            f"Replication factor {factor} is not within the {len(cluster.nodes)} broker(s) there are.",
        )
    return cluster.topics.placement(count, factor)


def _assigned(asked: _AskedTopic, cluster: Cluster) -> Replicas | Refusal:
    if asked.num_partitions != -1 or asked.replication_factor != -1:
        return Refusal(ErrorCode.INVALID_REQUEST, "Assigned replicas leave both numbers at -1.")
    by_index = {assignment.partition_index: assignment.broker_ids for assignment in asked.assignments}
    if sorted(by_index) != list(range(len(asked.assignments))):
        return Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, "Partitions must be numbered from 0 without gaps.")
    return as_assigned([by_index[i] for i in range(len(by_index))], [node.node_id for node in cluster.nodes])


def _result(name: str, topic_id: TopicId, plan: _Plan) -> _Result:
    return _Result(
        name=name,
        topic_id=topic_id,
        error_code=ErrorCode.NONE,
        error_message=None,
        num_partitions=len(plan.replicas),
        replication_factor=len(plan.replicas[0]),
        configs=[_config(key, plan.settings) for key in TOPIC_KEYS],
    )


def _without_configs(name: str, topic_id: TopicId) -> _Result:
    return _Result(
        name=name,
        topic_id=topic_id,
        error_code=ErrorCode.NONE,
        error_message=None,
        topic_config_error_code=DESCRIBE_TOPIC_CONFIGS.error,
        configs=[],
    )


def _config(key: str, settings: TopicSettings) -> _Config:
    source = _TOPIC_CONFIG if key in settings.overrides else _DEFAULT_CONFIG
    return _Config(name=key, value=settings.value(key), read_only=False, config_source=source, is_sensitive=False)


def _refused(name: str, refusal: Refusal) -> _Result:
    return _Result(name=name, error_code=refusal.code, error_message=refusal.message, configs=[])
