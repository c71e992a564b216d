"""One login as a conversation: what to say first, and what to say to each answer, until nothing is left to say.

An exchange knows nothing of connections. What a broker must not say is an ``AuthenticationError``. What may pass, such
as a Kerberos server that does not answer, is an ``OutageError``. Neither has the original error, which may have a
secret in its words or values.

Steps may take long (a hash, a question to a Kerberos server), so whoever drives a login runs them in a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from attrs import field, frozen

__all__ = ["Exchange", "Login"]


class Exchange(Protocol):
    """A login by one mechanism, from its first token to its last."""

    @property
    def refusal(self) -> str:
        """Why the broker refuses, if one of its tokens said so; it has yet to end the login. Empty if none did."""

    def first(self) -> bytes:
        """The token to begin with. Raises ``TransportError``."""

    def reply(self, token: bytes) -> bytes | None:
        """What to say to the broker's token; None if that was its last. Raises ``TransportError``."""


@frozen
class Login:
    """A mechanism by Kafka's name, and what begins an exchange with a broker of this host; may block."""

    mechanism: str
    begin: Callable[[str], Exchange] = field(repr=False)
