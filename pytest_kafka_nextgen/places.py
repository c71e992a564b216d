"""Where the tests of this run have their Kafka, by ``--kafka`` and the configuration of pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from kafka_nextgen.testing.real_kafka.place import Place, RunningKafka

__all__ = ["EMBEDDED", "broker_config", "place_of", "start", "where_of"]

EMBEDDED = "embedded"


def where_of(config: pytest.Config) -> str:
    """What was given, or the default."""
    given = config.getoption("--kafka", None) or config.getini("kafka")
    return str(given)


def place_of(config: pytest.Config) -> Place:
    """Read what was given. Raises UsageError, which says what is possible."""
    from kafka_nextgen.testing.real_kafka.place import parse_place

    try:
        return parse_place(where_of(config))
    except ValueError as error:
        raise pytest.UsageError(f"--kafka: {error}") from None


def broker_config(config: pytest.Config) -> dict[str, str]:
    """The settings of the broker. Raises UsageError."""
    settings = {}
    for line in config.getini("kafka_config"):
        key, separator, value = line.partition("=")
        if not separator:
            raise pytest.UsageError(f"kafka_config: {line!r} is not key=value")
        settings[key.strip()] = value.strip()
    return settings


def start(config: pytest.Config) -> RunningKafka:
    """Start a real Kafka, or return the one that is running. Raises UsageError if there is none."""
    from kafka_nextgen.testing.real_kafka.place import NoKafkaError, start

    try:
        return start(place_of(config), broker_config(config))
    except NoKafkaError as error:
        raise pytest.UsageError(f"--kafka={where_of(config)}: {error}") from None
