"""The consumer keys of librdkafka (2.16.0) and confluent-kafka that Java's consumer lacks."""

from __future__ import annotations

from typing import Final

from kafka_nextgen.other_clients.fates import Dropped, Mapped, Refused, Table, accepted, dropped, refused
from kafka_nextgen.other_clients.values import bootstrap_servers, kilobytes, refresh_interval

__all__ = ["LIBRDKAFKA_TABLE"]

_C_FUNCTION: Final = "it is a function of librdkafka's C API: remove it"
_CONTEXT: Final = "pass an ssl.SSLContext as ssl_context"
_ASSERTION: Final = "tokens are requested with a client's id and secret only: set the client's id and secret"
_TRUE: Final = frozenset({"true", "1", "t"})
_FALSE: Final = frozenset({"false", "0", "f"})
_KERBEROS: Final = (
    "tickets are taken from the credential cache; for a keytab, set KRB5_CLIENT_KTNAME in the environment"
)

LIBRDKAFKA_TABLE: Final[Table] = {
    # Names of this library's keys
    "sasl.mechanisms": Mapped("sasl.mechanism"),
    "metadata.broker.list": Mapped("bootstrap.servers", bootstrap_servers),
    "auto.commit.enable": Mapped("enable.auto.commit"),
    "fetch.message.max.bytes": Mapped("max.partition.fetch.bytes"),
    "fetch.wait.max.ms": Mapped("fetch.max.wait.ms"),
    "queued.max.messages.kbytes": Mapped("fetch.buffer.bytes", kilobytes, "times 1024"),
    "socket.timeout.ms": Mapped("request.timeout.ms"),
    "topic.metadata.refresh.interval.ms": Mapped("metadata.max.age.ms", refresh_interval, "-1 as 2147483647"),
    **refused("pass the deserializer that it builds as key.deserializer or value.deserializer", (
        "key.deserializer.builder",
        "value.deserializer.builder",
    )),
    "default.topic.config": Refused("there is no per-topic configuration: move its keys out of it"),
    "default.topic.conf": Refused("there is no per-topic configuration: set its keys directly"),
    # Reading
    "consume.cb": Refused("records are returned by poll()"),
    "consume.callback.max.messages": Dropped("max.poll.records limits what one poll returns"),
    "enable.partition.eof": accepted(
        _FALSE,
        "a partition's end is not a record",
        "refused, because poll() returns only records: call reached_end() after it",
    ),
    **dropped("fetch.buffer.bytes limits what is fetched ahead", ("queued.min.messages", "fetch.queue.backoff.ms")),
    **dropped("retry.backoff.ms is the delay after every error", ("fetch.error.backoff.ms",)),
    **dropped("offsets are never kept in files", ("offset.store.path", "offset.store.sync.interval.ms")),
    "offset.store.method": accepted(
        {"broker"}, "offsets are kept by the broker", "refused, because offsets are kept by the broker only: remove it"
    ),
    # Groups
    "group.protocol.type": accepted(
        {"consumer"}, "it is always consumer", "refused, because the protocol type is always consumer: remove it"
    ),
    "coordinator.query.interval.ms": Dropped("the coordinator is looked up when it has changed"),
    "rebalance.cb": Refused("pass a RebalanceListener to subscribe()"),
    "offset.commit.cb": Refused("pass a callback to commit_async(), or use Consumer.hooks"),
    "on.commit": Refused("pass a callback to commit_async(), or use Consumer.hooks"),
    # Errors, logs and statistics
    "error.cb": Refused(
        "poll() raises errors; temporary problems are in the log and in health().problem: remove it"
    ),
    "throttle.cb": Refused("metrics() reports how long brokers throttled this client: remove it"),
    "stats.cb": Refused(
        "metrics() returns the numbers whenever it is called; kafka_nextgen.prometheus and kafka_nextgen.opentelemetry "
        "export them: remove it"
    ),
    "statistics.interval.ms": Dropped("metrics() returns the numbers whenever it is called"),
    **dropped("the logger is kafka_nextgen in Python's logging", (
        "debug",
        "log.cb",
        "log.connection.close",
        "log.level",
        "log.queue",
        "log.thread.name",
        "logger",
    )),
    # Connections
    **dropped("versions are negotiated with every broker", (
        "api.version.fallback.ms",
        "api.version.request",
        "api.version.request.timeout.ms",
        "broker.version.fallback",
    )),
    **dropped("all addresses of a host are tried, and looked up for each connection", (
        "broker.address.family",
        "broker.address.ttl",
    )),
    **dropped("sockets already have suitable options", (
        "socket.keepalive.enable",
        "socket.nagle.disable",
        "socket.receive.buffer.bytes",
        "socket.send.buffer.bytes",
    )),
    **dropped("reconnect.backoff.ms already includes jitter", ("reconnect.backoff.jitter.ms",)),
    **dropped("the number of requests in flight is determined by the partitions being read", ("max.in.flight",)),
    **dropped("metadata is requested when it is needed", (
        "topic.metadata.propagation.max.ms",
        "topic.metadata.refresh.fast.cnt",
        "topic.metadata.refresh.fast.interval.ms",
        "topic.metadata.refresh.sparse",
    )),
    **dropped("it concerns librdkafka's internals", (
        "builtin.features",
        "enable.random.seed",
        "internal.termination.signal",
        "opaque",
        "socket.blocking.max.ms",
        "socket.max.fails",
    )),
    **dropped("the consumer has a thread of its own", ("executor", "max.workers")),
    "topic.blacklist": Refused(
        "only the subscription determines the topics: exclude them from its names or its pattern"
    ),
    **refused("plugins and interceptors of librdkafka can't be loaded: remove it", (
        "interceptors",
        "plugin.library.paths",
    )),
    **refused(_C_FUNCTION, (
        "background.event.cb",
        "closesocket.cb",
        "connect.cb",
        "enabled.events",
        "open.cb",
        "resolve.cb",
        "socket.cb",
    )),
    # TLS
    **refused(f"it can be set only through librdkafka's C API: {_CONTEXT}", (
        "ssl.ca",
        "ssl.certificate",
        "ssl.certificate.verify.cb",
        "ssl.engine.callback.data",
        "ssl.key",
    )),
    **refused(f"OpenSSL's defaults are used: {_CONTEXT}", (
        "ssl.curves.list",
        "ssl.engine.id",
        "ssl.engine.location",
        "ssl.providers",
        "ssl.sigalgs.list",
    )),
    "ssl.ca.certificate.stores": Dropped("without ssl.ca.location the system's authorities are trusted"),
    "ssl.crl.location": Refused(
        "certificate revocation is not checked: pass an ssl.SSLContext with the revocation list as ssl_context"
    ),
    "https.ca.pem": Refused("write the certificates to a file and set https.ca.location"),
    # Authentication
    "sasl.kerberos.principal": Dropped(_KERBEROS),
    "sasl.kerberos.keytab": Dropped(_KERBEROS),
    "oauthbearer.token.refresh.cb": Refused("pass a function that returns a token as oauth_cb"),
    "enable.sasl.oauthbearer.unsecure.jwt": accepted(
        _FALSE, "unsecured tokens are never generated", "refused: pass a function that returns a token as oauth_cb"
    ),
    "sasl.oauthbearer.extensions": Refused("pass a function as oauth_cb, which may return extensions"),
    "sasl.oauthbearer.grant.type": accepted(
        {"client_credentials"}, "tokens are requested with client_credentials", f"refused, because {_ASSERTION}"
    ),
    "sasl.oauthbearer.metadata.authentication.type": accepted(
        {"none"}, "no cloud metadata service is used", "refused: pass a function that returns a token as oauth_cb"
    ),
    **refused(_ASSERTION, (
        "sasl.oauthbearer.assertion.jwt.template.file",
        "sasl.oauthbearer.assertion.private.key.pem",
    )),
}  # fmt: skip
