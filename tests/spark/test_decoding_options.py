"""The options that say how keys and values are decoded: what they make, and which contradict each other."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from kafka_nextgen.spark.decoding.options import DECODING_OPTIONS, DecodingOptions, FieldOptions
from kafka_nextgen.spark.options import parse_source_options
from tests.spark.parsing import SERVERS, parse, refusal

AVRO = {"valueFormat": "avro", "valueSchema": '"long"'}
REGISTRY = {"valueFormat": "avro", "schemaRegistry.url": "http://registry:8081"}
PROTOBUF = {"valueFormat": "protobuf", "valueSchemaFile": "o.pb", "valueMessage": "shop.Order"}


def decoding(*parts: dict[str, str]) -> DecodingOptions:
    found = parse(*parts).decoding
    assert found is not None
    return found


def test_every_option_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "guides" / "spark.md").read_text()
    assert [option for option in DECODING_OPTIONS if f"`{option}`" not in page] == []


def test_without_a_format_nothing_is_decoded() -> None:
    assert parse().decoding is None
    assert parse({"onError": "skip"}).warnings == ("the option onError is ignored: it needs valueFormat or keyFormat",)


def test_keys_and_values_have_a_format_each() -> None:
    found = decoding(AVRO, {"keyFormat": "JSON", "keyFramed": "true", "onError": "null"})
    assert found.fields == (
        FieldOptions("key", "json", None, None, None, "orders-key", True),
        FieldOptions("value", "avro", '"long"', None, None, "orders-value", None),
    )
    assert found.on_error == "null"


@pytest.mark.parametrize(
    ("topics", "subject"),
    [
        ({"subscribe": "orders"}, "orders-value"),
        ({"assign": '{"audit":[0,1]}'}, "audit-value"),
        ({"subscribe": "orders", "valueSubject": "shop.Order"}, "shop.Order"),
    ],
)
def test_the_subject_is_that_of_the_only_topic_unless_an_option_names_it(topics: dict[str, str], subject: str) -> None:
    options = {**REGISTRY, **{name: text for name, text in topics.items() if text}}
    found = parse_source_options({**SERVERS, **options}, is_streaming=True).decoding
    assert found is not None
    assert found.fields[0].subject == subject


def test_the_registry_has_credentials_that_are_not_shown() -> None:
    secrets = {
        "schemaRegistry.url": "https://a:s3cret@registry",
        "schemaRegistry.user": "billing",
        "schemaRegistry.password": "s3cret",
        "schemaRegistry.ssl.key.password": "s3cret",
        "schemaRegistry.header.Target-SR-Cluster": "s3cret",
        "schemaRegistry.framing": "apicurio",
    }
    options = parse(REGISTRY, secrets)
    assert options.decoding is not None
    registry = options.decoding.registry
    assert registry is not None
    assert [name for name, _ in (*registry.tls, *registry.headers)] == ["ssl.key.password", "target-sr-cluster"]
    assert registry.framing == "apicurio"
    assert "s3cret" not in repr(options)
    assert pickle.loads(pickle.dumps(options)) == options
    hash(options.decoding)


@pytest.mark.parametrize("format_name", ["json", "avro", "protobuf"])
def test_each_format_uses_the_registry_unless_an_option_says_how_values_are_framed(format_name: str) -> None:
    found = decoding(REGISTRY, {"valueFormat": format_name, "keyFormat": "json", "keyFramed": "false"})
    key, value = (each.registry_of(found.registry) for each in found.fields)
    assert (key, value) == (None, found.registry)


def test_a_token_is_enough() -> None:
    registry = decoding(REGISTRY, {"schemaRegistry.token": "abc"}).registry
    assert registry is not None
    assert registry.token is not None


@pytest.mark.parametrize(
    ("options", "key", "message"),
    [
        ({"valueFormat": "xml"}, "valueFormat", "valueFormat must be json or avro or protobuf, not 'xml'"),
        ({"valueSchema": "{}"}, "valueSchema", "needs valueFormat, which is one of json, avro, protobuf"),
        ({"keyMessage": "a.B"}, "keyMessage", "needs keyFormat, which is one of"),
        ({"valueFormat": "json", "onError": "ignore"}, "onError", "must be raise or skip or null"),
        ({"valueFormat": "json", "valueSchema": " "}, "valueSchema", "is empty"),
        ({**AVRO, "valueSchemaFile": "o.avsc"}, "valueSchema", "valueSchema and valueSchemaFile are given: remove one"),
        ({"valueFormat": "avro"}, "valueSchema", "needs valueSchema, valueSchemaFile or schemaRegistry.url"),
        ({**AVRO, "valueMessage": "a.B"}, "valueMessage", "is for protobuf only"),
        ({"valueFormat": "protobuf", "valueSchemaFile": "o.pb"}, "valueMessage", "is required, as package.Message"),
        ({"valueFormat": "protobuf", "valueMessage": "a.B"}, "valueSchemaFile", "protoc --include_imports"),
        ({**REGISTRY, "subscribe": "a,b"}, "valueSubject", "valueSubject is required, for instance orders-value"),
        ({**REGISTRY, "keyFormat": "json", "valueFramed": "true"}, "valueFramed", "schemaRegistry.url is not used"),
        (
            {**REGISTRY, "keyFormat": "json", "keyFramed": "false", "valueFramed": "false"},
            "schemaRegistry.url",
            "without",
        ),
        ({**AVRO, "schemaRegistry.user": "a"}, "schemaRegistry.url", "is required with schemaregistry.user"),
        ({"schemaRegistry.url": "http://r"}, "schemaRegistry.url", "needs valueFormat or keyFormat"),
        ({**REGISTRY, "valueFormat": "json", "subscribe": "a,b"}, "valueSubject", "valueSubject is required"),
        ({**REGISTRY, "valueFormat": "protobuf", "valueSchemaFile": "o.pb"}, "valueMessage", "is required"),
        (
            {**REGISTRY, "valueFormat": "protobuf", "schemaRegistry.framing": "apicurio"},
            "schemaRegistry.framing",
            "puts the name of the message in front of each value",
        ),
        ({**REGISTRY, "schemaRegistry.user": "a"}, "schemaRegistry.password", "must be given together"),
        (
            {**REGISTRY, "schemaRegistry.user": "a", "schemaRegistry.password": "b", "schemaRegistry.token": "c"},
            "schemaRegistry.token",
            "remove one",
        ),
        ({**REGISTRY, "schemaRegistry.usr": "a"}, "schemaregistry.usr", "did you mean schemaRegistry.user"),
        ({"mode": "PERMISSIVE"}, "mode", "null for PERMISSIVE"),
    ],
)
def test_what_contradicts_or_is_missing_is_refused(options: dict[str, str], key: str, message: str) -> None:
    error = refusal(options)
    assert error.key == key
    assert message in str(error)
