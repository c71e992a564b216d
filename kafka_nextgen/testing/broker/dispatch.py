"""Turns one request frame into one response frame.

As in Kafka, a request that can't be decoded closes its connection. The exception is ApiVersions in an unsupported
version: the answer in version 0 has UNSUPPORTED_VERSION and the supported versions of ApiVersions, so that the client
can try again (KIP-511).

A request is decoded only if the connection may send it now (``peer``). Between a SaslHandshake of version 0 and the
end of the authentication, frames are SASL tokens without a header.
"""

from __future__ import annotations

import asyncio

from kafka_nextgen.clocks import perf_counter
from kafka_nextgen.errors import DecodeError, StorageError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.testing.broker.answered_versions import answer_versions
from kafka_nextgen.testing.broker.apis import handler_of
from kafka_nextgen.testing.broker.client_quotas import Timed
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.node import Node
from kafka_nextgen.testing.broker.peer import Peer
from kafka_nextgen.testing.broker.refusal import CloseConnectionError
from kafka_nextgen.testing.broker.security.sasl import SaslServer
from kafka_nextgen.testing.broker.throttling import keep_to_quota, throttle_ms, throttled
from kafka_nextgen.text import describe_error
from kafka_nextgen.wire.apis import API_VERSIONS
from kafka_nextgen.wire.frames import RequestFrame, decode_request, encode_response, encode_token, peek_api_key
from kafka_nextgen.wire.messages import ApiVersionsRequest
from kafka_nextgen.wire.schema import Message

__all__ = ["Dispatcher", "Reply"]

_log = logger_of(__name__)


@frozen
class Reply:
    """The response frame, if there is one, and for how many seconds nothing is read afterwards (KIP-219).

    If ``is_last``, the connection is closed instead.
    """

    frame: bytes | None
    muted_s: float = 0.0
    is_last: bool = False


class Dispatcher:
    """Answers the requests that come to one node."""

    def __init__(self, cluster: Cluster, node: Node) -> None:
        self._cluster = cluster
        self._node = node

    async def answer(self, frame: bytes, peer: Peer) -> Reply:
        """Answer a request frame, which excludes its length field. Raises ``CloseConnectionError``."""
        if peer.sasl is not None and peer.sasl.takes_bare_tokens:
            return Reply(await self._answer_token(frame, peer.sasl))
        try:
            peer.check_admitted(peek_api_key(frame), self._cluster.now())
            request = decode_request(frame)
        except DecodeError as error:
            raise CloseConnectionError(str(error)) from error
        peer.note(request.api, request.client_id or "")
        try:
            context = Context(self._cluster, self._node, peer, request.version, request.client_id or "")
            request = keep_to_quota(request, context)
            interceptor = self._cluster.interceptor
            meeting = None if interceptor is None else interceptor.meet(request, context)
            handling = self._handle(request, context) if meeting is None else meeting.handle(self._handle)
            work = Timed(handling, perf_counter)
            response = await work
            throttle_ms = 0 if meeting is None else meeting.throttle_ms
            reply = self._reply(request, context, response, len(frame), work.busy_s, throttle_ms)
            return _half(reply) if meeting is not None and meeting.is_cut else reply
        except CloseConnectionError:
            raise
        except StorageError as error:
            _log.error("%s v%d: %s", request.api.name, request.version, error)
            raise CloseConnectionError(f"{request.api.name}: {error}") from error
        except Exception as error:  # a bug in one handler must not end other connections
            _log.exception("%s v%d failed", request.api.name, request.version)
            raise CloseConnectionError(f"{request.api.name} failed: {describe_error(error)}") from error

    def _reply(
        self,
        request: RequestFrame,
        context: Context,
        response: Message | None,
        request_size: int,
        busy_s: float,
        least_throttle_ms: int,
    ) -> Reply:
        frame = None if response is None else _encoded(request, response)
        answer_size = len(frame or b"")
        muted_ms = max(throttle_ms(request, context, request_size, answer_size, busy_s), least_throttle_ms)
        if muted_ms and response is not None:
            frame = _encoded(request, throttled(request, context, response, answer_size, muted_ms))
        return Reply(frame, muted_ms / 1000)

    async def _answer_token(self, token: bytes, sasl: SaslServer) -> bytes | None:
        answer = await asyncio.to_thread(sasl.authenticate, token, self._cluster.now())
        return None if sasl.has_failed else encode_token(answer.token)

    async def _handle(self, request: RequestFrame, context: Context) -> Message | None:
        if request.api is API_VERSIONS:
            asked = request.message
            assert asked is None or isinstance(asked, ApiVersionsRequest)
            return answer_versions(asked, context)
        profile = self._cluster.settings.profile
        handle = handler_of(request.api, request.version, profile, context.speaks_extensions)
        if handle is None:
            raise CloseConnectionError(f"{request.api.name} v{request.version} is not supported")
        return await handle(request.message, context)


def _encoded(request: RequestFrame, response: Message) -> bytes:
    return encode_response(request.api, response, request.version, request.correlation_id)


def _half(reply: Reply) -> Reply:
    """The first half of a reply, after which the connection is closed."""
    return Reply(None if reply.frame is None else reply.frame[: len(reply.frame) // 2], is_last=True)
