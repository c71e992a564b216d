"""Applies quotas to a request and its response: computes how long the client is throttled.

The size of the request counts as bytes produced, the size of the response as bytes fetched; the longest delay applies.
SASL, ApiVersions and, as in Kafka, WriteTxnMarkers requests are exempt. A throttled fetch gets no records, as in Kafka,
and their bytes do not count; the client fetches them again later.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from kafka_nextgen.testing.broker.client_quotas import LimitKind
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.wire.apis import API_VERSIONS, FETCH, PRODUCE, SASL_AUTHENTICATE, SASL_HANDSHAKE, WRITE_TXN_MARKERS
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import FetchRequest, FetchResponse
from kafka_nextgen.wire.schema import Message

__all__ = ["keep_to_quota", "throttle_ms", "throttled"]

_FREE = frozenset({API_VERSIONS, SASL_HANDSHAKE, SASL_AUTHENTICATE, WRITE_TXN_MARKERS})


def keep_to_quota(request: RequestFrame, context: Context) -> RequestFrame:
    """Limit the size of a fetch to its client's quota, to avoid a very long throttle time."""
    if not isinstance(request.message, FetchRequest):
        return request
    most = context.cluster.quotas.most_bytes(context.user, context.client_id)
    if most is None or request.message.max_bytes <= most:
        return request
    return evolve(request, message=request.message.replaced(max_bytes=most))


def throttle_ms(request: RequestFrame, context: Context, request_size: int, answer_size: int, busy_s: float) -> int:
    """Count a request, and return for how many milliseconds the client is throttled. Sizes are in bytes."""
    if request.api in _FREE:
        return 0
    quotas, now = context.cluster.quotas, context.cluster.now()
    delays = [
        quotas.delay_s(kind, context.user, context.client_id, amount, now)
        for kind, amount in _amounts(request, request_size, answer_size, busy_s)
    ]
    return round(max(delays) * 1000)


def throttled(request: RequestFrame, context: Context, response: Message, answer_size: int, delay_ms: int) -> Message:
    """The response to a client that is throttled for ``delay_ms``: a fetch response loses its records."""
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
