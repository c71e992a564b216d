"""What it means that a socket was closed, in words."""

from __future__ import annotations

from kafka_nextgen.errors import DisconnectedError, KafkaNextgenError
from kafka_nextgen.properties import ServerAddress
from kafka_nextgen.transport.security.settings import Security
from kafka_nextgen.transport.security.tls_errors import tls_failure

__all__ = ["why_closed"]


def why_closed(address: ServerAddress, exc: Exception | None, doubted: Security | None) -> KafkaNextgenError:
    """The error of a connection that asyncio says is lost, with ``exc`` unless the peer just closed it.

    ``doubted`` is how we spoke to it, if nothing was answered yet: that may be why.
    """
    tls = tls_failure(address, exc, in_handshake=False) if isinstance(exc, OSError) else None
    if tls is not None:
        return tls
    text = "the broker closed the connection"
    if exc is not None:
        text = f"the connection broke ({getattr(exc, 'strerror', None) or str(exc) or type(exc).__name__})"
    return DisconnectedError(f"{address}: {text}{'' if doubted is None else _doubt(doubted)}")


def _doubt(security: Security) -> str:
    """What may be behind an end before anything was answered."""
    doubt = f"is security.protocol={security.protocol.value} what it speaks there"
    if security.protocol.uses_tls:
        doubt += ", or does it want a certificate (ssl.certificate.location)"
    return f" before its first answer; if it always does, {doubt}?"
