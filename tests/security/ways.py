"""Ways of asking a secured broker to be let in, and what comes of each, of the embedded broker as of Kafka."""

from __future__ import annotations

import base64
import json
import ssl
import time
from collections.abc import Callable, Mapping

from attrs import frozen

from kafka_nextgen import AuthenticationError, NoBrokersError, TlsError, TransportError
from tests.support.certificates import Certificates
from tests.support.secured_kafka import PASSWORDS, SecuredKafka

Settings = dict[str, object]


@frozen
class Way:
    """A listener, and what a client of it is told."""

    listener: str
    settings: Callable[[Certificates], Settings]

    def config(self, broker: SecuredKafka, certificates: Certificates, **more: object) -> Settings:
        return {"bootstrap_servers": broker.servers[self.listener], **self.settings(certificates), **more}


@frozen
class Refused:
    """A way that does not lead in; the kind of error, and what it says at least."""

    way: Way
    kind: type[TransportError]
    says: str


def with_tls(certificates: Certificates, protocol: str = "SSL") -> Settings:
    return {"security_protocol": protocol, "ssl_ca_location": certificates.authority}


def login(mechanism: str, user: str = "alice", password: str | None = None) -> Settings:
    return {
        "sasl_mechanism": mechanism,
        "sasl_username": user,
        "sasl_password": PASSWORDS[user] if password is None else password,
    }


def unsecured_token(config: str, life_s: float = 60) -> tuple[str, float]:
    """A token that nobody signed, which Kafka takes unless it is told otherwise; lives a minute."""
    ends_at = time.time() + life_s
    parts = {"alg": "none"}, {"sub": config or "alice", "iat": time.time() - 3600, "exp": ends_at}
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, ""]), ends_at


def _with_extension(config: str) -> object:
    return *unsecured_token(config), "alice", {"traceId": "1 =~!"}


def _sasl(listener: str, mechanism: str, user: str = "alice", password: str | None = None) -> Way:
    def settings(certificates: Certificates) -> Settings:
        tls = {} if listener != "SASL_SSL" else with_tls(certificates, listener)
        return {"security_protocol": listener, **tls, **login(mechanism, user, password)}

    return Way(listener, settings)


def _tls(listener: str, **more: Callable[[Certificates], object]) -> Way:
    return Way(listener, lambda all_: {**with_tls(all_), **{key: value(all_) for key, value in more.items()}})


def _context(certificates: Certificates) -> Settings:
    context = ssl.create_default_context(cafile=certificates.authority)
    return {"security_protocol": "SASL_SSL", "ssl_context": context, **login("PLAIN")}


#: Those that lead in, by what they show.
WAYS: Mapping[str, Way] = {
    "TLS": _tls("SSL"),
    "a certificate": _tls("MUTUAL", ssl_certificate_location=lambda all_: all_.client),
    "PLAIN with TLS": _sasl("SASL_SSL", "PLAIN"),
    "PLAIN in the clear": _sasl("SASL_PLAINTEXT", "PLAIN"),
    "SCRAM-SHA-256 with TLS": _sasl("SASL_SSL", "SCRAM-SHA-256"),
    "SCRAM-SHA-512 with TLS": _sasl("SASL_SSL", "SCRAM-SHA-512"),
    "SCRAM-SHA-256 in the clear": _sasl("SASL_PLAINTEXT", "SCRAM-SHA-256"),
    "SCRAM for an odd name and password": _sasl("SASL_PLAINTEXT", "SCRAM-SHA-512", "billing,eu=1"),
    "a context that was ready": Way("SASL_SSL", _context),
}

_OAUTH: Settings = {
    "security_protocol": "SASL_PLAINTEXT",
    "sasl_mechanism": "OAUTHBEARER",
    "oauth_cb": unsecured_token,
}
_INVALID = "invalid credentials with SASL mechanism SCRAM-SHA-512 (SASL_AUTHENTICATION_FAILED)"

#: More, which only Kafka has.
WAYS_OF_KAFKA: Mapping[str, Way] = {
    "a token": Way("OAUTH", lambda all_: _OAUTH),
    "a token with an extension": Way("OAUTH", lambda all_: {**_OAUTH, "oauth_cb": _with_extension}),
}

#: Those that do not.
REFUSED: Mapping[str, Refused] = {
    "a wrong password by PLAIN": Refused(
        _sasl("SASL_SSL", "PLAIN", password="gue55ed-wr0ng"),
        AuthenticationError,
        "Authentication failed: Invalid username or password (SASL_AUTHENTICATION_FAILED)",
    ),
    "a wrong password by SCRAM": Refused(
        _sasl("SASL_SSL", "SCRAM-SHA-512", password="gue55ed-wr0ng"), AuthenticationError, _INVALID
    ),
    "a mechanism that is not enabled": Refused(
        Way("SASL_PLAINTEXT", lambda all_: _OAUTH),
        AuthenticationError,
        "the broker does not enable sasl.mechanism=OAUTHBEARER on this port; it enables PLAIN",
    ),
    "a login where there is none": Refused(
        Way("SSL", lambda all_: {**with_tls(all_, "SASL_SSL"), **login("PLAIN")}),
        AuthenticationError,
        "the broker does not accept logins on this port",
    ),
    "no certificate": Refused(_tls("MUTUAL"), TransportError, "ssl.certificate.location"),
    "an authority that issued nothing here": Refused(
        Way("SSL", lambda all_: {"security_protocol": "SSL", "ssl_ca_location": all_.stranger}),
        TlsError,
        "ssl.ca.location must name the authority that issued it",
    ),
    "no TLS where there is": Refused(Way("SSL", lambda all_: {}), NoBrokersError, "security.protocol"),
    "TLS where there is none": Refused(
        Way("SASL_PLAINTEXT", lambda all_: {**with_tls(all_, "SASL_SSL"), **login("PLAIN")}),
        NoBrokersError,
        "does this port speak TLS?",
    ),
    "no login where there is one": Refused(
        Way("SASL_PLAINTEXT", lambda all_: {}), NoBrokersError, "is security.protocol=PLAINTEXT right for this port?"
    ),
}

#: One more, of Kafka only, which says it in the shape of RFC 7628.
REFUSED_BY_KAFKA: Mapping[str, Refused] = {
    "a token that has expired": Refused(
        Way("OAUTH", lambda all_: {**_OAUTH, "oauth_cb": lambda config: unsecured_token(config, life_s=-60)}),
        AuthenticationError,
        '{"status":"invalid_token"} (SASL_AUTHENTICATION_FAILED)',
    ),
}
