"""The arguments of kafka-python's (3.0.12) and aiokafka's (0.14.0) consumers that Java's consumer lacks, written with
dots."""

from __future__ import annotations

from typing import Final

from kafka_nextgen.other_clients.fates import Dropped, Mapped, Refused, Table, dropped, refused
from kafka_nextgen.other_clients.values import endpoint_identification, token_callback

__all__ = ["PYTHON_TABLE"]

_DIRECT: Final = "connections are direct and would bypass the proxy"

PYTHON_TABLE: Final[Table] = {
    "sasl.plain.username": Mapped("sasl.username"),
    "sasl.plain.password": Mapped("sasl.password"),
    "sasl.oauth.token.provider": Mapped("oauth.cb", token_callback, "which calls its token()"),
    "ssl.cafile": Mapped("ssl.ca.location"),
    "ssl.certfile": Mapped("ssl.certificate.location"),
    "ssl.check.hostname": Mapped(
        "ssl.endpoint.identification.algorithm", endpoint_identification, "True as https, False as none"
    ),
    "ssl.ciphers": Mapped("ssl.cipher.suites"),
    "ssl.keyfile": Mapped("ssl.key.location"),
    "ssl.password": Mapped("ssl.key.password"),
    "ssl.crlfile": Refused(
        "certificate revocation is not checked: pass an ssl.SSLContext with the revocation list as ssl_context"
    ),
    **refused("the name is derived from sasl.kerberos.service.name and the broker's host: remove it", (
        "sasl.kerberos.domain.name",
        "sasl.kerberos.name",
    )),
    "default.offset.commit.callback": Refused("pass a callback to commit_async(), or use Consumer.hooks"),
    "topics": Refused("call subscribe(topics)"),
    "kafka.client": Refused("this library's client can't be replaced: remove it"),
    **refused(f"{_DIRECT}: remove it, or route the host's connections through a proxy outside this library", (
        "proxy.url",
        "socks5.proxy",
    )),
    **dropped("versions are negotiated with every broker", ("api.version", "api.version.auto.timeout.ms")),
    "bootstrap.timeout.ms": Dropped("constructors do not wait for a broker; methods have timeouts"),
    "enable.incremental.fetch.sessions": Dropped("fetch sessions are used if brokers support them"),
    **dropped("metrics are read with Consumer.metrics()", ("metric.group.prefix", "metrics.enabled")),
    **dropped("the library runs its own event loop", ("loop", "selector")),
    "socket.options": Dropped("sockets already have suitable options"),
}  # fmt: skip
