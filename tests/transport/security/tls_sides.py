"""Both sides of a TLS connection."""

from __future__ import annotations

import ssl

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.transport.security.settings import Security, security_of


def tls(**more: object) -> Security:
    return security_of(ConsumerConfig.parse(bootstrap_servers="localhost:9092", security_protocol="SSL", **more))


def context_of(security: Security) -> ssl.SSLContext:
    """Return the context for a new connection."""
    assert security.contexts is not None
    return security.contexts()


def server_side(certificate: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
