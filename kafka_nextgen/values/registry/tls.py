"""TLS to a registry, with the keys that consumers use for brokers."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.transport.security.tls import client_contexts

__all__ = ["Tls", "context_maker"]

Tls = ssl.SSLContext | Mapping[str, object]


def context_maker(tls: Tls | None) -> Callable[[], ssl.SSLContext]:
    """Return a function that returns the context for a connection. Raises ConfigError for keys not related to TLS."""
    given: Mapping[str, object] = {"ssl.context": tls} if isinstance(tls, ssl.SSLContext) else tls or {}
    others = [key for key in given if not key.replace("_", ".").removeprefix("enable.").startswith("ssl.")]
    if others:
        raise ConfigError(f"tls takes keys such as ssl.ca.location, not {', '.join(map(repr, others))}")
    config = ConsumerConfig.parse({"bootstrap.servers": "registry:443", "security.protocol": "SSL", **given})
    contexts = client_contexts(config)
    assert contexts is not None
    contexts()  # raises now if a file can't be read
    return contexts
