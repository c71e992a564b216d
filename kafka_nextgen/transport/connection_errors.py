"""The typed error for a connection that failed or was closed, with advice on what to do.

A TLS failure that another attempt would repeat is a ``TlsError``: a certificate that is not trusted, expired or for
another host, no common version or cipher, a port without TLS, our own certificate refused (in TLS 1.3 only reported by
the first read after the handshake). Everything else is a ``DisconnectedError``. This includes a disconnect during the
handshake, because both a stopping broker and a port without TLS cause one.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Final

from kafka_nextgen.errors import DisconnectedError, KafkaNextgenError, TlsError, TransportError
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.transport.security.settings import Security

__all__ = ["connection_lost_error", "tls_error"]

_ANOTHER_NAME = (
    "its certificate is for another host. Use a name that is in the certificate (advertised.listeners defines which "
    "names brokers announce), or set ssl.endpoint.identification.algorithm=none if you accept any trusted broker"
)
_UNTRUSTED = "its certificate is not from a trusted authority: ssl.ca.location must name the authority that issued it"

#: Why OpenSSL rejects a certificate, by X509_V_ERR number.
_BAD_CERTIFICATE: Final[Mapping[int, str]] = {
    9: "its certificate is not valid yet: compare the clocks of both machines",
    10: "its certificate has expired: the broker needs a new one (or this machine's clock is wrong)",
    18: _UNTRUSTED,
    19: _UNTRUSTED,
    20: _UNTRUSTED,
    21: _UNTRUSTED,
    23: "its certificate was revoked: the broker needs a new one",
    62: _ANOTHER_NAME,
    64: _ANOTHER_NAME,
}

_NO_TLS_THERE = "the server does not speak TLS: is this the port of a listener without TLS?"
_NOTHING_IN_COMMON = "client and broker have no TLS version (1.2 or newer) or no cipher in common"
_CLIENT_REFUSED = (
    "the broker rejects this client's certificate, or requires one: set ssl.certificate.location to one from an "
    "authority that the broker trusts"
)

#: Other permanent failures, by a part of OpenSSL's name for them; the first match counts.
_LASTING: Final[tuple[tuple[str, str], ...]] = (
    ("CERTIFICATE_REQUIRED", "the broker requires a client certificate: set ssl.certificate.location"),
    ("WRONG_VERSION_NUMBER", _NO_TLS_THERE),
    ("HTTP_REQUEST", _NO_TLS_THERE),
    ("RECORD_LAYER_FAILURE", _NO_TLS_THERE),
    ("PACKET_LENGTH_TOO_LONG", _NO_TLS_THERE),
    ("PROTOCOL_VERSION", _NOTHING_IN_COMMON),
    ("UNSUPPORTED_PROTOCOL", _NOTHING_IN_COMMON),
    ("NO_SHARED_CIPHER", _NOTHING_IN_COMMON),
    ("NO_CIPHERS_AVAILABLE", _NOTHING_IN_COMMON),
    (
        "ALERT_HANDSHAKE_FAILURE",
        "the broker ended the handshake: either it has no cipher in common with this client, or it requires a client "
        "certificate (ssl.certificate.location)",
    ),
    ("ALERT_BAD_CERTIFICATE", _CLIENT_REFUSED),
    ("ALERT_UNKNOWN_CA", _CLIENT_REFUSED),
    ("ALERT_CERTIFICATE", _CLIENT_REFUSED),
    ("ALERT_ACCESS_DENIED", _CLIENT_REFUSED),
)


def connection_lost_error(
    address: ServerAddress, exc: Exception | None, untested: Security | None
) -> KafkaNextgenError:
    """The error for a connection that asyncio reports as lost; ``exc`` is None if the peer closed it.

    ``untested`` describes the security settings if no request has been answered yet, since they may be the reason.
    """
    tls = tls_error(address, exc, in_handshake=False) if isinstance(exc, OSError) else None
    if tls is not None:
        return tls
    text = "the broker closed the connection" if exc is None else f"the connection broke ({_words(exc)})"
    return DisconnectedError(f"{address}: {text}{'' if untested is None else _likely_cause(untested)}")


def _likely_cause(security: Security) -> str:
    doubt = f"is security.protocol={security.protocol.value} right for this port"
    if security.protocol.uses_tls:
        doubt += ", or does it require a client certificate (ssl.certificate.location)"
    return f" before its first answer; if this happens every time: {doubt}?"


def tls_error(address: ServerAddress, error: OSError, *, in_handshake: bool) -> TransportError | None:
    """The typed error for a TLS connection that ended; None if TLS is not the cause."""
    lasting = _lasting(error)
    if lasting is not None:
        return TlsError(f"{address}: {lasting} ({_reason(error)})")
    if in_handshake and isinstance(error, (ssl.SSLError, ConnectionResetError, ConnectionAbortedError)):
        told = "the connection ended during the TLS handshake; if this happens every time: does this port speak TLS?"
        return DisconnectedError(f"{address}: {told} ({_reason(error)})")
    return None


def _lasting(error: OSError) -> str | None:
    if isinstance(error, ssl.SSLCertVerificationError):
        return _BAD_CERTIFICATE.get(error.verify_code, "its certificate can't be verified")
    reason = str(getattr(error, "reason", None) or "") if isinstance(error, ssl.SSLError) else ""
    return next((advice for part, advice in _LASTING if part in reason.replace(" ", "_").upper()), None)


def _reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    return getattr(error, "reason", None) or _words(error)


def _words(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
