"""Transactions over the network (KIP-98), by the versions before KIP-890, part 2, which every cluster understands.

Partitions are therefore added to the transaction before records are written to them. The answer to EndTxn arrives
before the markers are written, so its end is awaited, by DescribeTransactions (KIP-664).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.errors import BrokerError
from kafka_nextgen.testing.kit.backend import TransactionalProducer
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.targets import ANY, Node
from kafka_nextgen.transport.waiting import Deadline
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import (
    ADD_PARTITIONS_TO_TXN,
    DESCRIBE_TRANSACTIONS,
    END_TXN,
    FIND_COORDINATOR,
    INIT_PRODUCER_ID,
    Api,
    Question,
)
from kafka_nextgen.wire.schemas.transactions import AddPartitionsToTxnTopic

__all__ = ["add_partitions", "begin_transaction", "end_transaction"]

_PAUSE_S = 0.05
_TRANSACTION = 1  # the type of a coordinator's key
_TIMEOUT_MS = 60_000

#: These errors of brokers are temporary, too: a coordinator is loading, or the last transaction is ending.
_TRANSIENT = frozenset(
    {
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.CONCURRENT_TRANSACTIONS,
    }
)


async def begin_transaction(client: ClusterClient, transactional_id: str, timeout_s: float) -> TransactionalProducer:
    """Become the producer of this id. Raises BrokerError and RequestTimeoutError."""
    request = m.InitProducerIdRequest(
        transactional_id=transactional_id, transaction_timeout_ms=_TIMEOUT_MS, producer_id=-1, producer_epoch=-1
    )
    answer = await _ask(client, transactional_id, INIT_PRODUCER_ID.up_to(4), request, _error_code, timeout_s)
    return TransactionalProducer(transactional_id, answer.producer_id, answer.producer_epoch)


async def add_partitions(
    client: ClusterClient, producer: TransactionalProducer, topic: str, numbers: Iterable[int], timeout_s: float
) -> None:
    """Add partitions of a topic to the transaction. Raises BrokerError and RequestTimeoutError."""
    request = m.AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=producer.transactional_id,
        v3_and_below_producer_id=producer.producer_id,
        v3_and_below_producer_epoch=producer.epoch,
        v3_and_below_topics=[AddPartitionsToTxnTopic(name=topic, partitions=list(numbers))],
    )
    api = ADD_PARTITIONS_TO_TXN.up_to(3)
    await _ask(client, producer.transactional_id, api, request, _worst_of_partitions, timeout_s)


async def end_transaction(
    client: ClusterClient, producer: TransactionalProducer, is_commit: bool, timeout_s: float
) -> None:
    """Commit or abort, and wait until the markers are written. Raises BrokerError and RequestTimeoutError."""
    if not producer.has_written:
        return
    name = producer.transactional_id
    request = m.EndTxnRequest(
        transactional_id=name, producer_id=producer.producer_id, producer_epoch=producer.epoch, committed=is_commit
    )
    await _ask(client, name, END_TXN.up_to(4), request, _error_code, timeout_s)
    described = m.DescribeTransactionsRequest(transactional_ids=[name])
    await _ask(client, name, DESCRIBE_TRANSACTIONS, described, _error_while_ending, timeout_s)


def _error_code(answer: Any) -> int:
    return int(answer.error_code)


def _worst_of_partitions(answer: Any) -> int:
    codes = [
        partition.partition_error_code
        for topic in answer.results_by_topic_v3_and_below
        for partition in topic.results_by_partition
    ]
    return max((code for code in codes if code != ErrorCode.OPERATION_NOT_ATTEMPTED), default=0)


def _error_while_ending(answer: Any) -> int:
    """The error of the next request while the markers of a transaction are being written."""
    (state,) = answer.transaction_states
    is_ending = state.transaction_state.startswith("Prepare")
    return ErrorCode.CONCURRENT_TRANSACTIONS if is_ending else int(state.error_code)


async def _ask(
    client: ClusterClient,
    transactional_id: str,
    api: Api,
    request: Question,
    error_in: Callable[[Any], int],
    timeout_s: float,
) -> Any:
    """Send a request to the coordinator of a transactional id, and repeat it while its error is temporary."""
    deadline = Deadline(timeout_s, f"transaction {transactional_id}: {api}")
    while True:
        node = await _coordinator(client, transactional_id, deadline)
        answer = await client.call(node, api, lambda version: request, max(0.001, deadline.left_s()))
        code = error_in(answer)
        if code == ErrorCode.NONE:
            return answer
        if code not in _TRANSIENT:
            text = f"transaction {transactional_id}: the broker refused {api} ({name_of(code)})"
            raise BrokerError(text, code=code, retriable=is_retriable(code))
        await deadline.pause(_PAUSE_S, name_of(code))


async def _coordinator(client: ClusterClient, transactional_id: str, deadline: Deadline) -> Node:
    request = m.FindCoordinatorRequest(key_type=_TRANSACTION, coordinator_keys=[transactional_id])
    while True:
        answer: Any = await client.call(ANY, FIND_COORDINATOR.at_least(4), lambda version: request, deadline.left_s())
        (found,) = answer.coordinators
        if found.error_code == ErrorCode.NONE:
            return Node(found.node_id)
        if found.error_code not in _TRANSIENT:
            why = f"({name_of(found.error_code)}): {found.error_message or ''}"
            raise BrokerError(f"transaction {transactional_id}: no coordinator {why}", code=found.error_code)
        await deadline.pause(_PAUSE_S, name_of(found.error_code))
        await client.refresh_metadata([], timeout_s=deadline.left_s())
