"""The configuration keys about TLS and SASL: who the brokers are, and who we are to them.

Nothing here is ever switched off by leaving something out. Without ``security.protocol`` brokers are spoken to in the
clear, so a key of TLS or SASL beside a protocol that has no use for it is a ``ConfigError`` and not ignored: a user who
names an authority means to be protected. Certificates are checked unless ``enable.ssl.certificate.verification=false``,
host names unless ``ssl.endpoint.identification.algorithm=none``; an empty value switches off neither.

Where Kafka's own client and librdkafka name the same thing differently, both names are taken (``ALIASES``). Keys and
certificates are PEM (KIP-651). Passwords become a ``Secret`` as they are read and are shown nowhere from then on.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Final
from urllib.parse import urlsplit

import attrs
from attrs import frozen

from kafka_nextgen import properties as p
from kafka_nextgen.properties import SecurityProtocol
from kafka_nextgen.properties import config_key as _key
from kafka_nextgen.secret import Secret

__all__ = ["ALIASES", "EndpointIdentification", "OauthMethod", "SaslMechanism", "SecurityConfig", "StoreType"]

#: Other names of keys, by which other clients know them.
ALIASES: Final[Mapping[str, str]] = {
    "sasl.mechanisms": "sasl.mechanism",
    "ssl.truststore.location": "ssl.ca.location",
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.location": "ssl.certificate.location",
}


class SaslMechanism(Enum):
    """How to log in (KIP-43, KIP-84, KIP-255)."""

    PLAIN = "PLAIN"
    SCRAM_SHA_256 = "SCRAM-SHA-256"
    SCRAM_SHA_512 = "SCRAM-SHA-512"
    OAUTHBEARER = "OAUTHBEARER"
    GSSAPI = "GSSAPI"


class EndpointIdentification(Enum):
    """Whether a certificate must be the broker's own."""

    HTTPS = "https"
    NONE = "none"


class StoreType(Enum):
    """The format of keys and certificates."""

    PEM = "PEM"


class OauthMethod(Enum):
    """Where a token is from."""

    DEFAULT = "default"
    OIDC = "oidc"


#: Called in a thread of its own with ``sasl.oauthbearer.config``; gives a token, or a token with the time its life
#: ends (seconds since 1970), perhaps its principal (not sent), and perhaps extensions (KIP-342).
OauthCallback = Callable[[str], object]


def _read_secret(value: object) -> Secret:
    if isinstance(value, Secret):
        return value
    if not isinstance(value, str) or not value:
        raise ValueError("must be a non-empty string (it is not shown here)")
    return Secret(value)


def _read_url(value: object) -> str:
    """An address that a secret may be sent to; what is wrong with it is said without showing it."""
    written = value.strip() if isinstance(value, str) else ""
    wrong = _wrong_with_url(written)
    if wrong:
        raise ValueError(f"must be https://host/path, because a secret is sent there: {wrong} (it is not shown here)")
    return written


def _wrong_with_url(written: str) -> str | None:
    if not (written.isascii() and written.isprintable()) or " " in written:
        return "it has characters that an URL can't have"
    try:
        url = urlsplit(written)
        port = url.port
    except ValueError:
        return "its host or port is not valid"
    if url.scheme != "https":
        return "it does not begin with https://"
    if "@" in url.netloc:
        return "it has a user or a password, which are keys of their own"
    if not p.can_be_host(url.hostname or "") or port == 0:
        return "its host or port is not valid"
    return "it has a fragment" if url.fragment else None


def _read_context(value: object) -> ssl.SSLContext:
    if not isinstance(value, ssl.SSLContext):
        raise ValueError(f"must be an ssl.SSLContext, not {value!r}")
    return value


def _read_callback(value: object) -> OauthCallback:
    if not callable(value):
        raise ValueError(f"must be a callable that takes a string and returns a token, not {value!r}")
    return value


_SECRET: p.ValueType[Secret] = p.ValueType("string, never shown", _read_secret)
_PEM = p.one_of(StoreType, later=("jks", "pkcs12"))
_WITH_TLS = (SecurityProtocol.SSL, SecurityProtocol.SASL_SSL)
_WITH_SASL = (SecurityProtocol.SASL_PLAINTEXT, SecurityProtocol.SASL_SSL)
_BY_PASSWORD = (SaslMechanism.PLAIN, SaslMechanism.SCRAM_SHA_256, SaslMechanism.SCRAM_SHA_512)


