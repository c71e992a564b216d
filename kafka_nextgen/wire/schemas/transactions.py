"""Transactions (KIP-98)."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.wire.schema import Message, Structure, field
from kafka_nextgen.wire.schemas.offsets import OffsetDeleteResponse

_TopicResult = OffsetDeleteResponse.OffsetDeleteResponseTopic


class AddPartitionsToTxnTopic(Structure):
    """A topic in a request; the same in every version."""

    name: str = field("string", "0+")
    partitions: Sequence[int] = field(["int32"], "0+")


class AddPartitionsToTxnTopicResult(Structure):
    """A topic in a response; the same in every version."""

    class AddPartitionsToTxnPartitionResult(Structure):
        partition_index: int = field("int32", "0+")
        partition_error_code: int = field("int16", "0+")

    name: str = field("string", "0+")
    results_by_partition: Sequence[AddPartitionsToTxnPartitionResult] = field([AddPartitionsToTxnPartitionResult], "0+")


class AddPartitionsToTxnRequest(Message, api_key=24, versions="0-5", flexible="3+"):
    """Add partitions to a transaction."""

    class AddPartitionsToTxnTransaction(Structure):
        transactional_id: str = field("string", "4+")
        producer_id: int = field("int64", "4+")
        producer_epoch: int = field("int16", "4+")
        verify_only: bool = field("bool", "4+")
        topics: Sequence[AddPartitionsToTxnTopic] = field([AddPartitionsToTxnTopic], "4+")

    transactions: Sequence[AddPartitionsToTxnTransaction] = field([AddPartitionsToTxnTransaction], "4+")
    v3_and_below_transactional_id: str = field("string", "0-3")
    v3_and_below_producer_id: int = field("int64", "0-3")
    v3_and_below_producer_epoch: int = field("int16", "0-3")
    v3_and_below_topics: Sequence[AddPartitionsToTxnTopic] = field([AddPartitionsToTxnTopic], "0-3")


class AddPartitionsToTxnResponse(Message, api_key=24, versions="0-5", flexible="3+"):
    """Whether each partition was added."""

    class AddPartitionsToTxnResult(Structure):
        transactional_id: str = field("string", "4+")
        topic_results: Sequence[AddPartitionsToTxnTopicResult] = field([AddPartitionsToTxnTopicResult], "4+")

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "4+")
    results_by_transaction: Sequence[AddPartitionsToTxnResult] = field([AddPartitionsToTxnResult], "4+")
    results_by_topic_v3_and_below: Sequence[AddPartitionsToTxnTopicResult] = field(
        [AddPartitionsToTxnTopicResult], "0-3"
    )


class AddOffsetsToTxnRequest(Message, api_key=25, versions="0-4", flexible="3+"):
    """Add a group's offsets partition to a transaction."""

    transactional_id: str = field("string", "0+")
    producer_id: int = field("int64", "0+")
    producer_epoch: int = field("int16", "0+")
    group_id: str = field("string", "0+")


class AddOffsetsToTxnResponse(Message, api_key=25, versions="0-4", flexible="3+"):
    """Whether the group was added."""

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")


class EndTxnRequest(Message, api_key=26, versions="0-5", flexible="3+"):
    """Commit or abort a transaction."""

    transactional_id: str = field("string", "0+")
    producer_id: int = field("int64", "0+")
    producer_epoch: int = field("int16", "0+")
    committed: bool = field("bool", "0+")


class EndTxnResponse(Message, api_key=26, versions="0-5", flexible="3+"):
    """Whether the transaction ended; from version 5 on also the producer epoch for the next one (KIP-890)."""

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    producer_id: int = field("int64", "5+", default=-1)
    producer_epoch: int = field("int16", "5+", default=-1)


class TxnOffsetCommitRequest(Message, api_key=28, versions="0-6", flexible="3+"):
    """Commit offsets of a group as part of a transaction (KIP-447). From version 6 on, topics are given by id
    (KIP-1319)."""

    class TxnOffsetCommitRequestTopic(Structure):
        class TxnOffsetCommitRequestPartition(Structure):
            partition_index: int = field("int32", "0+")
            committed_offset: int = field("int64", "0+")
            committed_leader_epoch: int = field("int32", "2+", default=-1)
            committed_metadata: str | None = field("string", "0+", nullable="0+")

        name: str = field("string", "0-5")
        topic_id: UUID | None = field("uuid", "6+")
        partitions: Sequence[TxnOffsetCommitRequestPartition] = field([TxnOffsetCommitRequestPartition], "0+")

    transactional_id: str = field("string", "0+")
    group_id: str = field("string", "0+")
    producer_id: int = field("int64", "0+")
    producer_epoch: int = field("int16", "0+")
    generation_id_or_member_epoch: int = field("int32", "3+", default=-1)
    member_id: str = field("string", "3+")
    group_instance_id: str | None = field("string", "3+", nullable="3+", default=None)
    topics: Sequence[TxnOffsetCommitRequestTopic] = field([TxnOffsetCommitRequestTopic], "0+")


