"""List, describe, create and delete topics.

CreateTopics and DeleteTopics may be sent to any broker, which forwards them to the controller. These requests are never
repeated: if only the response was lost, the broker would refuse the second request. A topic is deleted by its id where
the broker allows this (Kafka 2.8), so that a topic that was created again under the same name is not deleted with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kafka_nextgen.admin.group_offsets import find_offsets
from kafka_nextgen.admin.requests import AdminCall, ErrorInResponse, broker_error
from kafka_nextgen.admin.values import Results
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.requests import create_topics, delete_topics, describe_configs, describe_topics, metadata
from kafka_nextgen.requests.describe_configs import DescribedConfig
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST
from kafka_nextgen.transport.cluster import ANY
from kafka_nextgen.types import TopicId, TopicPartition
from kafka_nextgen.wire.apis import CREATE_TOPICS, DELETE_TOPICS, DESCRIBE_CONFIGS, METADATA

if TYPE_CHECKING:
    from kafka_nextgen.groups.partition_results import PartitionResults
    from kafka_nextgen.requests.create_topics import CreatedTopic, NewTopic
    from kafka_nextgen.requests.describe_topics import DescribedPartition, DescribedTopic

__all__ = ["PartitionDetails", "TopicDetails", "create", "delete", "describe", "list_topics"]

#: The first version of Metadata whose requests can forbid the creation of topics.
_FIRST_METADATA_VERSION = 4

_ADVICE: dict[int, str] = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "list the topics to see which ones exist",
    ErrorCode.UNKNOWN_TOPIC_ID: "it was deleted, or created again, in the meantime",
    ErrorCode.TOPIC_ALREADY_EXISTS: "describe it to see its partitions and its configuration",
    ErrorCode.INVALID_TOPIC_EXCEPTION: "names can have up to 249 letters, digits, dots, underscores and hyphens",
}


@frozen
class PartitionDetails:
    """A partition: its leader's node id (None without one), replicas, and where its log begins and ends.

    ``error`` says why the offsets are None.
    """

    partition: int
    leader: int | None
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]
    start_offset: int | None
    end_offset: int | None
    error: KafkaNextgenError | None


@frozen
class TopicDetails:
    """A topic with its partitions, and with its configuration unless this client may not describe it."""

    name: str
    topic_id: TopicId | None
    is_internal: bool
    partitions: tuple[PartitionDetails, ...]
    config: tuple[DescribedConfig, ...]
    config_error: KafkaNextgenError | None

    @property
    def record_count(self) -> int | None:
        """The largest possible number of records: the sum of end offset minus start offset; None if one is unknown."""
        lengths = [
            None if each.start_offset is None or each.end_offset is None else each.end_offset - each.start_offset
            for each in self.partitions
        ]
        known = [length for length in lengths if length is not None]
        return sum(known) if len(known) == len(lengths) else None


async def list_topics(call: AdminCall) -> tuple[DescribedTopic, ...]:
    """Return all topics that this client may describe, sorted by name."""
    topics = await _metadata(call, None)
    return tuple(topic for topic in topics.values() if topic.error != ErrorCode.TOPIC_AUTHORIZATION_FAILED)


async def describe(call: AdminCall, names: Collection[str]) -> Results[str, TopicDetails]:
    """Describe these topics, each with its offsets and configuration."""
    topics = await _metadata(call, names)
    failed: dict[str, KafkaNextgenError] = {}
    found: list[DescribedTopic] = []
    for name in names:
        code = topics[name].error if name in topics else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if code in (ErrorCode.NONE, ErrorCode.LEADER_NOT_AVAILABLE):
            found.append(topics[name])
        else:
            failed[name] = _error(name, code)
    if not found:
        return Results({}, failed)
    partitions = [TopicPartition(topic.name, each.partition) for topic in found for each in topic.partitions]
    await call.cluster.refresh_metadata(topics=[topic.name for topic in found], timeout_s=call.deadline.left_s())
    starts, ends, configs = await asyncio.gather(
        find_offsets(call, dict.fromkeys(partitions, EARLIEST)),
        find_offsets(call, dict.fromkeys(partitions, LATEST)),
        asyncio.gather(*(_describe_config(call, topic.name) for topic in found)),
    )
    done = {
        topic.name: TopicDetails(
            topic.name,
            topic.topic_id,
            topic.is_internal,
            tuple(_details(topic.name, each, starts, ends) for each in topic.partitions),
            *config,
        )
        for topic, config in zip(found, configs, strict=True)
    }
    return Results(done, failed)


def _details(
    topic: str, partition: DescribedPartition, starts: PartitionResults[int], ends: PartitionResults[int]
) -> PartitionDetails:
    tp = TopicPartition(topic, partition.partition)
    return PartitionDetails(
        partition.partition,
        partition.leader if partition.leader >= 0 else None,
        partition.replicas,
        partition.in_sync,
        starts.get(tp),
        ends.get(tp),
        ends.failed.get(tp) or starts.failed.get(tp),
    )


async def _metadata(call: AdminCall, names: Collection[str] | None) -> dict[str, DescribedTopic]:
    return await call.send(
        "describing topics",
        ANY,
        METADATA.at_least(_FIRST_METADATA_VERSION),
        build=lambda version: metadata.to_request(names),
        read=describe_topics.from_response,
        error_in=lambda topics: (ErrorCode.NONE, None),
    )


async def _describe_config(call: AdminCall, name: str) -> tuple[tuple[DescribedConfig, ...], KafkaNextgenError | None]:
    """Return the configuration, or the error if this client may not describe it."""
    described = await call.send(
        f"topic {name}: describing its configuration",
        ANY,
        DESCRIBE_CONFIGS,
        build=lambda version: describe_configs.to_request(name, describe_configs.TOPIC),
        read=lambda response: describe_configs.from_response(response, name, describe_configs.TOPIC),
        error_in=lambda described: (ErrorCode.NONE, None),
    )
    error = _error(name, described.error, described.message) if described.error else None
    return tuple(sorted(described.configs, key=lambda config: config.name)), error


async def create(call: AdminCall, topics: Sequence[NewTopic], *, validate_only: bool) -> Results[str, CreatedTopic]:
    """Create the topics, or only check with ``validate_only`` whether they could be created."""
    timeout_s = call.attempt_timeout_s()
    created = await call.send(
        f"creating topics {', '.join(topic.name for topic in topics)}",
        ANY,
        CREATE_TOPICS,
        build=lambda version: create_topics.to_request(topics, timeout_s, validate_only=validate_only),
        read=lambda response: create_topics.from_response(response, [topic.name for topic in topics]),
        error_in=lambda created: _not_controller(topic.error for topic in created.values()),
        is_repeatable=validate_only,
    )
    return Results(
        {name: topic for name, topic in created.items() if not topic.error},
        {name: _error(name, topic.error, topic.message) for name, topic in created.items() if topic.error},
    )


async def delete(call: AdminCall, topics: Mapping[str, TopicId | None]) -> Results[str, None]:
    """Delete these topics with their records, by their ids if they are given."""
    timeout_s = call.attempt_timeout_s()
    deleted = await call.send(
        f"deleting topics {', '.join(topics)}",
        ANY,
        DELETE_TOPICS,
        build=lambda version: delete_topics.to_request(topics, timeout_s, version),
        read=lambda response: delete_topics.from_response(response, topics),
        error_in=lambda deleted: _not_controller(code for code, _ in deleted.values()),
        is_repeatable=False,
    )
    return Results(
        {name: None for name, (code, _) in deleted.items() if not code},
        {name: _error(name, code, message) for name, (code, message) in deleted.items() if code},
    )


def _not_controller(codes: Iterable[int]) -> ErrorInResponse:
    """Return the code of a broker that can't act, so that another one gets the request."""
    return (ErrorCode.NOT_CONTROLLER if ErrorCode.NOT_CONTROLLER in set(codes) else ErrorCode.NONE), None


def _error(name: str, code: int, message: str | None = None) -> KafkaNextgenError:
    return broker_error(f"topic {name}", code, message, advice=_ADVICE.get(code))
