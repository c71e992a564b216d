"""The tables have a row for each call of the other clients, as they are installed, and name calls that exist here."""

from __future__ import annotations

import builtins
import importlib
import inspect
import re
from pathlib import Path

import pytest

import kafka_nextgen
from kafka_nextgen import AsyncConsumer, Consumer, GroupAdmin
from kafka_nextgen.config import KEYS, ConsumerConfig
from kafka_nextgen.migrating.clients import CLIENTS, Client
from kafka_nextgen.other_clients.fates import same_value
from kafka_nextgen.other_clients.values import CONVERSIONS
from tests.support.peers import defaults_of, installed

CLASSES = [
    ("confluent_kafka", "Consumer", "Consumer"),
    ("confluent_kafka", "aio.AIOConsumer", "AIOConsumer"),
    ("confluent_kafka", "Message", "Message"),
    ("confluent_kafka", "TopicPartition", "TopicPartition"),
    ("confluent_kafka", "KafkaError", "KafkaError"),
    ("kafka", "KafkaConsumer", "KafkaConsumer"),
    ("kafka", "ConsumerRebalanceListener", "ConsumerRebalanceListener"),
    ("aiokafka", "AIOKafkaConsumer", "AIOKafkaConsumer"),
    ("aiokafka", "ConsumerRebalanceListener", "ConsumerRebalanceListener"),
]
ALL = [pytest.param(client, id=client.name) for client in CLIENTS.values()]
PYTHON = [pytest.param(CLIENTS["kafka"], id="kafka-python"), pytest.param(CLIENTS["aiokafka"], id="aiokafka")]
CONSUMERS = {"confluent_kafka": Consumer, "kafka": Consumer, "aiokafka": AsyncConsumer}

OURS = {"ConsumerRecord": kafka_nextgen.Record, "TopicPartition": kafka_nextgen.TopicPartition}


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_") and not name.isupper()}


def rows(client: Client, kind: str) -> set[str]:
    """The rows of calls, without those of their arguments."""
    return {name for name in client.calls[kind] if name.isidentifier()}


@pytest.mark.parametrize(("package", "path", "kind"), CLASSES)
def test_each_public_method_has_a_row_and_each_row_is_one(package: str, path: str, kind: str) -> None:
    module, _, name = f"{package}.{path}".rpartition(".")
    installed(package)
    thing = getattr(importlib.import_module(module), name)
    constants = {"DEFAULT_SESSION_TIMEOUT_MS_PRE_KIP_735"}
    assert rows(CLIENTS[package], kind) ^ public(thing) <= constants


@pytest.mark.parametrize(("package", "module"), [("kafka", "kafka.consumer.fetcher"), ("aiokafka", "aiokafka.structs")])
def test_the_fields_of_a_record_have_rows(package: str, module: str) -> None:
    installed(package)
    record = importlib.import_module(module).ConsumerRecord
    fields = set(getattr(record, "_fields", None) or record.__dataclass_fields__)
    assert rows(CLIENTS[package], "ConsumerRecord") == fields


@pytest.mark.parametrize("client", ALL)
def test_each_name_of_the_package_has_a_row(client: Client) -> None:
    module = installed(client.package)
    names = set(getattr(module, "__all__", ())) if client.package != "confluent_kafka" else set(dir(module))
    classes = {name for name in names if name[0].isupper()}
    assert classes - rows(client, "") == set()


@pytest.mark.parametrize("client", PYTHON)
def test_each_parameter_of_a_call_is_known(client: Client) -> None:
    """Positional arguments are those of the signature; one that has no row is accepted here under the same name."""
    (kind,) = set(client.classes.values())
    theirs = getattr(installed(client.package), kind)
    for name, row in client.calls[kind].items():
        call, _, argument = name.partition("(")
        parameters = [each for each in inspect.signature(getattr(theirs, call)).parameters if each != "self"]
        assert not argument or argument.removesuffix("=)") in parameters
        if argument or row.here != "the same":
            continue
        ours = inspect.signature(getattr(CONSUMERS[client.package], call)).parameters
        assert [each for each in parameters if f"{call}({each}=)" not in client.calls[kind] and each not in ours] == []
    for call, names in client.parameters.items():
        assert tuple(each for each in inspect.signature(getattr(theirs, call)).parameters if each != "self") == names


