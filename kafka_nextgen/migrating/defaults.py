"""Defaults that differ from this library's.

``theirs`` is the other client's default. ``advice`` is given if the difference affects the records or the load of the
cluster, and omitted for others, such as backoff times.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafka_nextgen.lazy_attrs import frozen

__all__ = ["AIOKAFKA_DEFAULTS", "CONFLUENT_KAFKA_DEFAULTS", "KAFKA_PYTHON_DEFAULTS", "Default"]


@frozen
class Default:
    """A default of another client, as text, and what to do about it."""

    theirs: str
    advice: str = ""


_PROTOCOL: Final = Default(
    "classic",
    "members use Kafka's next-generation protocol, which needs Kafka 4.0 or later, or the preview of 3.9; set auto for "
    "older clusters",
)
_MECHANISM: Final = "it has to be set here if security.protocol uses SASL"
_SERVERS: Final = Default("localhost:9092", "it has to be set here")

#: By key, from librdkafka's CONFIGURATION.md.
CONFLUENT_KAFKA_DEFAULTS: Final[Mapping[str, Default]] = {
    "allow.auto.create.topics": Default(
        "false", "brokers may create subscribed topics that do not exist; set false to keep that from happening"
    ),
    "check.crcs": Default("false"),
    "client.id": Default("rdkafka"),
    "connections.max.idle.ms": Default("0, never"),
    "group.protocol": _PROTOCOL,
    "isolation.level": Default(
        "read_committed",
        "records of open and aborted transactions are returned, too; set read_committed to keep them out",
    ),
    "metadata.max.age.ms": Default("900000"),
    "partition.assignment.strategy": Default("range,roundrobin"),
    "reconnect.backoff.max.ms": Default("10000"),
    "reconnect.backoff.ms": Default("100"),
    "receive.message.max.bytes": Default("100000000"),
    "request.timeout.ms": Default("60000, as socket.timeout.ms"),
    "sasl.kerberos.service.name": Default("kafka"),
    "sasl.mechanism": Default("GSSAPI", _MECHANISM),
    "socket.connection.setup.timeout.ms": Default("30000"),
}

#: By key, from ``KafkaConsumer.DEFAULT_CONFIG``.
KAFKA_PYTHON_DEFAULTS: Final[Mapping[str, Default]] = {
    "bootstrap.servers": _SERVERS,
    "client.id": Default("kafka-python-3.0.12"),
    "consumer.timeout.ms": Default("inf, never"),
    "group.protocol": _PROTOCOL,
    "partition.assignment.strategy": Default("range,roundrobin"),
    "receive.message.max.bytes": Default("100000000"),
    "reconnect.backoff.max.ms": Default("30000"),
    "sasl.kerberos.service.name": Default("kafka"),
}

#: By key, from the signature of ``AIOKafkaConsumer``.
AIOKAFKA_DEFAULTS: Final[Mapping[str, Default]] = {
    "bootstrap.servers": _SERVERS,
    "client.id": Default("aiokafka-0.14.0"),
    "consumer.timeout.ms": Default("200"),
    "group.protocol": _PROTOCOL,
    "max.poll.records": Default("None, no limit"),
    "partition.assignment.strategy": Default("roundrobin"),
    "rebalance.timeout.ms": Default("session_timeout_ms, 10000"),
    "request.timeout.ms": Default("40000"),
    "sasl.kerberos.service.name": Default("kafka"),
    "sasl.mechanism": Default("PLAIN", _MECHANISM),
    "session.timeout.ms": Default("10000"),
}
