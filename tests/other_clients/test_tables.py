"""Each key of another client's consumer has exactly one fate."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from kafka_nextgen.config import KEYS
from kafka_nextgen.other_clients.fates import Mapped
from kafka_nextgen.other_clients.tables import FATES, TABLES, fate_of
from kafka_nextgen.other_clients.translation import translate
from kafka_nextgen.properties.security_config import ALIASES

HERE = Path(__file__).parent


def listed(name: str) -> list[str]:
    """Keys of a release. Java's are ``ConsumerConfig.configDef()``, librdkafka's C and * of its CONFIGURATION.md."""
    return (HERE / name).read_text(encoding="utf-8").split()


def keys_of(client: str) -> list[str]:
    if client == "kafka-python":
        return list(pytest.importorskip("kafka").KafkaConsumer.DEFAULT_CONFIG)
    if client == "aiokafka":
        return [*inspect.signature(pytest.importorskip("aiokafka").AIOKafkaConsumer).parameters]
    return listed(f"{client}.txt")


@pytest.mark.parametrize("client", ["java-4.4.0", "librdkafka-2.16.0", "kafka-python", "aiokafka"])
def test_each_key_of_a_client_has_a_fate(client: str) -> None:
    dotted = [key.replace("_", ".") for key in keys_of(client)]
    assert [key for key in dotted if key not in KEYS and fate_of(key) is None] == []


def test_a_key_is_in_one_table_and_none_of_this_library_is() -> None:
    """Except for the types of stores: migration reads a store by its contents."""
    assert sum(map(len, TABLES.values())) == len(FATES)
    assert (FATES.keys() & KEYS.keys()) - ALIASES.keys() == {"ssl.keystore.type", "ssl.truststore.type"}


def test_a_mapped_key_sets_one_of_this_library() -> None:
    assert {fate.key for fate in FATES.values() if isinstance(fate, Mapped)} <= KEYS.keys()


@pytest.mark.parametrize("client", ["java-4.4.0", "librdkafka-2.16.0", "kafka-python", "aiokafka"])
def test_no_key_is_dropped_silently(client: str) -> None:
    """Each key sets one of this library, or is named in a warning, or in the error that refuses it."""
    silent = []
    for written in keys_of(client):
        value = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}.get(written.replace("_", "."), "1")
        found = translate({"bootstrap.servers": "a:1", written: value}, KEYS, {})
        told = [*found.warnings, *map(str, found.problems)]
        is_set = any(setting.written == written for setting in found.settings.values())
        if not is_set and not any(one.startswith(f"{written} ") or f"{written}=" in one for one in told):
            silent.append(written)
    assert silent == []