class TxnOffsetCommitResponse(Message, api_key=28, versions="0-6", flexible="3+"):
    """Whether each offset was accepted."""

    class TxnOffsetCommitResponseTopic(Structure):
        class TxnOffsetCommitResponsePartition(Structure):
            partition_index: int = field("int32", "0+")
            error_code: int = field("int16", "0+")

        name: str = field("string", "0-5")
        topic_id: UUID | None = field("uuid", "6+")
        partitions: Sequence[TxnOffsetCommitResponsePartition] = field([TxnOffsetCommitResponsePartition], "0+")

    throttle_time_ms: int = field("int32", "0+")
    topics: Sequence[TxnOffsetCommitResponseTopic] = field([TxnOffsetCommitResponseTopic], "0+")


class WriteTxnMarkersRequest(Message, api_key=27, versions="1-2", flexible="1+"):
    """Write the markers that end transactions. Only brokers send this, to each other."""

    class WritableTxnMarker(Structure):
        class WritableTxnMarkerTopic(Structure):
            name: str = field("string", "0+")
            partition_indexes: Sequence[int] = field(["int32"], "0+")

        producer_id: int = field("int64", "0+")
        producer_epoch: int = field("int16", "0+")
        transaction_result: bool = field("bool", "0+")
        topics: Sequence[WritableTxnMarkerTopic] = field([WritableTxnMarkerTopic], "0+")
        coordinator_epoch: int = field("int32", "0+")
        transaction_version: int = field("int8", "2+")

    markers: Sequence[WritableTxnMarker] = field([WritableTxnMarker], "0+")


class WriteTxnMarkersResponse(Message, api_key=27, versions="1-2", flexible="1+"):
    """Whether each marker was written."""

    class WritableTxnMarkerResult(Structure):
        producer_id: int = field("int64", "0+")
        topics: Sequence[_TopicResult] = field([_TopicResult], "0+")

    markers: Sequence[WritableTxnMarkerResult] = field([WritableTxnMarkerResult], "0+")


class DescribeTransactionsRequest(Message, api_key=65, versions="0", flexible="0+"):
    """Describe transactions (KIP-664)."""

    transactional_ids: Sequence[str] = field(["string"], "0+")


class DescribeTransactionsResponse(Message, api_key=65, versions="0", flexible="0+"):
    """The state and the partitions of each."""

    class TransactionState(Structure):
        class TopicData(Structure):
            topic: str = field("string", "0+")
            partitions: Sequence[int] = field(["int32"], "0+")

        error_code: int = field("int16", "0+")
        transactional_id: str = field("string", "0+")
        transaction_state: str = field("string", "0+")
        transaction_timeout_ms: int = field("int32", "0+")
        transaction_start_time_ms: int = field("int64", "0+")
        producer_id: int = field("int64", "0+")
        producer_epoch: int = field("int16", "0+")
        topics: Sequence[TopicData] = field([TopicData], "0+")

    throttle_time_ms: int = field("int32", "0+")
    transaction_states: Sequence[TransactionState] = field([TransactionState], "0+")


class ListTransactionsRequest(Message, api_key=66, versions="0-2", flexible="0+"):
    """List the transactions that this broker coordinates (KIP-664)."""

    state_filters: Sequence[str] = field(["string"], "0+")
    producer_id_filters: Sequence[int] = field(["int64"], "0+")
    duration_filter: int = field("int64", "1+", default=-1)
    transactional_id_pattern: str | None = field("string", "2+", nullable="2+", default=None)


class ListTransactionsResponse(Message, api_key=66, versions="0-2", flexible="0+"):
    """The transactions."""

    class TransactionState(Structure):
        transactional_id: str = field("string", "0+")
        producer_id: int = field("int64", "0+")
        transaction_state: str = field("string", "0+")

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    unknown_state_filters: Sequence[str] = field(["string"], "0+")
    transaction_states: Sequence[TransactionState] = field([TransactionState], "0+")
