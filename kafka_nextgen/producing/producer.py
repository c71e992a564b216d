"""A producer that writes batches of records to one topic and returns their offsets.

A batch refused with a retriable error is sent again, because a refused batch was not written. After a lost connection
or a missing answer, the batch may have been written. The producer is not idempotent, so it raises an error instead of
writing twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from attrs import evolve

from kafka_nextgen.codes import is_retriable, name_of
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import BrokerError, TopicAuthorizationError
from kafka_nextgen.producing.partitioner import Partitioner
from kafka_nextgen.requests import create_topics
from kafka_nextgen.requests.cluster_image import TopicInfo
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.targets import ANY, Node
from kafka_nextgen.transport.waiting import Deadline
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.apis import CREATE_TOPICS, PRODUCE, Api
from kafka_nextgen.wire.messages import CreateTopicsResponse, ProduceRequest, ProduceResponse
from kafka_nextgen.wire.records import Compression, NewRecord, encode_batch

__all__ = ["ACKS_ALL", "Producer", "connect"]

ACKS_ALL = -1
RETRY_PAUSE_S = 0.1

#: The first version of Produce that identifies topics by id (KIP-516).
_BY_ID = 13
_AUTHORIZATION = 29
_Topic = ProduceRequest.TopicProduceData
_Partition = _Topic.PartitionProduceData

#: The answer for one partition.
_WriteAnswer: TypeAlias = ProduceResponse.TopicProduceResponse.PartitionProduceResponse


async def connect(config: ConsumerConfig, timeout_s: float) -> ClusterClient:
    """Start a client of the cluster, with the brokers and connection settings of a consumer's configuration.

    Raises ConfigError for unreadable files, AuthenticationError, and NoBrokersError or RequestTimeoutError within
    ``timeout_s`` seconds if no broker is reachable.
    """
    settings = evolve(
        TransportSettings.of(config),
        default_timeout_s=timeout_s,
        request_timeout_s=timeout_s,
        setup_timeout_s=timeout_s,
    )
    cluster = ClusterClient(settings)
    try:
        await cluster.start(keep_trying=True)
    except BaseException:
        await cluster.close()
        raise
    return cluster


class Producer:
    """Writes to one topic over ``cluster``; ``timeout_s`` bounds each ``send``, in seconds.

    ``acks`` is 1, or ACKS_ALL for all in-sync replicas.
    """

    def __init__(
        self,
        cluster: ClusterClient,
        topic: str,
        *,
        compression: Compression = Compression.NONE,
        acks: int = ACKS_ALL,
        timeout_s: float = 30.0,
    ) -> None:
        self._cluster = cluster
        self._topic = topic
        self._compression = compression
        self._acks = acks
        self._timeout_s = timeout_s
        self._partitioner: Partitioner | None = None
        cluster.allow_topic_creation([topic])

    async def create_topic(self, partitions: int) -> None:
        """Create the topic. Raises BrokerError if the broker refuses."""
        answer = await self._cluster.call(
            ANY,
            CREATE_TOPICS,
            lambda version: create_topics.to_request(
                [create_topics.NewTopic(self._topic, partitions)], self._timeout_s
            ),
            self._timeout_s,
        )
        assert isinstance(answer, CreateTopicsResponse)
        _check_created(answer)

    async def partition_count(self) -> int:
        """Return the number of the topic's partitions, waiting while the broker is still creating the topic.

        Raises BrokerError if the topic can't be written to, and RequestTimeoutError.
        """
        return len((await self._metadata(Deadline(self._timeout_s, f"looking up topic {self._topic}"))).partitions)

    async def send(self, records: Sequence[NewRecord]) -> list[tuple[int, int]]:
        """Write the records; return the partition and offset of each, in the order of the records.

        Raises BrokerError for a refusal that is not retriable, RequestTimeoutError, and DisconnectedError. After the
        last two some of the records may have been written.
        """
        deadline = Deadline(self._timeout_s, f"writing to topic {self._topic}")
        partitions = await self._partitions_of(records, deadline)
        waiting: dict[int, list[NewRecord]] = {}
        for record, partition in zip(records, partitions, strict=True):
            waiting.setdefault(partition, []).append(record)
        bases = await self._send_all(waiting, deadline)
        counted: list[tuple[int, int]] = []
        for partition in partitions:
            counted.append((partition, bases[partition]))
            bases[partition] += 1
        return counted

    async def _send_all(self, waiting: dict[int, list[NewRecord]], deadline: Deadline) -> dict[int, int]:
        batches = {partition: encode_batch(some, self._compression) for partition, some in waiting.items()}
        return await self._write(batches, PRODUCE, None, deadline)

    async def write(
        self, batches: Mapping[int, bytes], api: Api = PRODUCE, transactional_id: str | None = None
    ) -> dict[int, int]:
        """Write encoded batches, by partition, with a version of ``api``; return their base offsets.

        Raises the errors of ``send``.
        """
        deadline = Deadline(self._timeout_s, f"writing to topic {self._topic}")
        return await self._write(batches, api, transactional_id, deadline)

    async def _write(
        self, given: Mapping[int, bytes], api: Api, transactional_id: str | None, deadline: Deadline
    ) -> dict[int, int]:
        batches = dict(given)
        bases: dict[int, int] = {}
        while batches:
            refused = None
            for answer in await self._send_to_leaders(batches, api, transactional_id, deadline):
                if answer.error_code == 0:
                    bases[answer.index] = answer.base_offset
                    del batches[answer.index]
                elif is_retriable(answer.error_code):
                    refused = answer
                else:
                    raise _write_error(self._topic, answer)
            if batches:
                why = "no leader" if refused is None else name_of(refused.error_code)
                await deadline.pause(RETRY_PAUSE_S, why)
                await self._refresh(deadline)
        return bases

    async def _send_to_leaders(
        self, batches: dict[int, bytes], api: Api, transactional_id: str | None, deadline: Deadline
    ) -> list[_WriteAnswer]:
        topic = await self._metadata(deadline)
        by_leader: dict[int, dict[int, bytes]] = {}
        for partition, batch in batches.items():
            leader = self._cluster.metadata.leader_of(TopicPartition(self._topic, partition))
            if leader is not None:
                by_leader.setdefault(leader.node_id, {})[partition] = batch
        sent = [
            self._send_to(Node(node_id), topic, share, api, transactional_id, deadline)
            for node_id, share in by_leader.items()
        ]
        return [answer for answers in await asyncio.gather(*sent) for answer in answers]

    async def _send_to(
        self,
        node: Node,
        topic: TopicInfo,
        batches: dict[int, bytes],
        api: Api,
        transactional_id: str | None,
        deadline: Deadline,
    ) -> list[_WriteAnswer]:
        left_s = max(0.001, deadline.left_s())
        response = await self._cluster.call(
            node,
            api,
            lambda version: _produce_request(topic, batches, self._acks, left_s, version, transactional_id),
            left_s,
        )
        assert isinstance(response, ProduceResponse)
        found = [one for answered in response.responses for one in answered.partition_responses]
        return [one for one in found if one.index in batches]

    async def _partitions_of(self, records: Sequence[NewRecord], deadline: Deadline) -> list[int]:
        if self._partitioner is None:
            self._partitioner = Partitioner(len((await self._metadata(deadline)).partitions))
        chosen = [self._partitioner.partition_of(record.key) for record in records]
        self._partitioner.batch_sent()
        return chosen

    async def _metadata(self, deadline: Deadline) -> TopicInfo:
        """The topic's metadata; waits while the broker is still creating the topic."""
        while True:
            topic = self._cluster.metadata.topics_by_name.get(self._topic)
            if topic is not None and not topic.error and topic.partitions:
                return topic
            code = 0 if topic is None else topic.error
            if code and not is_retriable(code):
                raise BrokerError(f"topic {self._topic} can't be written to ({name_of(code)})", code=code)
            if topic is not None:
                await deadline.pause(RETRY_PAUSE_S, name_of(code))
            await self._refresh(deadline)

    async def _refresh(self, deadline: Deadline) -> None:
        await self._cluster.refresh_metadata([self._topic], timeout_s=max(0.001, deadline.left_s()))


