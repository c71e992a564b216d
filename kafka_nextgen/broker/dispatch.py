"""One request frame to one answer frame.

What Kafka does about a request it can't make sense of, this does too: it closes that connection and serves all
others. ApiVersions is the exception (KIP-511): asked in a version that is not spoken, it answers in version 0 with
UNSUPPORTED_VERSION and what is spoken, so that the client can begin again.
"""

from __future__ import annotations

import logging

from kafka_nextgen.broker.apis import SERVED, advertised, serves
from kafka_nextgen.broker.closing import CloseConnectionError
from kafka_nextgen.broker.cluster import Cluster, Context, Node
from kafka_nextgen.broker.handlers import api_versions
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire.apis import API_VERSIONS
from kafka_nextgen.wire.frames import RequestFrame, decode_request, encode_response
from kafka_nextgen.wire.messages import ApiMessage

__all__ = ["Dispatcher"]

_log = logging.getLogger(__name__)


class Dispatcher:
    """Answers the requests that come to one node."""

    def __init__(self, cluster: Cluster, node: Node) -> None:
        self._cluster = cluster
        self._node = node

    async def answer(self, frame: bytes, client_host: str) -> bytes | None:
        """Return the frame to send back, or None if the request wants no answer.

        ``frame`` is without its length. Raises ``CloseConnectionError``.
        """
        try:
            request = decode_request(frame)
        except DecodeError as error:
            raise CloseConnectionError(str(error)) from error
        try:
            response = await self._handle(request, client_host)
            if response is None:
                return None
            return encode_response(request.api, response, request.version, request.correlation_id)
        except CloseConnectionError:
            raise
        except Exception as error:  # a bug in one handler must not take the others' connections with it
            _log.exception("%s v%d failed", request.api.name, request.version)
            raise CloseConnectionError(f"{request.api.name} failed: {error!r}") from error

    async def _handle(self, request: RequestFrame, client_host: str) -> ApiMessage | None:
        if request.api is API_VERSIONS:
            is_spoken = request.message is not None
            settings = self._cluster.settings
            return api_versions.answer(settings, advertised(settings.profile), request.version if is_spoken else None)
        served = SERVED.get(request.api.key)
        if served is None or not serves(self._cluster.settings.profile, served.api, request.version):
            raise CloseConnectionError(f"{request.api.name} v{request.version} is not served here")
        context = Context(self._cluster, self._node, request.version, request.client_id or "", client_host)
        return await served.handle(request.message, context)
