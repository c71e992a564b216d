"""GSSAPI, the client's side: a ticket of Kerberos (RFC 4752), by the package ``gssapi``.

    C: a ticket for service@host
    S: what proves that the broker has the service's key
    C: (empty)
    S: wrapped: the security layers it offers, 1 byte, and the longest message it takes, 3 bytes
    C: wrapped: 1 (no layer), and 0
    S: (empty)

Kafka has no security layers of SASL: TLS does that. So a broker has to offer "no layer", and the longest message that
this client takes in a layer is 0, as RFC 4752 section 3.1 demands. No authorization identity follows it: the broker
derives the user from the ticket. kafka-python returns the broker's length, and names the broker's own service as the
identity. Kafka ignores both.

What Kerberos complains of (no ticket, no answer of its server) is an ``OutageError``, for tickets are renewed. A token
that Kerberos does not know or whose checksum is wrong is an ``AuthenticationError``: the broker sent it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kafka_nextgen.errors import AuthenticationError, ConfigError, OutageError, TransportError

__all__ = ["GssapiExchange", "check_service"]

_NO_LAYER: Final = 1
_OFFER_BYTES: Final = 4
_ANSWER: Final = bytes([_NO_LAYER, 0, 0, 0])


def check_service(service: str) -> None:
    """Raise ``ConfigError`` for what can't be the first part of a principal."""
    if "/" in service or "@" in service:
        key = "sasl.kerberos.service.name"
        raise ConfigError(f"{key} is the first part of the brokers' principals only: kafka of kafka/HOST@REALM", key)


class GssapiExchange:
    """One login; ``gssapi`` is the package of that name, and each step may ask a Kerberos server."""

    refusal = ""

    def __init__(self, gssapi: Any, service: str, host: str) -> None:
        self._gssapi = gssapi
        self._target = f"{service}@{host}"
        self._context: Any = None
        self._is_over = False

    def first(self) -> bytes:
        """Show a ticket."""
        return self._typed(self._begin)

    def reply(self, token: bytes) -> bytes | None:
        """Check the broker's proof, then agree on no security layer."""
        if self._is_over and token:
            raise AuthenticationError("GSSAPI: the broker sent a token where the login is over")
        if self._is_over:
            return None
        if not token:
            raise AuthenticationError("GSSAPI: the broker sent no token where the login is not over")
        return self._typed(lambda: self._settle(token) if self._context.complete else self._step(token))

    def _begin(self) -> bytes:
        gssapi, kerberos = self._gssapi, self._gssapi.MechType.kerberos
        name = gssapi.Name(self._target, gssapi.NameType.hostbased_service).canonicalize(kerberos)
        wanted = [gssapi.RequirementFlag.mutual_authentication, gssapi.RequirementFlag.integrity]
        self._context = gssapi.SecurityContext(name=name, mech=kerberos, flags=wanted, usage="initiate")
        return self._step(None)

    def _step(self, token: bytes | None) -> bytes:
        return bytes(self._context.step(token) or b"")

    def _settle(self, token: bytes) -> bytes:
        if self._gssapi.RequirementFlag.mutual_authentication not in self._context.actual_flags:
            raise AuthenticationError("GSSAPI: the broker did not prove that it has the service's key")
        offer = bytes(self._context.unwrap(token).message)
        # RFC 4752 has clients check that the length is 0 where no layer is offered; Java's servers always send 65,536.
        if len(offer) != _OFFER_BYTES:
            raise AuthenticationError(f"GSSAPI: the broker's offer of security layers has {len(offer)} bytes, not 4")
        if not offer[0] & _NO_LAYER:
            raise AuthenticationError("GSSAPI: the broker insists on a security layer of SASL: use TLS (SASL_SSL)")
        self._is_over = True
        return bytes(self._context.wrap(_ANSWER, False).message)

    def _typed(self, step: Callable[[], bytes]) -> bytes:
        """Take a step. Kerberos' own words have no secrets, its errors have tokens: only the words are kept."""
        raised: TransportError
        errors = self._gssapi.exceptions
        try:
            return step()
        except (errors.InvalidTokenError, errors.BadMICError) as error:
            raised = AuthenticationError(f"GSSAPI: the broker's token is not valid: {error}")
        except errors.GSSError as error:
            raised = OutageError(f"GSSAPI: the login failed on this side: {error}")
        raise raised