def _produce_request(
    topic: TopicInfo,
    batches: Mapping[int, bytes],
    acks: int,
    timeout_s: float,
    version: int,
    transactional_id: str | None,
) -> ProduceRequest:
    named = {"topic_id": topic.topic_id} if version >= _BY_ID else {"name": topic.name}
    data = [_Partition(index=partition, records=batch) for partition, batch in batches.items()]
    return ProduceRequest(
        transactional_id=transactional_id,
        acks=acks,
        timeout_ms=int(timeout_s * 1000),
        topic_data=[_Topic(partition_data=data, **named)],
    )


def _write_error(topic: str, answer: _WriteAnswer) -> BrokerError:
    partition = TopicPartition(topic, answer.index)
    kind = TopicAuthorizationError if answer.error_code == _AUTHORIZATION else BrokerError
    return kind(
        f"{partition}: the broker refused the records {_reason(answer.error_code, answer.error_message)}",
        code=answer.error_code,
        retriable=is_retriable(answer.error_code),
        partition=partition,
    )


def _check_created(response: CreateTopicsResponse) -> None:
    for topic in response.topics:
        if topic.error_code:
            raise BrokerError(
                f"topic {topic.name} was not created {_reason(topic.error_code, topic.error_message)}",
                code=topic.error_code,
                retriable=is_retriable(topic.error_code),
            )


def _reason(code: int, message: str | None) -> str:
    return f"({name_of(code)}): {message}" if message else f"({name_of(code)})"
