"""What of the configuration is about security, made ready: the TLS context and the login, both for all connections.

A password or a token in the clear is a warning, once for a client; SCRAM and Kerberos show neither.
"""

from __future__ import annotations

import ssl
from typing import Final

from attrs import frozen

from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties import SecurityProtocol
from kafka_nextgen.security_config import SaslMechanism, SecurityConfig
from kafka_nextgen.transport.security.exchanges import Login
from kafka_nextgen.transport.security.tls import client_context

__all__ = ["Security", "security_of"]

logger = logger_of(__name__)

_SHOWS_SECRETS: Final = (SaslMechanism.PLAIN, SaslMechanism.OAUTHBEARER)


@frozen
class Security:
    """What every connection goes through before it is used; None for what it does not."""

    protocol: SecurityProtocol = SecurityProtocol.PLAINTEXT
    context: ssl.SSLContext | None = None
    login: Login | None = None


def security_of(config: SecurityConfig) -> Security:
    """Make it ready. Raises ``ConfigError`` for files that can't be read and packages that are missing."""
    security = Security(config.security_protocol, client_context(config), _login_of(config))
    if security.context is None and config.sasl_mechanism in _SHOWS_SECRETS:
        logger.warning(
            "security.protocol=%s with sasl.mechanism=%s shows brokers and everybody on the way the password or token: "
            "use SASL_SSL",
            config.security_protocol.value,
            config.sasl_mechanism.value,
        )
    return security


def _login_of(config: SecurityConfig) -> Login | None:
    if config.sasl_mechanism is None:
        return None
    # Mechanisms are a good part of what there is to import, and most clients in a test or behind TLS have none.
    from kafka_nextgen.transport.security.login import login_of

    return login_of(config)
