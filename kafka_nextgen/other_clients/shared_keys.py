"""Keys of shared configurations that consumers do not have: keys of producers and of Schema Registry's
deserializers."""

from __future__ import annotations

from typing import Final

from kafka_nextgen.other_clients.fates import Dropped, Fate, Table, dropped

__all__ = ["PREFIXES", "PRODUCER_TABLE"]

_REGISTRY: Final = Dropped("Schema Registry deserializers are configured separately")

PRODUCER_TABLE: Final[Table] = dropped(
    "it is a producer's key",
    (
        "acks",
        "batch.num.messages",
        "batch.size",
        "buffer.memory",
        "compression.codec",
        "compression.gzip.level",
        "compression.level",
        "compression.lz4.level",
        "compression.type",
        "compression.zstd.level",
        "delivery.report.only.error",
        "delivery.timeout.ms",
        "dr.cb",
        "dr.msg.cb",
        "enable.gapless.guarantee",
        "enable.idempotence",
        "key.serializer",
        "linger.ms",
        "max.block.ms",
        "max.in.flight.requests.per.connection",
        "max.request.size",
        "message.copy.max.bytes",
        "message.max.bytes",
        "message.send.max.retries",
        "message.timeout.ms",
        "metadata.max.idle.ms",
        "msg.order.cmp",
        "on.delivery",
        "partitioner",
        "partitioner.adaptive.partitioning.enable",
        "partitioner.availability.timeout.ms",
        "partitioner.cb",
        "partitioner.class",
        "partitioner.ignore.keys",
        "produce.offset.report",
        "queue.buffering.backpressure.threshold",
        "queue.buffering.max.kbytes",
        "queue.buffering.max.messages",
        "queue.buffering.max.ms",
        "queuing.strategy",
        "request.required.acks",
        "retries",
        "sticky.partitioning.linger.ms",
        "transaction.timeout.ms",
        "transaction.two.phase.commit.enable",
        "transactional.id",
        "value.serializer",
    ),
)

#: How keys are handled, by prefix.
PREFIXES: Final[tuple[tuple[str, Fate], ...]] = (
    ("confluent.monitoring.", Dropped("it configures a plugin of librdkafka")),
    ("schema.registry.", _REGISTRY),
    ("basic.auth.", _REGISTRY),
    ("bearer.auth.", _REGISTRY),
    ("auto.register.schemas", _REGISTRY),
    ("use.latest.version", _REGISTRY),
    ("specific.avro.reader", _REGISTRY),
)
