"""SASL authentication."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.wire.schema import Message, field


class SaslHandshakeRequest(Message, api_key=17, versions="0-1", flexible="none"):
    """Choose the client's SASL mechanism."""

    mechanism: str = field("string", "0+")


class SaslHandshakeResponse(Message, api_key=17, versions="0-1", flexible="none"):
    """Whether the broker supports the mechanism."""

    error_code: int = field("int16", "0+")
    mechanisms: Sequence[str] = field(["string"], "0+")


class SaslAuthenticateRequest(Message, api_key=36, versions="0-2", flexible="2+"):
    """The client's next authentication token (KIP-152)."""

    auth_bytes: bytes = field("bytes", "0+")


class SaslAuthenticateResponse(Message, api_key=36, versions="0-2", flexible="2+"):
    """The broker's next token, and how long the session lasts (KIP-368)."""

    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+")
    auth_bytes: bytes = field("bytes", "0+")
    session_lifetime_ms: int = field("int64", "1+")
