"""The configuration keys of Kafka's Java consumer, and what happens to each.

Each key of ``ConsumerConfig``, ``SaslConfigs`` and ``SslConfigs`` (Kafka 4.3) is in exactly one table:

* ``TAKEN_OVER``: this library has the key under the same name.
* ``TRANSLATED``: ``java_tls`` and ``java_sasl`` translate the key.
* ``IGNORED``: the key has no counterpart, and records are the same without it. It causes a warning with the reason.
* ``REFUSED``: the built-in source refuses the key, or the records would differ without it.

Shared configurations often have keys of producers. Java's consumer ignores them, so they only cause a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kafka_nextgen.errors import ConfigError

__all__ = ["IGNORED", "JAVA_KEYS", "PREFIX", "REFUSED", "TAKEN_OVER", "TRANSLATED", "key_error"]

#: Spark's prefix of a key.
PREFIX: Final = "kafka."

TAKEN_OVER: Final = frozenset(
    {
        "bootstrap.servers",
        "check.crcs",
        "client.id",
        "client.rack",
        "connections.max.idle.ms",
        "default.api.timeout.ms",
        "fetch.max.bytes",
        "fetch.max.wait.ms",
        "fetch.min.bytes",
        "isolation.level",
        "max.partition.fetch.bytes",
        "metadata.max.age.ms",
        "metadata.recovery.rebootstrap.trigger.ms",
        "metadata.recovery.strategy",
        "reconnect.backoff.max.ms",
        "reconnect.backoff.ms",
        "request.timeout.ms",
        "retry.backoff.max.ms",
        "retry.backoff.ms",
        "security.protocol",
        "socket.connection.setup.timeout.ms",
    }
)

TRANSLATED: Final = frozenset(
    {
        "sasl.jaas.config",
        "sasl.kerberos.service.name",
        "sasl.login.callback.handler.class",
        "sasl.mechanism",
        "sasl.oauthbearer.client.credentials.client.id",
        "sasl.oauthbearer.client.credentials.client.secret",
        "sasl.oauthbearer.jwt.retriever.class",
        "sasl.oauthbearer.scope",
        "sasl.oauthbearer.token.endpoint.url",
        "ssl.cipher.suites",
        "ssl.endpoint.identification.algorithm",
        "ssl.key.password",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "ssl.keystore.type",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    }
)


def _because(reason: str, keys: Iterable[str]) -> dict[str, str]:
    return dict.fromkeys(keys, reason)


_JAVA_ONLY: Final = "it is about Java's own machinery"
_NO_GROUP: Final = "no consumer joins a group to read; the option groupId names the group that shows the progress"
_PRODUCER: Final = "it is a producer's key"

IGNORED: Final[Mapping[str, str]] = {
    **_because("the operating system sizes the buffers of sockets", ("receive.buffer.bytes", "send.buffer.bytes")),
    **_because("the option rowsPerBatch sets the number of records in a batch", ("max.poll.records",)),
    **_because("a missing topic is an error, and is never created", ("allow.auto.create.topics",)),
    **_because("subscribePattern never finds internal topics", ("exclude.internal.topics",)),
    **_because("all addresses of a host are tried", ("client.dns.lookup",)),
    **_because("every attempt to connect has the same timeout", ("socket.connection.setup.timeout.max.ms",)),
    **_because("TLS 1.2 and TLS 1.3 are offered", ("ssl.protocol", "ssl.enabled.protocols")),
    **_because("tickets are taken from the credential cache, which another program renews", (
        "sasl.kerberos.kinit.cmd",
        "sasl.kerberos.min.time.before.relogin",
        "sasl.kerberos.ticket.renew.jitter",
        "sasl.kerberos.ticket.renew.window.factor",
    )),
    **_because("a token is renewed when most of its lifetime has passed", (
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.login.refresh.buffer.seconds",
        "sasl.login.refresh.min.period.seconds",
        "sasl.login.refresh.window.factor",
        "sasl.login.refresh.window.jitter",
        "sasl.login.retry.backoff.max.ms",
        "sasl.login.retry.backoff.ms",
    )),
    **_because("brokers check tokens, this client does not", (
        "sasl.oauthbearer.clock.skew.seconds",
        "sasl.oauthbearer.expected.audience",
        "sasl.oauthbearer.expected.issuer",
        "sasl.oauthbearer.jwks.endpoint.refresh.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        "sasl.oauthbearer.jwks.endpoint.url",
        "sasl.oauthbearer.jwt.validator.class",
        "sasl.oauthbearer.scope.claim.name",
        "sasl.oauthbearer.sub.claim.name",
    )),
    **_because("credentials are always encoded as RFC 6749 demands", ("sasl.oauthbearer.header.urlencode",)),
    **_because(_NO_GROUP, (
        "auto.commit.interval.ms",
        "group.id",
        "group.instance.id",
        "group.protocol",
        "group.remote.assignor",
        "heartbeat.interval.ms",
        "internal.leave.group.on.close",
        "max.poll.interval.ms",
        "partition.assignment.strategy",
        "session.timeout.ms",
        "share.acknowledgement.mode",
    )),
    **_because(_JAVA_ONLY, (
        "auto.include.jmx.reporter",
        "config.providers",
        "enable.metrics.push",
        "internal.throw.on.fetch.stable.offset.unsupported",
        "metric.reporters",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
        "security.providers",
        "ssl.keymanager.algorithm",
        "ssl.provider",
        "ssl.secure.random.implementation",
        "ssl.trustmanager.algorithm",
    )),
    **_because(_PRODUCER, (
        "acks",
        "batch.size",
        "buffer.memory",
        "compression.type",
        "delivery.timeout.ms",
        "enable.idempotence",
        "key.serializer",
        "linger.ms",
        "max.block.ms",
        "max.in.flight.requests.per.connection",
        "max.request.size",
        "metadata.max.idle.ms",
        "partitioner.class",
        "retries",
        "transaction.timeout.ms",
        "transactional.id",
        "value.serializer",
    )),
}  # fmt: skip

_A_CLASS: Final = "it names a Java class, and no Java runs here"
_ASSERTION: Final = "tokens are asked for with a client's id and secret only"

REFUSED: Final[Mapping[str, str]] = {
    "auto.offset.reset": "use the option startingOffsets, which applies when a query starts for the first time; after "
    "that it goes on where it left off",
    "enable.auto.commit": "use the option groupId, which commits the offsets of finished batches to that group",
    "interceptor.classes": f"{_A_CLASS}; use operations on the DataFrame",
    "key.deserializer": "keys are read as binary; use operations on the DataFrame to deserialize them",
    "value.deserializer": "values are read as binary; use operations on the DataFrame to deserialize them",
    **_because(_A_CLASS, ("sasl.client.callback.handler.class", "sasl.login.class", "ssl.engine.factory.class")),
    **_because(_ASSERTION, (
        "sasl.oauthbearer.assertion.algorithm",
        "sasl.oauthbearer.assertion.claim.aud",
        "sasl.oauthbearer.assertion.claim.exp.seconds",
        "sasl.oauthbearer.assertion.claim.iss",
        "sasl.oauthbearer.assertion.claim.jti.include",
        "sasl.oauthbearer.assertion.claim.nbf.seconds",
        "sasl.oauthbearer.assertion.claim.sub",
        "sasl.oauthbearer.assertion.file",
        "sasl.oauthbearer.assertion.private.key.file",
        "sasl.oauthbearer.assertion.private.key.passphrase",
        "sasl.oauthbearer.assertion.template.file",
    )),
}  # fmt: skip

#: All known keys.
JAVA_KEYS: Final = TAKEN_OVER | TRANSLATED | IGNORED.keys() | REFUSED.keys()


def key_error(key: str, what: str) -> ConfigError:
    """Return an error about a key, with the name of its option."""
    option = PREFIX + key
    return ConfigError(f"{option} {what}", option)
