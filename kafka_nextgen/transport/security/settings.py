"""The security settings of all connections of a client: the TLS context, and the SASL login."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.security_config import ContextCallback, SaslMechanism, SecurityConfig
from kafka_nextgen.properties.value_types import SecurityProtocol
from kafka_nextgen.transport.security.tls import client_contexts

__all__ = ["SaslClient", "SaslLogin", "Security", "security_of"]

logger = logger_of(__name__)

_SHOWS_SECRETS: Final = (SaslMechanism.PLAIN, SaslMechanism.OAUTHBEARER)


class SaslClient(Protocol):
    """The client's side of one login with one mechanism (RFC 4422), without I/O on the connection.

    Methods raise ``AuthenticationError`` if the broker breaks the protocol, and ``OutageError`` for failures that may
    be temporary, such as a Kerberos server that does not answer. They do not have the original error as their cause,
    because that may contain a secret. Methods may block (a hash, a Kerberos server) and are called in a thread.
    """

    @property
    def refusal(self) -> str:
        """Why the broker refuses the login, if a challenge gave the reason before the login ended; empty otherwise."""

    def initial_response(self) -> bytes:
        """The first token to send."""

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """The response to the broker's token; None if that was the last."""


def _nothing() -> None:
    """Default for ``forget``: no state is kept between logins."""


@frozen
class SaslLogin:
    """A mechanism, by Kafka's name, and a function that creates the client for a login to a broker; it may block.

    ``forget`` is called after a refused login: the next one must not reuse cached state, such as a token.
    """

    mechanism: str
    new_client: Callable[[str], SaslClient] = field(repr=False)
    forget: Callable[[], None] = field(default=_nothing, repr=False)


@frozen
class Security:
    """How connections are secured; ``contexts`` is None without TLS, ``login`` None without SASL.

    ``contexts`` returns the context for a new connection, and may block.
    """

    protocol: SecurityProtocol = SecurityProtocol.PLAINTEXT
    contexts: ContextCallback | None = None
    login: SaslLogin | None = None


def security_of(config: SecurityConfig) -> Security:
    """The settings in a configuration; warns of a password or token that is sent without TLS.

    Raises ``ConfigError`` for files that can't be read and packages that are missing.
    """
    login = None
    if config.sasl_mechanism is not None:
        # Imported only when needed: the mechanisms account for much of this package's import time.
        from kafka_nextgen.transport.security.login import login_of

        login = login_of(config)
    security = Security(config.security_protocol, client_contexts(config), login)
    if security.contexts is None and config.sasl_mechanism in _SHOWS_SECRETS:
        logger.warning(
            "security.protocol=%s with sasl.mechanism=%s sends the password or token unencrypted: use SASL_SSL",
            config.security_protocol.value,
            config.sasl_mechanism.value,
        )
    return security