# ruff: noqa: RUF009  (a default here is attrs's description of a field, made once)
@frozen(kw_only=True, repr=False)
class SecurityConfig:
    """The part of ``ConsumerConfig`` that is about TLS and SASL."""

    security_protocol: SecurityProtocol = _key(
        p.one_of(SecurityProtocol),
        SecurityProtocol.PLAINTEXT,
        "How brokers are spoken to: with TLS (SSL), with a login (SASL_PLAINTEXT), or both (SASL_SSL).",
    )
    ssl_ca_location: str | None = _key(
        p.path,
        None,
        "A PEM file, or a directory as OpenSSL's, with the authorities to trust; unset trusts the system's. Java's "
        "ssl.truststore.location is the same key.",
    )
    ssl_ca_pem: str | None = _key(
        p.text(), None, "The same as text. Java's ssl.truststore.certificates is the same key."
    )
    ssl_certificate_location: str | None = _key(
        p.path,
        None,
        "A PEM file with this client's certificate and its chain, for brokers that ask for one; perhaps also with its "
        "key. Java's ssl.keystore.location is the same key.",
    )
    ssl_key_location: str | None = _key(p.path, None, "A PEM file with the key of that certificate, if it is another.")
    ssl_key_password: Secret | None = _key(_SECRET, None, "What opens that key.")
    ssl_truststore_type: StoreType = _key(_PEM, StoreType.PEM, "Kafka's other formats have to be converted (KIP-651).")
    ssl_keystore_type: StoreType = _key(_PEM, StoreType.PEM, "The same.")
    ssl_cipher_suites: str | None = _key(
        p.text("NAME:..."), None, "The ciphers allowed with TLS 1.2, by OpenSSL's names; unset takes Python's choice."
    )
    ssl_endpoint_identification_algorithm: EndpointIdentification = _key(
        p.one_of(EndpointIdentification),
        EndpointIdentification.HTTPS,
        "Whether a broker's certificate must have the host name it was reached by; none accepts any that is trusted.",
    )
    enable_ssl_certificate_verification: bool = _key(
        p.boolean, True, "Check certificates; false accepts any server. librdkafka's."
    )
    ssl_context: ssl.SSLContext | None = _key(
        p.ValueType("ssl.SSLContext", _read_context),
        None,
        "A ready context, instead of the other ssl keys; it is used as it is. kafka-python's.",
    )
    sasl_mechanism: SaslMechanism | None = _key(
        p.one_of(SaslMechanism),
        None,
        "How to log in; required with SASL. The same key as sasl.mechanisms.",
    )
    sasl_username: str | None = _key(p.text(), None, "Who logs in by PLAIN or SCRAM. librdkafka's.")
    sasl_password: Secret | None = _key(_SECRET, None, "That user's password. librdkafka's.")
    oauth_cb: OauthCallback | None = _key(
        p.ValueType("callable", _read_callback),
        None,
        "For OAUTHBEARER: called in a thread with sasl.oauthbearer.config, gives a token, or (token, when its life "
        "ends in seconds since 1970). confluent-kafka's oauth_cb.",
    )
    sasl_oauthbearer_config: str | None = _key(p.text(), None, "What oauth.cb is given. librdkafka's.")
    sasl_oauthbearer_method: OauthMethod = _key(
        p.one_of(OauthMethod),
        OauthMethod.DEFAULT,
        "Where tokens are from: oauth.cb, or with oidc an OpenID provider (client credentials). librdkafka's.",
    )
    sasl_oauthbearer_token_endpoint_url: str | None = _key(
        p.ValueType("https://...", _read_url), None, "With oidc: where tokens are asked for."
    )
    sasl_oauthbearer_client_id: str | None = _key(p.text(), None, "With oidc: who asks. librdkafka's.")
    sasl_oauthbearer_client_secret: Secret | None = _key(_SECRET, None, "With oidc: its secret. librdkafka's.")
    sasl_oauthbearer_scope: str | None = _key(p.text(), None, "With oidc: what is asked for. librdkafka's.")
    https_ca_location: str | None = _key(
        p.path, None, "With oidc: as ssl.ca.location, for the token endpoint. librdkafka's."
    )
    sasl_kerberos_service_name: str | None = _key(
        p.text(), None, "With GSSAPI, which needs kafka-nextgen[gssapi]: the first part of the brokers' principals."
    )

    def is_set(self, attribute: str) -> bool:
        """Whether a key has another value than its default."""
        return bool(getattr(self, attribute) != getattr(attrs.fields(SecurityConfig), attribute).default)

    def contradictions(self) -> Iterator[tuple[bool, str, str]]:
        """Pairs of values that can't both be meant, each with the key to change."""
        yield from self._without_use()
        yield from self._of_tls()
        yield from self._of_sasl()

    def _without_use(self) -> Iterator[tuple[bool, str, str]]:
        """Keys of TLS need TLS, keys of SASL need SASL."""
        for attribute in (field.name for field in attrs.fields(SecurityConfig)):
            family = attribute.replace("enable_", "").split("_")[0]
            protocols = {"ssl": _WITH_TLS, "sasl": _WITH_SASL, "oauth": _WITH_SASL, "https": _WITH_SASL}.get(family)
            if protocols is not None and self.security_protocol not in protocols:
                name, wanted = attribute.replace("_", "."), " or ".join(protocol.value for protocol in protocols)
                why = f"{name} is of no use with security.protocol={self.security_protocol.value}: set {wanted}"
                yield self.is_set(attribute), why, name

    def _of_tls(self) -> Iterator[tuple[bool, str, str]]:
        two = "ssl.ca.location and ssl.ca.pem are two ways to say the same: give one of them"
        yield self.ssl_ca_location is not None and self.ssl_ca_pem is not None, two, "ssl.ca.pem"
        alone = self.ssl_certificate_location is None
        key = "ssl.key.location needs ssl.certificate.location, the certificate that it is the key of"
        yield self.ssl_key_location is not None and alone, key, "ssl.key.location"
        password = "ssl.key.password needs ssl.certificate.location: there is no key to open"
        yield self.ssl_key_password is not None and alone, password, "ssl.key.password"
        for attribute in _IN_A_CONTEXT if self.ssl_context is not None else ():
            name = attribute.replace("_", ".")
            yield self.is_set(attribute), f"{name} can't be set beside ssl.context, which is used as it is", name

    def _of_sasl(self) -> Iterator[tuple[bool, str, str]]:
        protocol, mechanism = self.security_protocol, self.sasl_mechanism
        if mechanism is None:
            missing = f"security.protocol={protocol.value} needs sasl.mechanism: {_MECHANISMS}"
            yield protocol in _WITH_SASL, missing, "sasl.mechanism"
            return
        needed, possible = self._login_keys(mechanism)
        for attribute in needed:
            name = attribute.replace("_", ".")
            yield not self.is_set(attribute), f"sasl.mechanism={mechanism.value} needs {name}", name
        for attribute in sorted(_LOGIN_KEYS - {*needed, *possible}):
            name = attribute.replace("_", ".")
            beside = f"sasl.mechanism={mechanism.value}" + ("" if mechanism is not _OAUTH else f" by {self._method}")
            yield self.is_set(attribute), f"{name} is of no use with {beside}: remove it", name

    @property
    def _method(self) -> str:
        return f"sasl.oauthbearer.method={self.sasl_oauthbearer_method.value}"

    def _login_keys(self, mechanism: SaslMechanism) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Which keys a mechanism must have, and which others it may have."""
        if mechanism in _BY_PASSWORD:
            return ("sasl_username", "sasl_password"), ()
        if mechanism is SaslMechanism.GSSAPI:
            return ("sasl_kerberos_service_name",), ()
        if self.sasl_oauthbearer_method is OauthMethod.DEFAULT:
            return ("oauth_cb",), ("sasl_oauthbearer_config",)
        return _OIDC_KEYS, ("sasl_oauthbearer_method", "sasl_oauthbearer_scope", "https_ca_location")


_OAUTH = SaslMechanism.OAUTHBEARER
_MECHANISMS = ", ".join(mechanism.value for mechanism in SaslMechanism)
_OIDC_KEYS = (
    "sasl_oauthbearer_token_endpoint_url",
    "sasl_oauthbearer_client_id",
    "sasl_oauthbearer_client_secret",
)

#: What a ready context says already.
_IN_A_CONTEXT = tuple(
    field.name
    for field in attrs.fields(SecurityConfig)
    if "ssl_" in field.name and field.name not in ("ssl_context", "ssl_truststore_type", "ssl_keystore_type")
)

#: Every key that belongs to some mechanisms only.
_LOGIN_KEYS = frozenset(
    field.name
    for field in attrs.fields(SecurityConfig)
    if field.name.startswith(("sasl_", "oauth_", "https_")) and field.name != "sasl_mechanism"
)
