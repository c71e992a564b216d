"""Produce: append record batches to partitions, each independently; by topic id from version 13 on.

Since version 3 there is exactly one batch per partition and request. All replicas share one log, so ``acks`` -1
does not wait; but ``min.insync.replicas`` of them have to be in sync. ``acks`` 0 gets no response; as in Kafka, a
failure closes the connection.

From version 10 on the response of a node that does not lead a partition names the leader (KIP-951).
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.batch_checks import begins_corruptly, only_batch, unknown_codec
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.produced import Appended, append, at_start_of
from kafka_nextgen.testing.broker.refusal import CloseConnectionError, Refusal
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.broker.topic import Partition, Topic
from kafka_nextgen.testing.broker.transactions.partitions import admission
from kafka_nextgen.wire.messages import FetchResponse, ProduceRequest, ProduceResponse

__all__ = ["handle"]

_AskedTopic = ProduceRequest.TopicProduceData
_AskedPartition = _AskedTopic.PartitionProduceData
_Topic = ProduceResponse.TopicProduceResponse
_Partition = _Topic.PartitionProduceResponse
_Record = _Partition.BatchIndexAndErrorMessage
_Leader = FetchResponse.FetchableTopicResponse.PartitionData.LeaderIdAndEpoch
_Node = FetchResponse.NodeEndpoint

_WITH_TOPIC_IDS = 13
_ADMIN_CLIENT = "__admin_client"
_WITH_ZSTD = 7  # KIP-110
_WITH_LEADERS = 10
_ALL = -1
_ACKS = (_ALL, 0, 1)


@frozen
class _Terms:
    """The parameters that all batches of one request share."""

    transactional_id: str | None
    acks: int


async def handle(request: ProduceRequest, context: Context) -> ProduceResponse | None:
    """Append the valid batches; None if the client requested no response."""
    refusal = _refusal(request, context)
    terms = _Terms(_transactional_id(request, context), request.acks)
    topics = [_topic(topic, context, terms, refusal) for topic in request.topic_data]
    if request.acks != 0:
        return ProduceResponse(responses=topics, node_endpoints=_leaders(topics, context))
    for partition in (partition for topic in topics for partition in topic.partition_responses):
        if partition.error_code != ErrorCode.NONE:
            raise CloseConnectionError(f"Produce with acks=0 failed: {partition.error_message}")
    return None


def _transactional_id(request: ProduceRequest, context: Context) -> str | None:
    """The transactional id if the client may write with it. Records of transactions are refused without one."""
    told: str | None = request.transactional_id
    return None if told is None or not context.may(Right.WRITE_TRANSACTIONAL_ID, told) else told


def _refusal(request: ProduceRequest, context: Context) -> Refusal | None:
    """Why the whole request is refused: the first bytes for a partition can't be the start of a batch.

    In versions that lack zstd, the codec of each batch for a partition that the client may write to is checked too, and
    an unknown one fails the request (``ProduceRequest.validateRecords``).
    """
    sent = [(topic, data) for topic in request.topic_data for data in topic.partition_data]
    corrupt = next(filter(None, (begins_corruptly(_records(data)) for _, data in sent)), None)
    if corrupt or context.version >= _WITH_ZSTD:
        return corrupt
    looked_at = (_records(data) for topic, data in sent if _is_writable(topic, data, context))
    return next(filter(None, map(unknown_codec, looked_at)), None)


def _is_writable(asked: _AskedTopic, data: _AskedPartition, context: Context) -> bool:
    topic = context.cluster.topics.named(asked.name)
    return topic is not None and not _unauthorized(asked, topic, context) and topic.partition(data.index) is not None


def _topic(asked: _AskedTopic, context: Context, terms: _Terms, refusal: Refusal | None) -> _Topic:
    topics = context.cluster.topics
    by_id = context.version >= _WITH_TOPIC_IDS
    topic = topics.with_id(asked.topic_id) if by_id else topics.named(asked.name)
    refusal = refusal or _unauthorized(asked, topic, context)
    missing = ErrorCode.UNKNOWN_TOPIC_ID if by_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    unknown = Refusal(missing, "there is no such topic")
    return _Topic(
        name=asked.name,
        topic_id=asked.topic_id,
        partition_responses=[
            _appended(topic, data, context, terms)
            if topic and not refusal
            else _partition(data.index, refusal or unknown)
            for data in asked.partition_data
        ],
    )


def _appended(topic: Topic, data: _AskedPartition, context: Context, terms: _Terms) -> _Partition:
    """Append the batch of a partition; if another node leads it, name that node in the response (KIP-951)."""
    answer = _partition(data.index, _append(topic, data, context, terms))
    if answer.error_code != ErrorCode.NOT_LEADER_OR_FOLLOWER or context.version < _WITH_LEADERS:
        return answer
    partition = topic.partitions[data.index]
    if partition.leader is None:
        return answer
    return answer.replaced(current_leader=_Leader(leader_id=partition.leader, leader_epoch=partition.leader_epoch))


def _unauthorized(asked: _AskedTopic, topic: Topic | None, context: Context) -> Refusal | None:
    name = asked.name if topic is None else topic.name
    if not name or context.may(Right.WRITE_TOPIC, name):
        return None
    return Refusal(Right.WRITE_TOPIC.error, f"the client may not write to topic {name}")


def _internal(topic: Topic, context: Context) -> Refusal | None:
    """Refuse internal topics; as in Kafka, one client id may write to them."""
    if not topic.is_internal or context.client_id == _ADMIN_CLIENT:
        return None
    return Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, f"Cannot append to internal topic {topic.name}")


def _append(topic: Topic, data: _AskedPartition, context: Context, terms: _Terms) -> Appended | Refusal:
    partition = topic.partition(data.index)
    if partition is None:
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"topic {topic.name} has no partition {data.index}")
    batch = only_batch(_records(data), allow_zstd=context.version >= _WITH_ZSTD)
    if isinstance(batch, Refusal):
        return batch
    refusal = _wrong_acks(terms) or _internal(topic, context) or _not_led(topic, partition, context, terms)
    if refusal is not None:
        return refusal
    return append(
        topic.settings,
        partition,
        batch,
        context.cluster.now_ms(),
        admission(context.cluster.transactions, terms.transactional_id, partition.log.partition, context.version),
    )


def _records(data: _AskedPartition) -> bytes:
    return data.records or b""


def _wrong_acks(terms: _Terms) -> Refusal | None:
    if terms.acks in _ACKS:
        return None
    return Refusal(ErrorCode.INVALID_REQUIRED_ACKS, f"acks must be -1, 0 or 1, not {terms.acks}")


def _not_led(topic: Topic, partition: Partition, context: Context, terms: _Terms) -> Refusal | None:
    error = context.leadership_error(partition)
    if error is not ErrorCode.NONE:
        return Refusal(error, f"{partition.log.partition} is led by broker {partition.leader}")
    if terms.acks == _ALL and topic.lacks_replicas(partition):
        text = f"{partition.log.partition} has only {partition.isr} in sync, fewer than min.insync.replicas requires"
        return at_start_of(partition, Refusal(ErrorCode.NOT_ENOUGH_REPLICAS, text))
    return None


def _leaders(topics: Sequence[_Topic], context: Context) -> list[_Node]:
    """The endpoints of the leaders that the partitions of ``topics`` name."""
    answers = (answer for topic in topics for answer in topic.partition_responses)
    leaders = {answer.current_leader.leader_id for answer in answers if answer.current_leader}
    nodes = map(context.cluster.node, sorted(leaders))
    return [_Node(node_id=node.node_id, **context.address_fields(node)) for node in nodes]


def _partition(index: int, result: Appended | Refusal) -> _Partition:
    if isinstance(result, Refusal):
        return _Partition(
            index=index,
            error_code=result.code,
            base_offset=-1,
            log_start_offset=result.log_start_offset,
            record_errors=[_Record(batch_index=at, batch_index_error_message=why) for at, why in result.records],
            error_message=result.message,
        )
    return _Partition(
        index=index,
        error_code=ErrorCode.NONE,
        base_offset=result.base_offset,
        log_append_time_ms=result.log_append_time,
        log_start_offset=result.log_start_offset,
    )
