"""The clients that programs migrate from: how programs use them, and their tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.migrating.aiokafka_calls import AIOKAFKA
from kafka_nextgen.migrating.calls import Calls
from kafka_nextgen.migrating.confluent_kafka_calls import CONFLUENT_KAFKA
from kafka_nextgen.migrating.defaults import (
    AIOKAFKA_DEFAULTS,
    CONFLUENT_KAFKA_DEFAULTS,
    KAFKA_PYTHON_DEFAULTS,
    Default,
)
from kafka_nextgen.migrating.kafka_python_calls import KAFKA_PYTHON

__all__ = ["CLIENTS", "Client"]


@frozen(kw_only=True)
class Client:
    """One of the other clients.

    Attributes:
        name: its name, also used for its page.
        version: the release that the tables describe.
        package: the package that programs import.
        kept: modules of it that remain in use.
        calls: rows by class; a class without rows uses the rows of the class in ``classes``.
        classes: classes of consumers, each with the class whose rows it uses.
        record: the class of a record.
        gives: the results of a consumer's calls: a class, with [] a list of it, with {} lists of it by partition.
        parameters: the names of positional arguments, for the calls with rows for arguments.
        defaults: the defaults that differ, by key.
        other_meanings: keys that have another meaning in this library, with advice.
    """

    name: str
    version: str
    package: str
    kept: Collection[str]
    calls: Mapping[str, Calls]
    classes: Mapping[str, str]
    record: str
    gives: Mapping[str, str]
    parameters: Mapping[str, tuple[str, ...]]
    defaults: Mapping[str, Default]
    other_meanings: Mapping[str, str] = MappingProxyType({})


_CONFLUENT_KAFKA: Final = Client(
    name="confluent-kafka",
    version="2.16.1",
    package="confluent_kafka",
    kept=("admin", "avro", "kafkatest", "schema_registry", "serialization"),
    calls=CONFLUENT_KAFKA,
    classes={
        "Consumer": "Consumer",
        "DeserializingConsumer": "Consumer",
        "AIOConsumer": "AIOConsumer",
        "AsyncDeserializingConsumer": "AIOConsumer",
    },
    record="Message",
    gives={
        "poll": "Message",
        "consume": "[]Message",
        **dict.fromkeys(("assignment", "committed", "position", "offsets_for_times"), "[]TopicPartition"),
    },
    parameters={
        "commit": ("message", "offsets", "asynchronous"),
        "consume": ("num_messages", "timeout"),
        "get_watermark_offsets": ("partition", "timeout", "cached"),
        "store_offsets": ("message", "offsets"),
        "subscribe": ("topics", "on_assign", "on_revoke", "on_lost"),
    },
    defaults=CONFLUENT_KAFKA_DEFAULTS,
)

_KAFKA_PYTHON: Final = Client(
    name="kafka-python",
    version="3.0.12",
    package="kafka",
    kept=("admin", "partitioner", "producer", "serializer"),
    calls=KAFKA_PYTHON,
    classes={"KafkaConsumer": "KafkaConsumer"},
    record="ConsumerRecord",
    gives={"": "ConsumerRecord", "poll": "{}ConsumerRecord"},
    parameters={
        "beginning_offsets": ("partitions", "timeout_ms"),
        "close": ("autocommit", "timeout_ms"),
        "commit": ("offsets", "timeout_ms"),
        "committed": ("partition", "metadata", "timeout_ms"),
        "end_offsets": ("partitions", "timeout_ms"),
        "metrics": ("raw",),
        "offsets_for_times": ("timestamps", "timeout_ms"),
        "poll": ("timeout_ms", "max_records", "update_offsets"),
        "position": ("partition", "timeout_ms"),
        "subscribe": ("topics", "pattern", "listener"),
    },
    defaults=KAFKA_PYTHON_DEFAULTS,
)

_AIOKAFKA: Final = Client(
    name="aiokafka",
    version="0.14.0",
    package="aiokafka",
    kept=("admin", "producer"),
    calls=AIOKAFKA,
    classes={"AIOKafkaConsumer": "AIOKafkaConsumer"},
    record="ConsumerRecord",
    gives={"": "ConsumerRecord", "getone": "ConsumerRecord", "getmany": "{}ConsumerRecord"},
    parameters={"subscribe": ("topics", "pattern", "listener")},
    defaults=AIOKAFKA_DEFAULTS,
    other_meanings={
        "consumer.timeout.ms": "remove it: here it ends loops, but in aiokafka it does not affect the returned records"
    },
)

#: By the package that programs import.
CLIENTS: Final[Mapping[str, Client]] = MappingProxyType(
    {client.package: client for client in (_CONFLUENT_KAFKA, _KAFKA_PYTHON, _AIOKAFKA)}
)
