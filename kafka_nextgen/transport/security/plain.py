"""PLAIN, the client's side: name and password in one token (RFC 4616).

    C: NUL user NUL password
    S: (empty)

The authorization identity, before the first NUL, stays empty: RFC 4616 section 2 wants that of a client that acts as
the user it logs in as, and Kafka's own client and librdkafka do so. kafka-python repeats the name. Kafka takes either.

A NUL separates the parts. In a name it would end the name, and the rest would be taken for the password.
"""

from __future__ import annotations

from kafka_nextgen.errors import AuthenticationError, ConfigError
from kafka_nextgen.secret import Secret

__all__ = ["PlainExchange", "check_credentials"]


def check_credentials(user: str, password: Secret) -> None:
    """Raise ``ConfigError`` for a name or a password that PLAIN can't send."""
    for key, text in (("sasl.username", user), ("sasl.password", password.reveal())):
        if "\0" in text:
            raise ConfigError(f"{key} has a NUL, which sasl.mechanism=PLAIN can't send: use SCRAM or change it", key)


class PlainExchange:
    """One login."""

    refusal = ""

    def __init__(self, user: str, password: Secret) -> None:
        self._user = user
        self._password = password

    def first(self) -> bytes:
        """Say who we are, and show the password."""
        return f"\0{self._user}\0{self._password.reveal()}".encode()

    def reply(self, token: bytes) -> None:
        """The login is over. Raises ``AuthenticationError`` if the broker goes on."""
        if token:
            raise AuthenticationError("PLAIN: the broker sent a token where the login is over")
