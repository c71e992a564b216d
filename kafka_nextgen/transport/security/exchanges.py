"""One login as a conversation: what to say first, and what to say to each answer, until nothing is left to say.

PLAIN, OAUTHBEARER and GSSAPI are kafka-python's, which know nothing of connections. Anything may be raised in them;
here all of it becomes a typed error, without the original, which may have a secret in its words or values. What a
broker must not say is an ``AuthenticationError``. What Kerberos complains of (no ticket, no answer of its server) is an
``OutageError``: tickets are renewed.

Steps may take long (a hash, a question to a Kerberos server), so whoever drives a login runs them in a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from attrs import field, frozen

from kafka_nextgen.errors import AuthenticationError, OutageError

__all__ = ["Exchange", "Login", "MechanismExchange", "begun"]

T = TypeVar("T")

_OURS = "this client can't make a token of what is configured"
_BROKERS = "the broker says what has no place in a login"


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
        return _typed(self._name, lambda: bytes(self._mechanism.auth_bytes()), _OURS)

    def reply(self, token: bytes) -> bytes | None:
        """What to say to the broker's token."""
        return _typed(self._name, lambda: self._replied(token), _BROKERS)

    def _replied(self, token: bytes) -> bytes | None:
        self._mechanism.receive(token)
        if not self._mechanism.is_done():
            return bytes(self._mechanism.auth_bytes())
        if not self._mechanism.is_authenticated():
            raise AuthenticationError(f"{self._name}: the broker ended the login as it may not")
        return None


def begun(name: str, mechanism: Callable[[], object]) -> MechanismExchange:
    """Make a mechanism, which for GSSAPI already asks the Kerberos server. Raises ``TransportError``."""
    return _typed(name, lambda: MechanismExchange(name, mechanism()), _OURS)


def _typed(name: str, step: Callable[[], T], fault: str) -> T:
    """Take a step; what it raises is told by its kind only, and by its words if those are of Kerberos."""
    try:
        return step()
    except AuthenticationError:
        raise
    except Exception as error:
        kind, words = type(error).__name__, str(error)
    if name == "GSSAPI":
        raise OutageError(f"GSSAPI: the login failed on this side: {words}")
    raise AuthenticationError(f"{name}: {fault} ({kind})")
