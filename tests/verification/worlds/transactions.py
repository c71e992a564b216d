"""Producers that put offsets into transactions, on a broker behind a socket: each has a transactional id of its own."""

from __future__ import annotations

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.testing.coordinator.requests import TxnOffsetCommit
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import EndTxnRequest, TxnOffsetCommitRequest
from tests.endtoend.patience import ask_patiently, begin_transactional_id
from tests.support.clients import unique
from tests.testing.broker.client import Client

_ADDS = _BUMPS_EPOCH = 5  # versions of TxnOffsetCommit and EndTxn
_LONGEST_MS = 900_000  # transaction.max.timeout.ms: no transaction is to end because the machine is busy

_Topic = TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic


@define
class _Producer:
    transactional_id: str
    producer_id: int
    epoch: int


@define
class Producers:
    """The producers of a scenario, by the numbers it gives them."""

    client: Client
    _known: dict[int, _Producer] = field(factory=dict)

    def commit(self, question: TxnOffsetCommit) -> OffsetsCommitted:
        """Put offsets into the producer's transaction, which begins with that if it has none."""
        producer = self._producer(question.producer_id)
        request = TxnOffsetCommitRequest(
            transactional_id=producer.transactional_id,
            group_id=question.group_id,
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            generation_id_or_member_epoch=question.member_epoch,
            member_id=question.member_id,
            topics=[
                _Topic(
                    name=partition.topic,
                    partitions=[
                        _Topic.TxnOffsetCommitRequestPartition(
                            partition_index=partition.partition, committed_offset=at.offset, committed_metadata=""
                        )
                    ],
                )
                for partition, at in question.offsets.items()
            ],
        )
        answer = ask_patiently(
            self.client, apis.TXN_OFFSET_COMMIT, request, _ADDS, lambda it: it.topics[0].partitions[0].error_code
        )
        return OffsetsCommitted(
            {
                TopicPartition(topic.name, partition.partition_index): ErrorCode(partition.error_code)
                for topic in answer.topics
                for partition in topic.partitions
            }
        )

    def end(self, question: EndTransaction) -> None:
        """End the producer's transaction, and wait until it has ended everywhere: then the same is answered again."""
        producer = self._producer(question.producer_id)
        request = EndTxnRequest(
            transactional_id=producer.transactional_id,
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            committed=question.is_commit,
        )
        for _ in range(2):
            ended = ask_patiently(self.client, apis.END_TXN, request, _BUMPS_EPOCH)
            assert ended.error_code == ErrorCode.NONE
        producer.producer_id, producer.epoch = ended.producer_id, ended.producer_epoch

    def _producer(self, number: int) -> _Producer:
        if number not in self._known:
            name = unique("producer")
            self._known[number] = _Producer(name, *begin_transactional_id(self.client, name, _LONGEST_MS))
        return self._known[number]
