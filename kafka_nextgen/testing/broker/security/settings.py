"""The broker's settings for listeners, encryption, authentication and rights, under Kafka's names.

Two defaults differ from Kafka's: the mechanisms, since Kafka's default is only Kerberos, and the listeners, which are
derived from the broker's address. ``authorizer.class.name`` is Kafka's class, which enables rules, or empty.

TLS is Python's ``ssl``, TLS 1.2 or newer only. ``ssl.keystore.location`` is a PEM file with the private key and its
chain of certificates (KIP-651); ``ssl.key.password`` decrypts the key. ``ssl.client.auth`` makes the broker ask clients
for a certificate, which is checked against the authorities in ``ssl.truststore.location``, also PEM. As in Kafka,
clients that authenticate with SASL are not asked.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Final

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.properties.value_types import SecurityProtocol
from kafka_nextgen.testing.broker.security.listeners import (
    PROTOCOLS_BY_NAME,
    Listener,
    parse_listeners,
    parse_protocol_map,
)
from kafka_nextgen.testing.broker.security.mechanisms import MECHANISMS
from kafka_nextgen.testing.broker.security.principals import Principal
from kafka_nextgen.testing.broker.setting_keys import (
    bool_key,
    int_key,
    key,
    names,
    names_or_none,
    one_of,
    secret,
    some_of,
    text,
)

__all__ = ["STANDARD_AUTHORIZER", "SecuritySettings"]

#: The only authorizer since Kafka 4.0.
STANDARD_AUTHORIZER: Final = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"

_DAY_MS: Final = 86_400_000

#: The values of ``ssl.client.auth``. ``requested`` accepts clients without a certificate, but not those with an invalid
#: one.
_CLIENT_AUTH: Final[Mapping[str, ssl.VerifyMode]] = {
    "none": ssl.CERT_NONE,
    "requested": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}


@frozen(kw_only=True)
class SecuritySettings:
    """The part of ``BrokerSettings`` that is about security."""

    # Listeners (KIP-103), and TLS on them (KIP-651: PEM files).
    listeners: tuple[str, ...] = key((), names_or_none())
    listener_security_protocol_map: tuple[str, ...] = key(PROTOCOLS_BY_NAME, names)
    ssl_keystore_location: str = key("", text)
    ssl_keystore_type: str = key("PEM", one_of("PEM"))
    ssl_key_password: Secret | None = key(None, secret)  # a field, as the others
    ssl_truststore_location: str = key("", text)
    ssl_truststore_type: str = key("PEM", one_of("PEM"))
    ssl_client_auth: str = key("none", one_of(*_CLIENT_AUTH))

    # Authentication (KIP-43, KIP-84, KIP-306, KIP-368).
    sasl_enabled_mechanisms: tuple[str, ...] = key(tuple(MECHANISMS), some_of(MECHANISMS))
    sasl_server_max_receive_size: int = int_key(524_288)
    connections_max_reauth_ms: int = int_key(0, low=0, high=_DAY_MS)
    connection_failed_authentication_delay_ms: int = int_key(100, low=0)

    # Rights (KIP-11, KIP-801).
    authorizer_class_name: str = key("", one_of("", STANDARD_AUTHORIZER))
    super_users: tuple[str, ...] = key((), names_or_none(";"), separator=";")
    allow_everyone_if_no_acl_found: bool = bool_key(False)

    def check_security(self) -> None:
        """Check the listeners and super users; raises ``ConfigError``."""
        self.parsed_listeners()
        self.parsed_super_users()

    def parsed_listeners(self) -> tuple[Listener, ...]:
        """The configured listeners; empty if none are set. Raises ``ConfigError``."""
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
        if not self.ssl_keystore_location:
            raise ConfigError("a listener with TLS needs ssl.keystore.location, a PEM file", "ssl.keystore.location")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        _load_keys(context, self.ssl_keystore_location, self.ssl_key_password)
        context.verify_mode = ssl.CERT_NONE if protocol.uses_sasl else _CLIENT_AUTH[self.ssl_client_auth]
        if context.verify_mode is not ssl.CERT_NONE:
            _load_authorities(context, self.ssl_truststore_location)
        return context


def _load_keys(context: ssl.SSLContext, keystore: str, key_password: Secret | None) -> None:
    # If no password were passed, OpenSSL would ask for one on the terminal.
    password = key_password.reveal() if key_password else ""
    try:
        context.load_cert_chain(keystore, password=lambda: password)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"ssl.keystore.location: {keystore} is not a PEM file with a certificate and its private key that "
            f"ssl.key.password decrypts: {error}",
            "ssl.keystore.location",
        ) from None


def _load_authorities(context: ssl.SSLContext, truststore: str) -> None:
    if not truststore:
        raise ConfigError(
            "ssl.client.auth needs ssl.truststore.location, a PEM file with the certificate authorities of clients",
            "ssl.truststore.location",
        )
    try:
        context.load_verify_locations(truststore)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"ssl.truststore.location: {truststore} is not a PEM file with certificates: {error}",
            "ssl.truststore.location",
        ) from error
