"""SaslHandshake and SaslAuthenticate: authenticate by SASL (KIP-43, KIP-152), for a limited time (KIP-368)."""

from __future__ import annotations

import asyncio

from kafka_nextgen.broker.context import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import messages as m

__all__ = ["sasl_authenticate", "sasl_handshake"]


async def sasl_handshake(request: m.SaslHandshakeRequest, context: Context) -> m.SaslHandshakeResponse:
    """Choose the mechanism. It is an error on listeners without SASL and after authentication."""
    sasl = context.peer.sasl
    if sasl is None or not sasl.takes_handshake():
        if sasl is not None:
            sasl.refuse_handshake()
        return m.SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE, mechanisms=[])
    answer = sasl.handshake(request.mechanism, context.version)
    return m.SaslHandshakeResponse(error_code=answer.error, mechanisms=list(sasl.settings.mechanisms))


async def sasl_authenticate(request: m.SaslAuthenticateRequest, context: Context) -> m.SaslAuthenticateResponse:
    """Take the exchange a step on, in a thread: a password takes milliseconds to hash."""
    sasl = context.peer.sasl
    if sasl is None or not sasl.takes_tokens:
        return m.SaslAuthenticateResponse(
            error_code=ErrorCode.ILLEGAL_SASL_STATE,
            error_message="SaslAuthenticate request received after successful authentication",
            auth_bytes=b"",
        )
    answer = await asyncio.to_thread(sasl.authenticate, bytes(request.auth_bytes), context.cluster.now())
    return m.SaslAuthenticateResponse(
        error_code=answer.error,
        error_message=answer.message,
        auth_bytes=answer.token,
        session_lifetime_ms=answer.session_ms,
    )
