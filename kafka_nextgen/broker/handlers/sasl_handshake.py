"""SaslHandshake: choose the mechanism (KIP-43). Where nobody has to authenticate, or has already, it is an error."""

from __future__ import annotations

from kafka_nextgen.broker.context import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import SaslHandshakeRequest, SaslHandshakeResponse

__all__ = ["handle"]


async def handle(request: SaslHandshakeRequest, context: Context) -> SaslHandshakeResponse:
    """Begin with a mechanism, and name all there are."""
    sasl = context.peer.sasl
    if sasl is None or not sasl.takes_handshake():
        if sasl is not None:
            sasl.refuse_handshake()
        return SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE, mechanisms=[])
    answer = sasl.handshake(request.mechanism, context.version)
    return SaslHandshakeResponse(error_code=answer.error, mechanisms=list(sasl.settings.mechanisms))
