"""What quotas make of one request and its answer: for how long the client is to be left alone.

Bytes produced count by the size of the request, bytes fetched by that of the answer. The longest delay holds. Logging
in and the exchange of versions cost nothing. A fetch whose client is to be left alone gets no records, as by Kafka, and
what it would have had does not count: it asks again afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from kafka_nextgen.broker.client_quotas import LimitKind
from kafka_nextgen.broker.context import Context
from kafka_nextgen.wire.apis import API_VERSIONS, FETCH, PRODUCE, SASL_AUTHENTICATE, SASL_HANDSHAKE
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import FetchRequest, FetchResponse
from kafka_nextgen.wire.schema import Message

__all__ = ["keep_to_quota", "throttle_ms", "throttled"]

_FREE = frozenset({API_VERSIONS, SASL_HANDSHAKE, SASL_AUTHENTICATE})


def keep_to_quota(request: RequestFrame, context: Context) -> RequestFrame:
    """Ask a fetch for no more than its client's quota can bear, or it would be left alone for very long."""
    if not isinstance(request.message, FetchRequest):
        return request
    most = context.cluster.quotas.most_bytes(context.user, context.client_id)
    if most is None or request.message.max_bytes <= most:
        return request
    return evolve(request, message=request.message.replaced(max_bytes=most))


def throttle_ms(request: RequestFrame, context: Context, request_size: int, answer_size: int, busy_s: float) -> int:
    """Count what was done, and return for how many milliseconds the client is to be left alone; sizes in bytes."""
    if request.api in _FREE:
        return 0
    quotas, now = context.cluster.quotas, context.cluster.now()
    delays = [
        quotas.delay_s(kind, context.user, context.client_id, amount, now)
        for kind, amount in _amounts(request, request_size, answer_size, busy_s)
    ]
    return round(max(delays) * 1000)


def throttled(request: RequestFrame, context: Context, response: Message, answer_size: int, delay_ms: int) -> Message:
    """What a client is told that is to be left alone for ``delay_ms``: its ``response``, without records."""
    if isinstance(request.message, FetchRequest) and isinstance(response, FetchResponse) and not response.error_code:
        cluster = context.cluster
        cluster.quotas.take_back(LimitKind.FETCHED_BYTES, context.user, context.client_id, answer_size, cluster.now())
        sessions = cluster.fetch_sessions[context.node.node_id]
        session_id = sessions.take_back(request.message.session_epoch, response.session_id)
        response = FetchResponse(error_code=response.error_code, session_id=session_id, responses=[])
    return response.replaced(throttle_time_ms=delay_ms)


def _amounts(
    request: RequestFrame, request_size: int, answer_size: int, busy_s: float
) -> Iterator[tuple[LimitKind, float]]:
    yield LimitKind.REQUEST_TIME, busy_s
    if request.api is PRODUCE:
        yield LimitKind.PRODUCED_BYTES, request_size
    if request.api is FETCH:
        yield LimitKind.FETCHED_BYTES, answer_size
