"""GSSAPI: a Kerberos ticket (RFC 4752), using the ``gssapi`` package.

    C: a ticket for service@host
    S: the proof that the broker has the service's key
    C: (empty)
    S: wrapped: the security layers it offers, 1 byte, and the longest message it takes, 3 bytes
    C: wrapped: 1 (no layer), and 0
    S: (empty)

Kafka does not use SASL security layers, so the broker has to offer "no layer", and the longest message that this client
accepts in a layer is 0 (RFC 4752 section 3.1). There is no authorization identity: the broker derives the user from the
ticket.

Kerberos errors on this side (no ticket, no answer from the server) are ``OutageError``, since tickets are renewed. An
invalid token from the broker is an ``AuthenticationError``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kafka_nextgen.errors import AuthenticationError, ConfigError, OutageError, TransportError

__all__ = ["GssapiClient", "check_service"]

_NO_LAYER: Final = 1
_OFFER_BYTES: Final = 4
_ANSWER: Final = bytes([_NO_LAYER, 0, 0, 0])


def check_service(service: str) -> None:
    """Raise ``ConfigError`` for a name that can't be the first part of a principal."""
    if "/" in service or "@" in service:
        key = "sasl.kerberos.service.name"
        raise ConfigError(
            f"{key} must be only the first part of the brokers' principals: kafka in kafka/HOST@REALM", key
        )


class GssapiClient:
    """One login with GSSAPI; ``gssapi`` is the package of that name."""

    refusal = ""

    def __init__(self, gssapi: Any, service: str, host: str) -> None:
        self._gssapi = gssapi
        self._target = f"{service}@{host}"
        self._context: Any = None
        self._is_over = False

    def initial_response(self) -> bytes:
        """The ticket."""
        return self._typed(self._begin)

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """Check the broker's proof, then choose no security layer."""
        if self._is_over and challenge:
            raise AuthenticationError("GSSAPI: the broker sent a token after the login was over")
        if self._is_over:
            return None
        if not challenge:
            raise AuthenticationError("GSSAPI: the broker sent no token before the login was over")
        return self._typed(lambda: self._end(challenge) if self._context.complete else self._step(challenge))

    def _begin(self) -> bytes:
        gssapi, kerberos = self._gssapi, self._gssapi.MechType.kerberos
        name = gssapi.Name(self._target, gssapi.NameType.hostbased_service).canonicalize(kerberos)
        wanted = [gssapi.RequirementFlag.mutual_authentication, gssapi.RequirementFlag.integrity]
        self._context = gssapi.SecurityContext(name=name, mech=kerberos, flags=wanted, usage="initiate")
        return self._step(None)

    def _step(self, token: bytes | None) -> bytes:
        return bytes(self._context.step(token) or b"")

    def _end(self, token: bytes) -> bytes:
        if self._gssapi.RequirementFlag.mutual_authentication not in self._context.actual_flags:
            raise AuthenticationError("GSSAPI: the broker did not prove that it has the service's key")
        offer = bytes(self._context.unwrap(token).message)
        # According to RFC 4752, the length has to be 0 if no layer is offered, but Java's servers always send 65,536.
        if len(offer) != _OFFER_BYTES:
            raise AuthenticationError(f"GSSAPI: the broker's offer of security layers has {len(offer)} bytes, not 4")
        if not offer[0] & _NO_LAYER:
            raise AuthenticationError("GSSAPI: the broker requires a SASL security layer: use TLS (SASL_SSL)")
        self._is_over = True
        return bytes(self._context.wrap(_ANSWER, False).message)

    def _typed(self, step: Callable[[], bytes]) -> bytes:
        """Run a step. Only the text of a Kerberos error is kept, since the error object contains tokens."""
        raised: TransportError
        errors = self._gssapi.exceptions
        try:
            return step()
        except (errors.InvalidTokenError, errors.BadMICError) as error:
            raised = AuthenticationError(f"GSSAPI: the broker's token is not valid: {error}")
        except errors.GSSError as error:
            raised = OutageError(f"GSSAPI: the login failed on this side: {error}")
        raise raised
