from __future__ import annotations

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.transport.retrying import Backoff
from kafka_nextgen.transport.settings import TransportSettings

SERVERS = "localhost:9092"


def test_the_defaults_are_those_of_the_configuration() -> None:
    config = ConsumerConfig.parse(bootstrap_servers=SERVERS)
    assert TransportSettings.of(config) == TransportSettings(bootstrap_servers=(ServerAddress("localhost", 9092),))


def test_milliseconds_become_seconds() -> None:
    config = ConsumerConfig.parse(
        bootstrap_servers=SERVERS,
        request_timeout_ms=1_500,
        reconnect_backoff_ms=20,
        reconnect_backoff_max_ms=200,
        metadata_recovery_strategy="none",
    )
    settings = TransportSettings.of(config)
    assert settings.unreachable_timeout_s == 10.0
    assert (settings.request_timeout_s, settings.rebootstraps) == (1.5, False)
    assert settings.reconnect_backoff == Backoff(0.02, 0.2)


def test_the_patience_with_bootstrap_servers_can_be_chosen() -> None:
    config = ConsumerConfig.parse(bootstrap_servers=SERVERS, bootstrap_resolve_timeout_ms=120_000)
    assert TransportSettings.of(config).unreachable_timeout_s == 120.0
