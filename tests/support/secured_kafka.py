"""Brokers that speak TLS and SASL: a real one and the embedded one, with the same listeners and the same users.

PLAINTEXT asks nothing. SSL is with TLS, MUTUAL too and takes clients with a certificate only. SASL_PLAINTEXT and
SASL_SSL take PLAIN and both kinds of SCRAM. A login on SHORT, by any of them, holds for a moment only. The real
broker also has OAUTH, where it believes every token of the shape that one should have (Kafka's default).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from attrs import frozen
from confluent_kafka.admin import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion
from cryptography.hazmat.primitives import serialization

from kafka_nextgen.testing import Clock, Cluster
from tests.support.certificates import Certificates
from tests.support.clients import admin_client
from tests.support.kafka_from_maven import Node, run_node
from tests.support.waiting import GUARD_S

PASSWORDS = {"alice": "alice-s3cret-of-hers", "billing,eu=1": "with,comma=and-\u00e4"}
SHORT_SESSION_S = 4.0  # Kafka renews no login within a second of the renewal before
SHORTER_SESSION_S = 1.3  # of the embedded broker, whose time is turned

_LISTENERS = {
    "SSL": "SSL",
    "MUTUAL": "SSL",
    "SASL_PLAINTEXT": "SASL_PLAINTEXT",
    "SASL_SSL": "SASL_SSL",
    "SHORT": "SASL_PLAINTEXT",
    "OAUTH": "SASL_PLAINTEXT",
}
_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_LOGIN_MODULE = "org.apache.kafka.common.security"


def _no_clock(seconds: float) -> None:
    raise AssertionError(f"{seconds} s pass by themselves: this broker's time cannot be turned")


@frozen
class SecuredKafka:
    """A broker while it runs: each listener's address, and that of a PLAINTEXT one of the same cluster.

    ``advance`` turns the time of an embedded one, by seconds.
    """

    servers: Mapping[str, str]
    in_the_clear: Mapping[str, str]
    stop: Callable[[], None]
    advance: Callable[[float], None] = _no_clock


def start_secured_embedded(certificates: Certificates) -> SecuredKafka:
    """Start embedded clusters, one for each sort of settings."""
    clusters = ExitStack()
    tls = {"ssl.keystore.location": certificates.broker, "ssl.truststore.location": certificates.authority}
    kinds: list[tuple[tuple[str, ...], dict[str, object]]] = [
        (("SSL", "SASL_PLAINTEXT", "SASL_SSL"), {}),
        (("MUTUAL",), {"ssl.client.auth": "required"}),
        (("SHORT",), {"connections.max.reauth.ms": round(SHORTER_SESSION_S * 1000)}),
    ]
    clock, servers, in_the_clear = Clock(), dict[str, str](), dict[str, str]()
    for names, more in kinds:
        listeners = ",".join(f"{name}://:0" for name in ("PLAINTEXT", *names))
        protocols = ",".join(f"{name}:{_LISTENERS.get(name, name)}" for name in ("PLAINTEXT", *names))
        config = {"listeners": listeners, "listener.security.protocol.map": protocols, **tls, **more}
        cluster = clusters.enter_context(
            Cluster(config=config, users=PASSWORDS, clock=clock if "SHORT" in names else None)
        )
        servers |= {name: cluster.bootstrap_servers_of(name) for name in names}
        in_the_clear |= dict.fromkeys(names, cluster.bootstrap_servers_of("PLAINTEXT"))
    return SecuredKafka(servers, in_the_clear, clusters.close, clock.advance)


def start_secured_kafka(
    version: str, certificates: Certificates, more: Mapping[str, str] | None = None
) -> SecuredKafka:
    """Start a broker of ``version`` with ``more`` properties; ``NoKafkaError`` if Java or the jars are missing."""

    def add(node: Node, plain: Mapping[str, str]) -> dict[str, str]:
        return _listeners(plain, _servers(node)) | _tls(node.home, certificates) | _logins() | dict(more or {})

    node = run_node(version, add, more_ports=len(_LISTENERS))
    servers = _servers(node)
    try:
        set_passwords(node.bootstrap_servers, PASSWORDS)
    except BaseException:
        node.stop()
        raise
    return SecuredKafka(servers, dict.fromkeys(servers, node.bootstrap_servers), node.stop)


def _servers(node: Node) -> dict[str, str]:
    return {name: f"127.0.0.1:{port}" for name, port in zip(_LISTENERS, node.more_ports, strict=True)}


def _listeners(plain: Mapping[str, str], servers: Mapping[str, str]) -> dict[str, str]:
    more = ",".join(f"{name}://{at}" for name, at in servers.items())
    protocols = ",".join(f"{name}:{protocol}" for name, protocol in _LISTENERS.items())
    known = plain["listener.security.protocol.map"]
    return {
        "listeners": f"{plain['listeners']},{more}",
        "advertised.listeners": f"{plain['advertised.listeners']},{more}",
        "listener.security.protocol.map": f"{known},{protocols}",
        "inter.broker.listener.name": "PLAINTEXT",
        "connection.failed.authentication.delay.ms": "0",
        "auto.create.topics.enable": "true",
    }


def _tls(home: Path, certificates: Certificates) -> dict[str, str]:
    keys = home / "keys.pem"
    keys.write_bytes(_with_pkcs8_key(Path(certificates.broker).read_bytes()))
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": keys.as_posix(),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": Path(certificates.authority).as_posix(),
        "listener.name.mutual.ssl.client.auth": "required",
    }


def _with_pkcs8_key(pem: bytes) -> bytes:
    """The same with its key as Kafka reads it; it knows no other form (KIP-651)."""
    begin = pem.index(b"-----BEGIN CERTIFICATE")
    key = serialization.load_pem_private_key(pem[:begin], password=None)
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return key.private_bytes(*form) + pem[begin:]


def _logins() -> dict[str, str]:
    plain = f'{_LOGIN_MODULE}.plain.PlainLoginModule required user_alice="{PASSWORDS["alice"]}";'
    modules = {
        "plain": plain,
        "scram-sha-256": f"{_LOGIN_MODULE}.scram.ScramLoginModule required;",
        "scram-sha-512": f"{_LOGIN_MODULE}.scram.ScramLoginModule required;",
    }
    oauth = f'{_LOGIN_MODULE}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";'
    logins = {"sasl.enabled.mechanisms": ",".join(_MECHANISMS)}
    for listener in ("sasl_plaintext", "sasl_ssl", "short"):
        for mechanism, module in modules.items():
            logins[f"listener.name.{listener}.{mechanism}.sasl.jaas.config"] = module
            if listener == "short":
                session_ms = str(round(SHORT_SESSION_S * 1000))
                logins[f"listener.name.short.{mechanism}.connections.max.reauth.ms"] = session_ms
    logins["listener.name.oauth.sasl.enabled.mechanisms"] = "OAUTHBEARER"
    logins["listener.name.oauth.oauthbearer.sasl.jaas.config"] = oauth
    return logins


def set_passwords(bootstrap: str, passwords: Mapping[str, str]) -> None:
    """Give users both kinds of SCRAM, by an admin client, as Kafka's users are given them (KIP-554)."""
    admin = admin_client(bootstrap)
    for kind in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512):  # one of each user at a time
        wanted = [
            UserScramCredentialUpsertion(user, ScramCredentialInfo(kind, 4096), password.encode())
            for user, password in passwords.items()
        ]
        for done in admin.alter_user_scram_credentials(wanted).values():
            done.result(timeout=GUARD_S)
