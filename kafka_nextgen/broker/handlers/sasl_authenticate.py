"""SaslAuthenticate: the tokens of a mechanism (KIP-152), and how long the session lasts (KIP-368)."""

from __future__ import annotations

import asyncio

from kafka_nextgen.broker.context import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import SaslAuthenticateRequest, SaslAuthenticateResponse

__all__ = ["handle"]


async def handle(request: SaslAuthenticateRequest, context: Context) -> SaslAuthenticateResponse:
    """Take the exchange a step on, in a thread: a password takes milliseconds to hash."""
    sasl = context.peer.sasl
    if sasl is None or not sasl.takes_tokens:
        return SaslAuthenticateResponse(
            error_code=ErrorCode.ILLEGAL_SASL_STATE,
            error_message="SaslAuthenticate request received after successful authentication",
            auth_bytes=b"",
        )
    answer = await asyncio.to_thread(sasl.authenticate, bytes(request.auth_bytes), context.cluster.now())
    return SaslAuthenticateResponse(
        error_code=answer.error,
        error_message=answer.message,
        auth_bytes=answer.token,
        session_lifetime_ms=answer.session_ms,
    )
