"""The configuration keys for TLS and SASL.

A missing key never disables security silently. Without ``security.protocol``, connections are not encrypted, so setting
TLS or SASL keys with a protocol that does not use them raises ``ConfigError``. Certificates are checked unless
``enable.ssl.certificate.verification=false``, and host names unless ``ssl.endpoint.identification.algorithm=none``. An
empty value does not disable either check.

``ALIASES`` has keys that Kafka's client and librdkafka name differently. Keys and certificates are PEM (KIP-651).
Passwords are kept in a ``Secret`` or ``SecretSource`` and never shown.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final
from urllib.parse import urlsplit

import attrs

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.properties import value_types as p
from kafka_nextgen.properties.secret import Secret, SecretSource
from kafka_nextgen.properties.value_types import SecurityProtocol
from kafka_nextgen.properties.value_types import config_key as _key

__all__ = [
    "ALIASES",
    "ContextCallback",
    "EndpointIdentification",
    "OauthMethod",
    "SaslMechanism",
    "SecurityConfig",
    "StoreType",
]

#: Names of other clients for the same keys.
ALIASES: Final[Mapping[str, str]] = {
    "sasl.mechanisms": "sasl.mechanism",
    "ssl.truststore.location": "ssl.ca.location",
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.location": "ssl.certificate.location",
}


_KEY_IN_TEXT = lazy_pattern(r"(?<![\w./])[a-z]+(?:\.[a-z]+)+(?![\w/]|\.\w)")


class SaslMechanism(Enum):
    """SASL mechanisms (KIP-43, KIP-84, KIP-255)."""

    PLAIN = "PLAIN"
    SCRAM_SHA_256 = "SCRAM-SHA-256"
    SCRAM_SHA_512 = "SCRAM-SHA-512"
    OAUTHBEARER = "OAUTHBEARER"
    GSSAPI = "GSSAPI"


class EndpointIdentification(Enum):
    """Whether the certificate must have the host name of the broker."""

    HTTPS = "https"
    NONE = "none"


class StoreType(Enum):
    """The format of keys and certificates."""

    PEM = "PEM"


class OauthMethod(Enum):
    """The source of OAUTHBEARER tokens."""

    DEFAULT = "default"
    OIDC = "oidc"


#: Called with ``sasl.oauthbearer.config`` in a separate thread. Returns a token, or a tuple of a token, its expiry time
#: in seconds since 1970, optionally its principal (not sent), and optionally extensions (KIP-342).
OauthCallback = Callable[[str], object]


def _read_secret(value: object) -> Secret:
    if isinstance(value, Secret):
        return value
    if not isinstance(value, str) or not value:
        raise ValueError("must be a non-empty string (it is not shown here)")
    return Secret(value)


def _read_password(value: object) -> Secret | SecretSource:
    if isinstance(value, SecretSource):
        return value
    return SecretSource("sasl.password", value) if callable(value) else _read_secret(value)


def _read_url(value: object) -> str:
    """An HTTPS URL. Errors don't show it, since it may contain a password."""
    url = value.strip() if isinstance(value, str) else ""
    flaw = _flaw_of_url(url)
    if flaw:
        raise ValueError(f"must be https://host/path, because a secret is sent there: {flaw} (it is not shown here)")
    return url


def _flaw_of_url(text: str) -> str | None:
    if not (text.isascii() and text.isprintable()) or " " in text:
        return "it has characters that are not allowed in a URL"
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        return "its host or port is not valid"
    if url.scheme != "https":
        return "it does not begin with https://"
    if "@" in url.netloc:
        return "it has a user or a password, which have separate keys"
    if not p.can_be_host(url.hostname or "") or port == 0:
        return "its host or port is not valid"
    return "it has a fragment" if url.fragment else None


#: Called in a separate thread for each new connection.
ContextCallback = Callable[[], ssl.SSLContext]


def _read_context(value: object) -> ssl.SSLContext | ContextCallback:
    if not isinstance(value, ssl.SSLContext) and not callable(value):
        raise ValueError(f"must be an ssl.SSLContext, or a callable that returns one, not {value!r}")
    return value


def _read_callback(value: object) -> OauthCallback:
    if not callable(value):
        raise ValueError(f"must be a callable that takes a string and returns a token, not {value!r}")
    return value


_SECRET: p.ValueType[Secret] = p.ValueType("string, never shown", _read_secret)
_PASSWORD: p.ValueType[Secret | SecretSource] = p.ValueType("string or callable, never shown", _read_password)
_PEM = p.one_of(StoreType, later=("jks", "pkcs12"))


