"""The broker's settings about listeners, encryption, authentication and rights, under Kafka's names.

Two defaults differ from Kafka's: the mechanisms, which there are Kerberos only, and the listeners, which come from the
address the broker was given. ``authorizer.class.name`` is Kafka's class or empty: with it, rules decide.
"""

from __future__ import annotations

import ssl
from typing import Final

from attrs import frozen

from kafka_nextgen.broker.security.listeners import (
    PROTOCOLS_BY_NAME,
    Listener,
    parse_listeners,
    parse_protocol_map,
)
from kafka_nextgen.broker.security.mechanisms import MECHANISMS
from kafka_nextgen.broker.security.principals import Principal
from kafka_nextgen.broker.security.tls import CLIENT_AUTH, TlsFiles, server_context
from kafka_nextgen.broker.setting_keys import (
    bool_key,
    choice_key,
    choices_key,
    int_key,
    list_key,
    optional_list_key,
    secret_key,
    text_key,
)
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties import SecurityProtocol
from kafka_nextgen.secret import Secret

__all__ = ["STANDARD_AUTHORIZER", "SecuritySettings"]

#: The one authorizer there is since Kafka 4.0.
STANDARD_AUTHORIZER: Final = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"

_DAY_MS: Final = 86_400_000


@frozen(kw_only=True)
class SecuritySettings:
    """The part of ``BrokerSettings`` that is about security."""

    # Listeners (KIP-103), and TLS on them (KIP-651: PEM files).
    listeners: tuple[str, ...] = optional_list_key()
    listener_security_protocol_map: tuple[str, ...] = list_key(PROTOCOLS_BY_NAME)
    ssl_keystore_location: str = text_key()
    ssl_keystore_type: str = choice_key("PEM", ("PEM",))
    ssl_key_password: Secret | None = secret_key()  # noqa: RUF009  # a field, as the others
    ssl_truststore_location: str = text_key()
    ssl_truststore_type: str = choice_key("PEM", ("PEM",))
    ssl_client_auth: str = choice_key("none", tuple(CLIENT_AUTH))

    # Authentication (KIP-43, KIP-84, KIP-306, KIP-368).
    sasl_enabled_mechanisms: tuple[str, ...] = choices_key(tuple(MECHANISMS), tuple(MECHANISMS))
    sasl_server_max_receive_size: int = int_key(524_288)
    connections_max_reauth_ms: int = int_key(0, low=0, high=_DAY_MS)
    connection_failed_authentication_delay_ms: int = int_key(100, low=0)

    # Rights (KIP-11, KIP-801).
    authorizer_class_name: str = choice_key("", ("", STANDARD_AUTHORIZER))
    super_users: tuple[str, ...] = optional_list_key(";")
    allow_everyone_if_no_acl_found: bool = bool_key(False)

    def check_security(self) -> None:
        """Check the listeners and super users; raises ``ConfigError``."""
        self.parsed_listeners()
        self.parsed_super_users()

    def parsed_listeners(self) -> tuple[Listener, ...]:
        """The listeners, none if none are set. Raises ``ConfigError``."""
        return parse_listeners(self.listeners, parse_protocol_map(self.listener_security_protocol_map))

    def parsed_super_users(self) -> frozenset[Principal]:
        """The principals with every right. Raises ``ConfigError``."""
        try:
            return frozenset(Principal.parse(text) for text in self.super_users)
        except ValueError as error:
            raise ConfigError(f"super.users: {error}", "super.users") from None

    def tls_context(self, protocol: SecurityProtocol) -> ssl.SSLContext | None:
        """The TLS context of listeners with this protocol; None without TLS. Raises ``ConfigError``."""
        if not protocol.uses_tls:
            return None
        files = TlsFiles(self.ssl_keystore_location, self.ssl_key_password, self.ssl_truststore_location)
        return server_context(files, "none" if protocol.uses_sasl else self.ssl_client_auth)
