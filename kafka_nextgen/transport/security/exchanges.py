"""One login as a conversation: what to say first, and what to say to each answer, until nothing is left to say.

PLAIN, OAUTHBEARER and GSSAPI are kafka-python's, which know nothing of connections. They raise whatever went wrong in
them; here all of it becomes a typed error. What a broker must not say is an ``AuthenticationError``, without the words
of the original, which may repeat a secret. What Kerberos has to complain of (no ticket, no answer of its server) is
weather and so an ``OutageError``: tickets are renewed, and nobody has refused us.

Steps may take long (a hash, a question to a Kerberos server), so whoever drives a login runs them in a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from attrs import field, frozen

from kafka_nextgen.errors import AuthenticationError, OutageError, TransportError

__all__ = ["Exchange", "Login", "MechanismExchange", "begun"]

T = TypeVar("T")


class Exchange(Protocol):
    """A login by one mechanism, from its first token to its last."""

    def first(self) -> bytes:
        """The token to begin with. Raises ``TransportError``."""

    def reply(self, token: bytes) -> bytes | None:
        """What to say to the broker's token; None if that was its last. Raises ``TransportError``."""


@frozen
class Login:
    """A mechanism by Kafka's name, and what begins an exchange with a broker of this host; may block."""

    mechanism: str
    begin: Callable[[str], Exchange] = field(repr=False)


class MechanismExchange:
    """A login by one of kafka-python's mechanisms."""

    def __init__(self, name: str, mechanism: Any) -> None:
        self._name = name
        self._mechanism = mechanism

    def first(self) -> bytes:
        """The token to begin with."""
        return self._guarded(lambda: bytes(self._mechanism.auth_bytes()))

    def reply(self, token: bytes) -> bytes | None:
        """What to say to the broker's token."""
        return self._guarded(lambda: self._replied(token))

    def _replied(self, token: bytes) -> bytes | None:
        self._mechanism.receive(token)
        if not self._mechanism.is_done():
            return bytes(self._mechanism.auth_bytes())
        if not self._mechanism.is_authenticated():
            raise AuthenticationError(f"{self._name}: the broker ended the login as it may not")
        return None

    def _guarded(self, step: Callable[[], T]) -> T:
        try:
            return step()
        except AuthenticationError:
            raise
        except Exception as error:
            raise _failed(self._name, error) from error


def begun(name: str, mechanism: Callable[[], object]) -> MechanismExchange:
    """Make a mechanism, which for GSSAPI already asks the Kerberos server. Raises ``TransportError``."""
    try:
        return MechanismExchange(name, mechanism())
    except Exception as error:
        raise _failed(name, error) from error


def _failed(name: str, error: Exception) -> TransportError:
    if name == "GSSAPI":
        return OutageError(f"GSSAPI: the login failed on this side: {error}")
    return AuthenticationError(f"{name}: the broker says what has no place in a login ({type(error).__name__})")
