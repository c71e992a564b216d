"""PLAIN: user name and password in one token (RFC 4616).

    C: NUL user NUL password
    S: (empty)

The authorization identity, before the first NUL, stays empty (RFC 4616 section 2), as in Kafka's client and librdkafka.
A NUL inside the name would end it, and the rest would count as the password.
"""

from __future__ import annotations

from kafka_nextgen.errors import AuthenticationError, ConfigError
from kafka_nextgen.properties.secret import Secret

__all__ = ["PlainClient", "check_password", "check_user"]


def check_user(user: str) -> None:
    """Raise ``ConfigError`` for a name that PLAIN can't send."""
    if "\0" in user:
        raise ConfigError(_nul_in("sasl.username"), "sasl.username")


def check_password(password: Secret) -> None:
    """Raise ``ConfigError`` for a password that PLAIN can't send."""
    if "\0" in password.reveal():
        raise ConfigError(_nul_in("sasl.password"), "sasl.password")


def _nul_in(key: str) -> str:
    return f"{key} has a NUL, which sasl.mechanism=PLAIN can't send: use SCRAM or change it"


class PlainClient:
    """One login with PLAIN."""

    refusal = ""

    def __init__(self, user: str, password: Secret) -> None:
        self._user = user
        self._password = password

    def initial_response(self) -> bytes:
        """The user and the password. Raises ``AuthenticationError`` for a password that can't be sent."""
        if "\0" in self._password.reveal():
            raise AuthenticationError(_nul_in("sasl.password"))
        return f"\0{self._user}\0{self._password.reveal()}".encode()

    def evaluate_challenge(self, challenge: bytes) -> None:
        """End the login. Raises ``AuthenticationError`` if the broker continues."""
        if challenge:
            raise AuthenticationError("PLAIN: the broker sent a token after the login was over")