@frozen(kw_only=True, repr=False)
class SecurityConfig:
    """The TLS and SASL keys of ``ConsumerConfig``."""

    security_protocol: SecurityProtocol = _key(
        p.one_of(SecurityProtocol),
        SecurityProtocol.PLAINTEXT,
        "How to connect to brokers: with TLS (SSL), with SASL (SASL_PLAINTEXT), or with both (SASL_SSL).",
    )
    ssl_ca_location: str | None = _key(
        p.path,
        None,
        "A PEM file, or a directory in OpenSSL's layout, with trusted CA certificates. Default: the system's. Alias: "
        "ssl.truststore.location.",
    )
    ssl_ca_pem: str | None = _key(
        p.text(), None, "Trusted CA certificates as PEM text. Alias: ssl.truststore.certificates."
    )
    ssl_certificate_location: str | None = _key(
        p.path,
        None,
        "A PEM file with the client's certificate and its chain, for brokers that require one; may include the private "
        "key. Alias: ssl.keystore.location.",
    )
    ssl_key_location: str | None = _key(p.path, None, "A PEM file with the private key, if it is a separate file.")
    ssl_key_password: Secret | None = _key(_SECRET, None, "The password of the private key.")
    ssl_truststore_type: StoreType = _key(_PEM, StoreType.PEM, "Convert other formats to PEM first (KIP-651).")
    ssl_keystore_type: StoreType = _key(_PEM, StoreType.PEM, "Convert other formats to PEM first (KIP-651).")
    ssl_cipher_suites: str | None = _key(
        p.text("NAME:..."), None, "The allowed TLS 1.2 ciphers, by OpenSSL's names. Default: Python's."
    )
    ssl_endpoint_identification_algorithm: EndpointIdentification = _key(
        p.one_of(EndpointIdentification),
        EndpointIdentification.HTTPS,
        "https checks that the certificate has the broker's host name; none accepts every trusted certificate.",
    )
    enable_ssl_certificate_verification: bool = _key(
        p.boolean, True, "Whether to check certificates; false accepts every server. From librdkafka."
    )
    ssl_context: ssl.SSLContext | ContextCallback | None = _key(
        p.ValueType("ssl.SSLContext or callable", _read_context),
        None,
        "An existing context that replaces the other ssl keys; it is used unchanged. Or a callable without arguments "
        "that returns one, called in a thread for each new connection. From kafka-python.",
    )
    sasl_mechanism: SaslMechanism | None = _key(
        p.one_of(SaslMechanism),
        None,
        "The SASL mechanism; required with SASL. Alias: sasl.mechanisms.",
    )
    sasl_username: str | None = _key(p.text(), None, "The user name for PLAIN and SCRAM. From librdkafka.")
    sasl_password: Secret | SecretSource | None = _key(
        _PASSWORD,
        None,
        "The password for PLAIN and SCRAM. Or a callable without arguments that returns it, called in a thread for "
        "each login. From librdkafka.",
    )
    oauth_cb: OauthCallback | None = _key(
        p.ValueType("callable", _read_callback),
        None,
        "For OAUTHBEARER: called in a thread with sasl.oauthbearer.config; returns a token, or (token, expiry time in "
        "seconds since 1970). From confluent-kafka.",
    )
    sasl_oauthbearer_config: str | None = _key(p.text(), None, "The argument of oauth.cb. From librdkafka.")
    sasl_oauthbearer_method: OauthMethod = _key(
        p.one_of(OauthMethod),
        OauthMethod.DEFAULT,
        "default takes tokens from oauth.cb, oidc from an OpenID provider (client credentials). From librdkafka.",
    )
    sasl_oauthbearer_token_endpoint_url: str | None = _key(
        p.ValueType("https://...", _read_url), None, "With oidc: the URL of the token endpoint."
    )
    sasl_oauthbearer_client_id: str | None = _key(p.text(), None, "With oidc: the client id. From librdkafka.")
    sasl_oauthbearer_client_secret: Secret | None = _key(
        _SECRET, None, "With oidc: the client secret. From librdkafka."
    )
    sasl_oauthbearer_scope: str | None = _key(p.text(), None, "With oidc: the requested scope. From librdkafka.")
    https_ca_location: str | None = _key(
        p.path,
        None,
        "With oidc: trusted CA certificates for the token endpoint, in the form of ssl.ca.location. From librdkafka.",
    )
    sasl_kerberos_service_name: str | None = _key(
        p.text(), None, "With GSSAPI (needs kafka-nextgen[gssapi]): the first part of the brokers' principals."
    )
    #: Maps Kafka's name of a key to the name under which it was set, such as an alias.
    written_names: Mapping[str, str] = attrs.field(factory=dict, eq=False)

    def written_name(self, key: str) -> str:
        """The name under which a key was set, for errors about it."""
        return self.written_names.get(key, key)

    def as_written(self, message: str) -> str:
        """An error's message, with the names under which keys were set."""
        return _KEY_IN_TEXT.sub(lambda found: self.written_name(found[0]), message)
