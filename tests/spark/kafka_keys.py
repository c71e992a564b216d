"""Options of Java's consumer as they are read."""

from __future__ import annotations

import pytest

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark.kafka_options import KafkaOptions, read_kafka_options

SERVERS = {"bootstrap.servers": "localhost:9092"}
PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="s3cret";'


def read(*parts: dict[str, str]) -> KafkaOptions:
    return read_kafka_options({key: value for part in (SERVERS, *parts) for key, value in part.items()})


def config(*parts: dict[str, str]) -> ConsumerConfig:
    return read(*parts).consumer_config()


def refusal(*parts: dict[str, str]) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read(*parts)
    assert "s3cret" not in str(caught.value)
    return caught.value
