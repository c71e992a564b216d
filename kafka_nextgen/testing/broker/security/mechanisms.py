"""The SASL mechanisms, each a short exchange of tokens that ends with a user's name.

PLAIN is one token with the password in it (RFC 4616). SCRAM-SHA-256 and SCRAM-SHA-512 prove that the client knows the
password without revealing it (RFC 5802, RFC 7677, KIP-84); the library ``scramp`` does that: server nonces,
constant-time comparisons, at least 4,096 iterations.

Failures reveal as much as Kafka's: PLAIN says what is wrong with the token, SCRAM does not reveal whether users exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from scramp import ScramException, ScramMechanism

from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.testing.broker.security.users import SCRAM_HASHES, Users

__all__ = ["MECHANISMS", "CredentialsError", "Exchange", "TokenError"]


class TokenError(Exception):
    """The client is refused; the message is the reason it gets."""


class CredentialsError(Exception):
    """The client is refused and gets no reason; the message is for debugging only."""


class PlainExchange:
    """PLAIN: ``authzid NUL authcid NUL password``, in one token."""

    def __init__(self, users: Users) -> None:
        self._users = users
        self.user: str | None = None

    def answer(self, token: bytes) -> bytes:
        """Check name and password."""
        acting_for, name, password = _split(token)
        if not name:
            raise TokenError("Authentication failed: username not specified")
        if not password:
            raise TokenError("Authentication failed: password not specified")
        if not self._users.is_password_of(name, Secret(password)):
            raise TokenError("Authentication failed: Invalid username or password")
        if acting_for and acting_for != name:
            raise TokenError(
                "Authentication failed: Client requested an authorization id that is different from username"
            )
        self.user = name
        return b""


class ScramExchange:
    """SCRAM: the client's first message, ours, the client's proof, ours."""

    def __init__(self, mechanism: str, users: Users) -> None:
        self._mechanism = mechanism
        self._users = users
        self._server = ScramMechanism(mechanism).make_server(self._keys_of)
        self._name = ""
        self._has_begun = False
        self.user: str | None = None

    def answer(self, token: bytes) -> bytes:
        """Advance the exchange by one step."""
        try:
            return self._step(token.decode()).encode()
        except (ScramException, UnicodeDecodeError, ValueError) as error:
            raise CredentialsError(str(error)) from error

    def _step(self, message: str) -> str:
        if not self._has_begun:
            self._has_begun = True
            self._server.set_client_first(message)
            return str(self._server.get_server_first())
        self._server.set_client_final(message)
        answer = str(self._server.get_server_final())
        self.user = self._name
        return answer

    def _keys_of(self, name: str) -> tuple[bytes, bytes, bytes, int] | None:
        known = self._users.scram_credential(name, self._mechanism)
        if known is None:
            return None
        self._name = name
        return known.salt, known.stored_key, known.server_key, known.iterations


#: One authentication: tokens in, tokens out, until ``user`` is known. ``TokenError`` and ``CredentialsError`` end it.
Exchange = PlainExchange | ScramExchange

#: How an exchange begins, by the mechanism's name.
MECHANISMS: Final[Mapping[str, Callable[[Users], Exchange]]] = {
    "PLAIN": PlainExchange,
    **{mechanism: partial(ScramExchange, mechanism) for mechanism in SCRAM_HASHES},
}


def _split(token: bytes) -> tuple[str, str, str]:
    try:
        parts = token.decode().split("\0")
    except UnicodeDecodeError:
        raise TokenError("Invalid SASL/PLAIN response: it is not UTF-8") from None
    if len(parts) != 3:
        raise TokenError(f"Invalid SASL/PLAIN response: expected 3 tokens, got {len(parts)}")
    return parts[0], parts[1], parts[2]
