"""What a deserializer is called with is told from its signature."""

from __future__ import annotations

import functools
import json
import struct
from collections.abc import Awaitable
from typing import Any
from unittest.mock import Mock

import pytest
from confluent_kafka.schema_registry.avro import AsyncAvroDeserializer, AvroDeserializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer
from confluent_kafka.serialization import StringDeserializer
from kafka.serializer import JsonSerializer

from kafka_nextgen.properties.deserializer_forms import Parameters, form_of


def of_data_and_more(data: bytes, topic: str = "orders") -> object: ...


def of_data_and_context(data: bytes, where: object) -> object: ...


def of_optional_context(data: bytes, ctx: object = None) -> object: ...


def of_a_bound_context(data: bytes, context: str = "already here") -> object: ...


class OfTopicAndData:
    def deserialize(self, topic: str, data: bytes) -> object: ...


class OfAll:
    def deserialize(self, topic: str, headers: object, data: bytes) -> object: ...


class OfNeither:
    def deserialize(self, data: bytes) -> object: ...


class Callable:
    def __call__(self, data: bytes, context: object) -> object: ...


class AsyncCallable:
    async def __call__(self, data: bytes) -> object: ...


async def awaited(data: bytes) -> object: ...


def says_so(data: bytes) -> Awaitable[int]: ...


def instance(kind: type) -> object:
    """An object of a class that asks a registry to be made."""
    return kind.__new__(kind)


@pytest.mark.parametrize(
    ("given", "parameters"),
    [
        (int, Parameters.DATA),
        (bytes.decode, Parameters.DATA),
        (json.loads, Parameters.DATA),
        (functools.partial(str, encoding="latin-1"), Parameters.DATA),
        (struct.Struct(">i").unpack, Parameters.DATA),
        (lambda *data: data, Parameters.DATA),
        (Mock(), Parameters.DATA),
        (of_data_and_more, Parameters.DATA),
        (of_a_bound_context, Parameters.DATA),
        (functools.partial(of_data_and_context, where=3), Parameters.DATA),
        (of_data_and_context, Parameters.DATA_AND_CONTEXT),
        (of_optional_context, Parameters.DATA_AND_CONTEXT),
        (Callable(), Parameters.DATA_AND_CONTEXT),
        (StringDeserializer(), Parameters.DATA_AND_CONTEXT),
        (instance(AvroDeserializer), Parameters.DATA_AND_CONTEXT),
        (instance(JSONDeserializer), Parameters.DATA_AND_CONTEXT),
        (instance(ProtobufDeserializer), Parameters.DATA_AND_CONTEXT),
        (JsonSerializer(), Parameters.TOPIC_HEADERS_AND_DATA),
        (OfAll(), Parameters.TOPIC_HEADERS_AND_DATA),
        (OfTopicAndData(), Parameters.TOPIC_AND_DATA),
    ],
)
def test_the_parameters_are_told_from_the_signature(given: Any, parameters: Parameters) -> None:
    form = form_of(given)
    assert (form.parameters, form.is_async) == (parameters, False)
    assert form.may_wait == (parameters is not Parameters.DATA)


@pytest.mark.parametrize(
    "given", [awaited, says_so, AsyncCallable(), functools.partial(awaited), object.__new__(AsyncAvroDeserializer)]
)
def test_what_returns_something_to_await_is_async(given: object) -> None:
    form = form_of(given)
    assert form.is_async
    assert form.may_wait


def test_an_annotation_that_is_no_text_says_so_too() -> None:
    def plain(data: bytes) -> Any: ...

    plain.__annotations__["return"] = Awaitable[int]
    assert form_of(plain).is_async


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (3, "must be a callable that takes bytes"),
        ("json", "not 'json'"),
        (lambda: None, "takes 0 arguments"),
        (lambda topic, headers, data: data, "takes 3 arguments"),
        (JsonSerializer, "must be an object, not the class JsonSerializer"),
        (OfNeither(), "not 1 arguments"),
    ],
)
def test_what_can_not_be_called_so_is_refused(given: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        form_of(given)
