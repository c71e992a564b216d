"""How a client is told to reach a listener of a secured broker."""

from __future__ import annotations

from tests.support.certificates import Certificates
from tests.support.secured_kafka import PASSWORDS, SecuredKafka

__all__ = ["login", "reaching", "with_tls"]


def reaching(broker: SecuredKafka, listener: str, **more: object) -> dict[str, object]:
    """The configuration of a client of that listener, without what it needs to be let in."""
    return {"bootstrap_servers": broker.servers[listener], **more}


def with_tls(certificates: Certificates, protocol: str = "SSL") -> dict[str, object]:
    return {"security_protocol": protocol, "ssl_ca_location": certificates.authority}


def login(mechanism: str, user: str = "alice", password: str | None = None) -> dict[str, object]:
    return {
        "sasl_mechanism": mechanism,
        "sasl_username": user,
        "sasl_password": PASSWORDS[user] if password is None else password,
    }
