"""ListTransactions: the transactional ids this node coordinates (KIP-664), filtered by state, producer, how long their
transaction has been running (KIP-994) or a pattern for the whole id (KIP-1152).

Unknown states are returned, and match no transaction.
"""

from __future__ import annotations

from collections.abc import Callable

import re2

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DESCRIBE_TRANSACTIONAL_ID
from kafka_nextgen.broker.transactions.transaction import Status, Transaction
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import ListTransactionsRequest, ListTransactionsResponse

__all__ = ["handle"]

_State = ListTransactionsResponse.TransactionState

_STATES = frozenset(status.value for status in Status)


async def handle(request: ListTransactionsRequest, context: Context) -> ListTransactionsResponse:
    """List what passes all filters."""
    unknown = [name for name in request.state_filters if name not in _STATES]
    try:
        passes = _filter(request, context.cluster.now_ms())
    except re2.error:
        return ListTransactionsResponse(
            error_code=ErrorCode.INVALID_REGULAR_EXPRESSION, unknown_state_filters=[], transaction_states=[]
        )
    return ListTransactionsResponse(
        error_code=ErrorCode.NONE,
        unknown_state_filters=unknown,
        transaction_states=[
            _State(
                transactional_id=one.transactional_id,
                producer_id=one.producer.producer_id,
                transaction_state=one.status.value,
            )
            for one in context.cluster.transactions.all()
            if _is_ours(one, context) and passes(one)
        ],
    )


def _is_ours(one: Transaction, context: Context) -> bool:
    return context.coordinates_transaction(one.transactional_id) and context.may(
        DESCRIBE_TRANSACTIONAL_ID, one.transactional_id
    )


def _filter(request: ListTransactionsRequest, now_ms: int) -> Callable[[Transaction], bool]:
    """Make the filter that a request describes; raises ``re2.error``."""
    states, producers = set(request.state_filters), set(request.producer_id_filters)
    pattern = re2.compile(request.transactional_id_pattern) if request.transactional_id_pattern else None

    def passes(one: Transaction) -> bool:
        return (
            (not states or one.status.value in states)
            and (not producers or one.producer.producer_id in producers)
            and (request.duration_filter < 0 or now_ms - one.started_ms > request.duration_filter)
            and (pattern is None or pattern.fullmatch(one.transactional_id) is not None)
        )

    return passes