@pytest.mark.parametrize("client", ALL)
def test_what_a_row_names_exists_here(client: Client) -> None:
    classes = (Consumer, GroupAdmin, kafka_nextgen.Records, kafka_nextgen.RebalanceListener)
    known = {*dir(kafka_nextgen), *dir(builtins), "_replace"}.union(*map(public, classes))
    for kind, calls in client.calls.items():
        for name, row in calls.items():
            named = {*re.findall(r"(\w+)\(", row.here), *re.findall(r"(?<!\.)\b([A-Z]\w+)\b", row.here)}
            assert named <= known, f"{kind}.{name}"
            if row.here == "the same":
                ours = OURS.get(kind, CONSUMERS[client.package])
                assert hasattr(ours, name.partition("(")[0]), f"{kind}.{name}"


@pytest.mark.parametrize("client", ALL)
def test_a_call_that_is_awaited_in_one_only_has_a_row_that_says_so(client: Client) -> None:
    if client.package != "aiokafka":
        assert not any(row.here.startswith("await") for row in client.calls[client.record].values())
        return
    theirs, ours = installed("aiokafka").AIOKafkaConsumer, AsyncConsumer
    for name, row in client.calls["AIOKafkaConsumer"].items():
        if name.isidentifier() and row.here == "the same":
            awaited = [inspect.iscoroutinefunction(getattr(each, name)) for each in (theirs, ours)]
            assert awaited[0] == awaited[1], name


@pytest.mark.parametrize("client", ALL)
def test_a_call_that_exists_here_is_named_by_its_row(client: Client) -> None:
    """So that a row is looked at again when this library gets a call of the same name."""
    for kind in set(client.classes.values()):
        for name, row in client.calls[kind].items():
            if name.isidentifier() and hasattr(CONSUMERS[client.package], name):
                assert row.is_unchanged or f"{name}(" in row.here, name


@pytest.mark.parametrize("client", PYTHON)
def test_the_defaults_that_differ_are_listed(client: Client) -> None:
    ours = ConsumerConfig.parse(bootstrap_servers="localhost:9092", group_id="billing")
    theirs = {key.replace("_", "."): value for key, value in defaults_of(client.package).items()}
    shared = {key: value for key, value in theirs.items() if key in KEYS and key != "group.id"}
    different = {key for key, value in shared.items() if (value or None) != _plain(getattr(ours, KEYS[key].attribute))}
    assert different == set(client.defaults) - {"group.protocol"}
    assert shared["client.id"] == client.defaults["client.id"].theirs


def test_the_defaults_of_librdkafka_that_differ_are_listed() -> None:
    listed = Path(__file__).parents[1] / "other_clients" / "librdkafka-2.15.0-defaults.txt"
    theirs = dict(line.split("=", 1) for line in listed.read_text().splitlines())
    ours = ConsumerConfig.parse(bootstrap_servers="localhost:9092", group_id="billing")
    different = {
        key for key, value in theirs.items() if value and _read(key, value) != getattr(ours, KEYS[key].attribute)
    }
    listed_here = CLIENTS["confluent_kafka"].defaults
    assert different == set(listed_here) - {"request.timeout.ms"}
    assert [key for key in different if not listed_here[key].theirs.startswith(theirs[key])] == []


def _read(key: str, value: str) -> object:
    return KEYS[key].value_type.read(CONVERSIONS.get(key, same_value)(value))


def _plain(value: object) -> object:
    return getattr(value, "value", value)


@pytest.mark.parametrize("client", ALL)
def test_a_default_is_one_of_a_key_of_this_library(client: Client) -> None:
    assert client.defaults.keys() <= KEYS.keys()
