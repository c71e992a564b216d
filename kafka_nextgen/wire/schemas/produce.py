"""Producing, and the producer state of partitions."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.wire.schema import Message, Structure, field
from kafka_nextgen.wire.schemas.fetch import FetchResponse

_Leader = FetchResponse.FetchableTopicResponse.PartitionData.LeaderIdAndEpoch
_Node = FetchResponse.NodeEndpoint


class ProduceRequest(Message, api_key=0, versions="3-13", flexible="9+"):
    """Append records to partitions."""

    class TopicProduceData(Structure):
        class PartitionProduceData(Structure):
            index: int = field("int32", "0+")
            records: bytes | None = field("records", "0+", nullable="0+")

        name: str = field("string", "0-12")
        topic_id: UUID | None = field("uuid", "13+")
        partition_data: Sequence[PartitionProduceData] = field([PartitionProduceData], "0+")

    transactional_id: str | None = field("string", "3+", nullable="3+", default=None)
    acks: int = field("int16", "0+")
    timeout_ms: int = field("int32", "0+")
    topic_data: Sequence[TopicProduceData] = field([TopicProduceData], "0+")


class ProduceResponse(Message, api_key=0, versions="3-13", flexible="9+"):
    """The offset of the first record in each partition."""

    class TopicProduceResponse(Structure):
        class PartitionProduceResponse(Structure):
            class BatchIndexAndErrorMessage(Structure):
                batch_index: int = field("int32", "8+")
                batch_index_error_message: str | None = field("string", "8+", nullable="8+", default=None)

            index: int = field("int32", "0+")
            error_code: int = field("int16", "0+")
            base_offset: int = field("int64", "0+")
            log_append_time_ms: int = field("int64", "2+", default=-1)
            log_start_offset: int = field("int64", "5+", default=-1)
            record_errors: Sequence[BatchIndexAndErrorMessage] = field([BatchIndexAndErrorMessage], "8+")
            error_message: str | None = field("string", "8+", nullable="8+", default=None)
            current_leader: _Leader | None = field(_Leader, "10+", tag=0)

        name: str = field("string", "0-12")
        topic_id: UUID | None = field("uuid", "13+")
        partition_responses: Sequence[PartitionProduceResponse] = field([PartitionProduceResponse], "0+")

    responses: Sequence[TopicProduceResponse] = field([TopicProduceResponse], "0+")
    throttle_time_ms: int = field("int32", "1+")
    node_endpoints: Sequence[_Node] = field([_Node], "10+", tag=0)


class InitProducerIdRequest(Message, api_key=22, versions="0-5", flexible="2+"):
    """Request a producer id, and abort the producer's unfinished transaction (KIP-98)."""

    transactional_id: str | None = field("string", "0+", nullable="0+")
    transaction_timeout_ms: int = field("int32", "0+")
    producer_id: int = field("int64", "3+", default=-1)
    producer_epoch: int = field("int16", "3+", default=-1)


class InitProducerIdResponse(Message, api_key=22, versions="0-5", flexible="2+"):
    """The id and the epoch."""

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    producer_id: int = field("int64", "0+", default=-1)
    producer_epoch: int = field("int16", "0+")


class DescribeProducersRequest(Message, api_key=61, versions="0", flexible="0+"):
    """Describe the active producers of partitions (KIP-664)."""

    class TopicRequest(Structure):
        name: str = field("string", "0+")
        partition_indexes: Sequence[int] = field(["int32"], "0+")

    topics: Sequence[TopicRequest] = field([TopicRequest], "0+")


class DescribeProducersResponse(Message, api_key=61, versions="0", flexible="0+"):
    """The producers and their transactions."""

    class TopicResponse(Structure):
        class PartitionResponse(Structure):
            class ProducerState(Structure):
                producer_id: int = field("int64", "0+")
                producer_epoch: int = field("int32", "0+")
                last_sequence: int = field("int32", "0+", default=-1)
                last_timestamp: int = field("int64", "0+", default=-1)
                coordinator_epoch: int = field("int32", "0+")
                current_txn_start_offset: int = field("int64", "0+", default=-1)

            partition_index: int = field("int32", "0+")
            error_code: int = field("int16", "0+")
            error_message: str | None = field("string", "0+", nullable="0+", default=None)
            active_producers: Sequence[ProducerState] = field([ProducerState], "0+")

        name: str = field("string", "0+")
        partitions: Sequence[PartitionResponse] = field([PartitionResponse], "0+")

    throttle_time_ms: int = field("int32", "0+")
    topics: Sequence[TopicResponse] = field([TopicResponse], "0+")
