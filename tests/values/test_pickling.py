"""Formats that are sent to other processes by pickle or cloudpickle, as Spark, dask and multiprocessing do."""

from __future__ import annotations

import json
import pickle
import ssl
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient
from google.protobuf import descriptor_pb2

from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values import Avro, Json, Protobuf, SchemaRegistry, ValueFormat
from tests.values.decoding import buffers_of, encoded, framed
from tests.values.protobuf_messages import F, class_of, file_of

RECORD = '{"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}'
OBJECT = '{"type": "object", "properties": {"id": {"type": "integer"}}}'
INNER = file_of("proto3", {"Inner": [F("x", 1, "int32")]})
INNER.name = "shop/inner.proto"
FILE = file_of(
    "proto3", {"M": [F("id", 1, "int64"), F("inner", 2, ".t.Inner"), F("at", 3, ".google.protobuf.Timestamp")]}
)
FILE.dependency.append(INNER.name)
SET = descriptor_pb2.FileDescriptorSet(file=[FILE, INNER]).SerializeToString()
SMALL = file_of("proto3", {"M": [F("id", 1, "int64")]})
TYPES = pa.schema([("id", pa.int64()), ("token", pa.uuid()), ("name", pa.large_string())])

AVRO_VALUE = framed(1, encoded(json.loads(RECORD), {"id": 7}))
JSON_VALUE = framed(1, b'{"id": 7}')
PROTOBUF_VALUE = struct.pack(">bI", 0, 1) + b"\0\x08\x07"

Made = tuple[Callable[[], ValueFormat], bytes]
FORMATS: Mapping[str, Made] = {
    "avro": (lambda: Avro(RECORD), AVRO_VALUE[5:]),
    "avro newest": (lambda: Avro(registry={1: RECORD}), AVRO_VALUE),
    "avro union": (lambda: Avro(registry={1: RECORD}, columns="union"), AVRO_VALUE),
    "json": (lambda: Json(OBJECT), JSON_VALUE[5:]),
    "json of arrow": (lambda: Json(TYPES), JSON_VALUE[5:]),
    "json newest": (lambda: Json(registry={1: OBJECT}), JSON_VALUE),
    "json union": (lambda: Json(registry={1: OBJECT}, columns="union"), JSON_VALUE),
    "json of apicurio": (lambda: Json(OBJECT, framed=True, framing="apicurio"), JSON_VALUE),
    "protobuf of a class": (lambda: Protobuf(class_of(SMALL, "M")), PROTOBUF_VALUE[6:]),
    "protobuf of a set": (lambda: Protobuf(SET, "t.M"), PROTOBUF_VALUE[6:]),
    "protobuf newest": (lambda: Protobuf(registry={1: SMALL.SerializeToString()}), PROTOBUF_VALUE),
    "protobuf by ids": (
        lambda: Protobuf(class_of(SMALL, "M"), registry={1: SMALL.SerializeToString()}),
        PROTOBUF_VALUE,
    ),
}


def ids_in(form: ValueFormat, value: bytes) -> list[Any]:
    """Return the column ``id`` of a good and a bad value, decoded without the C extension."""
    decoder: Any = form.decoder("value", True)
    columns, bad = decoder.decode(buffers_of([value, b"\xff"]), 0, 2, in_c=False)
    assert [each.row for each in bad] == [1]
    found: list[Any] = pa.record_batch(columns)["id"].to_pylist()
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_a_copy_by_pickle_decodes_the_same_whether_the_format_was_used_or_not(name: str) -> None:
    make, value = FORMATS[name]
    form = make()
    for _ in range(2):
        copy = pickle.loads(pickle.dumps(form))
        assert copy.framing == form.framing
        assert copy.decoder("value", True).names == form.decoder("value", True).names
        assert ids_in(copy, value) == ids_in(form, value) == [7, None]


OTHER_PROCESS = """
import pickle, sys
formats = pickle.load(sys.stdin.buffer)
from tests.values.test_pickling import ids_in
print(*(ids_in(form, value) for form, value in formats))
"""


def test_another_process_decodes_with_formats_that_were_sent_to_it() -> None:
    formats = [(make(), value) for make, value in FORMATS.values()]
    for form, value in formats:
        ids_in(form, value)  # fills the caches
    ended = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS],
        input=pickle.dumps(formats),
        stdout=subprocess.PIPE,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert ended.stdout.decode().split("] [") == ["[7, None", *["7, None"] * (len(FORMATS) - 2), "7, None]\n"]


def test_a_copy_of_a_union_has_its_columns_and_grows_independently() -> None:
    schemas: dict[int, Any] = {1: OBJECT}
    form = Json(registry=schemas, columns="union")
    schemas[2] = OBJECT.replace("id", "other")
    assert form.decoder("value", True).decode(buffers_of([framed(2, b"{}")]), 0, 1)[1] == []
    copy = pickle.loads(pickle.dumps(form))
    schemas[3] = OBJECT.replace("id", "third")
    form.decoder("value", True).decode(buffers_of([framed(3, b"{}")]), 0, 1)
    assert form.decoder("value", True).names == ("id", "other", "third")
    assert copy.decoder("value", True).names == ("id", "other")


def test_a_format_with_a_registry_asks_it_from_the_other_process() -> None:
    with StandIn() as stand_in:
        stand_in.register("orders-value", OBJECT, "JSON")
        form = Json(registry=SchemaRegistry(stand_in.url), subject="orders-value", columns="union")
        later = stand_in.register("orders-value", OBJECT.replace("id", "other"), "JSON")
        copy = pickle.loads(pickle.dumps(form))
        copy.decoder("value", True).decode(buffers_of([framed(later, b"{}")]), 0, 1)
        assert copy.decoder("value", True).names == ("id", "other")


# ---- what can't be pickled


def find(schema_id: int) -> str:
    return OBJECT


def test_a_function_of_a_module_is_pickled_by_its_name_and_any_function_by_cloudpickle() -> None:
    assert pickle.loads(pickle.dumps(Json(registry=find, columns="union"))) is not None
    form = Json(registry=lambda schema_id: OBJECT, columns="union")
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(form)
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    assert ids_in(pickle.loads(cloudpickle.dumps(form)), JSON_VALUE) == [7, None]


@pytest.mark.parametrize(
    "make",
    [
        lambda registry: Avro(registry=registry, reader_schema=RECORD),
        lambda registry: Json(registry=registry, columns="union"),
        lambda registry: Protobuf(class_of(SMALL, "M"), registry=registry),
    ],
    ids=["avro", "json", "protobuf"],
)
def test_a_client_with_a_connection_or_a_lock_is_named_with_what_to_use_instead(
    make: Callable[..., ValueFormat],
) -> None:
    client = SchemaRegistryClient({"url": "http://localhost:1"})
    context = SchemaRegistry("https://localhost:1", tls=ssl.create_default_context())
    for registry, named in (
        (client, "SchemaRegistryClient"),
        (client.get_schema, "method"),
        (context, "SchemaRegistry"),
    ):
        with pytest.raises(pickle.PicklingError, match=f"registry, a {named}, can't be: .*pickle.* Use a Schema"):
            pickle.dumps(make(registry))
