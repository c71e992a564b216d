"""The configuration keys of Kafka's Java consumer, and what happens to each as an option of the data source.

A query joins no group, so some keys are treated differently than for a consumer
(``kafka_nextgen.other_clients.java_keys`` lists how the others are handled). Each key is in exactly one table:

* ``TAKEN_OVER``: this library has a key with the same name.
* ``TRANSLATED``: ``kafka_nextgen.java_config`` translates the key.
* ``IGNORED``: the key has no counterpart, and records are the same without it. It causes a warning with the reason.
* ``REFUSED``: the built-in source refuses the key, or the records would differ without it.

Shared configurations often have keys of producers. Java's consumer ignores them, so they only cause a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.other_clients.fates import Dropped, Refused
from kafka_nextgen.other_clients.java_keys import A_CLASS, JAVA_TABLE, LOGIN_KEYS, STORE_KEYS
from kafka_nextgen.other_clients.shared_keys import PRODUCER_TABLE

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
        "metadata.cluster.check.enable",
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
        *(key for key in (*LOGIN_KEYS, *STORE_KEYS) if key not in ("ssl.certificate.pem", "ssl.key.pem")),
        "sasl.kerberos.service.name",
        "sasl.mechanism",
        "sasl.oauthbearer.scope",
        "sasl.oauthbearer.token.endpoint.url",
        "ssl.cipher.suites",
        "ssl.endpoint.identification.algorithm",
        "ssl.key.password",
    }
)


def _because(reason: str, keys: Iterable[str]) -> dict[str, str]:
    return dict.fromkeys(keys, reason)


_NO_GROUP: Final = "no consumer joins a group to read; the option groupId names the group that shows the progress"

IGNORED: Final[Mapping[str, str]] = {
    **{
        key: fate.why
        for key, fate in {**PRODUCER_TABLE, **JAVA_TABLE}.items()
        if isinstance(fate, Dropped) and key not in TRANSLATED
    },
    **_because("the option rowsPerBatch sets the number of records in a batch", ("max.poll.records",)),
    **_because("a missing topic is an error, and is never created", ("allow.auto.create.topics",)),
    **_because("subscribePattern never finds internal topics", ("exclude.internal.topics",)),
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
        "share.acquire.mode",
    )),
}  # fmt: skip

REFUSED: Final[Mapping[str, str]] = {
    **{key: fate.why for key, fate in JAVA_TABLE.items() if isinstance(fate, Refused) and key not in STORE_KEYS},
    "auto.offset.reset": "use the option startingOffsets, which applies when a query starts for the first time; after "
    "that it continues where it stopped",
    "enable.auto.commit": "use the option groupId, which commits the offsets of finished batches to that group",
    "interceptor.classes": f"{A_CLASS}; use operations on the DataFrame",
    "key.deserializer": "use the option keyFormat, or operations on the DataFrame",
    "value.deserializer": "use the option valueFormat, or operations on the DataFrame",
}

#: All known keys.
JAVA_KEYS: Final = TAKEN_OVER | TRANSLATED | IGNORED.keys() | REFUSED.keys()


def key_error(key: str, what: str) -> ConfigError:
    """Return an error about a key, with the name of its option."""
    option = PREFIX + key
    return ConfigError(f"{option} {what}", option)
