"""Whatever schema a writer has registered: its values are bad, and those of other schemas are read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient, SchemaRegistryError

from kafka_nextgen.errors import AvroSchemaError, RegistryError
from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values import Avro
from tests.values.decoding import decoded, framed


def chained_records() -> str:
    """Twelve records, each 50 records deep, and each with the name of the one before inside: as deep as all of them."""
    fields = []
    inner: Any = "int"
    for name in range(12):
        for level in range(50):
            inner = {"type": "record", "name": f"R{name}_{level}", "fields": [{"name": "f", "type": inner}]}
        fields.append({"name": f"f{name}", "type": inner})
        inner = f"R{name}_49"
    return json.dumps({"type": "record", "name": "All", "fields": fields})


@pytest.mark.parametrize(
    "registered",
    [b"\xff", "{", chained_records(), '{"type": "enum", "name": "E", "symbols": ["\\ud800"]}'],
    ids=["no text", "no JSON", "600 levels", "a surrogate"],
)
def test_a_schema_that_cannot_be_used_makes_only_its_own_values_bad(registered: object) -> None:
    registry = {1: "int", 2: registered}
    batch, bad = decoded(Avro(registry=registry, reader_schema="int"), [framed(2, b"\x02"), framed(1, b"\x04")])
    assert batch.column(0).to_pylist() == [None, 2]
    assert [each.row for each in bad] == [0]


class NotFoundError(Exception):
    """An error whose status alone says that there is no such id."""

    http_status_code = 404


def test_an_id_that_the_registry_does_not_know_makes_its_values_bad() -> None:
    def find(schema_id: int) -> str:
        if schema_id != 1:
            raise NotFoundError(schema_id)
        return "int"

    batch, bad = decoded(Avro(registry=find, reader_schema="int"), [framed(2, b"\x02"), framed(1, b"\x04")])
    assert batch.column(0).to_pylist() == [None, 2]
    assert "the registry has no schema 2" in bad[0].reason


@pytest.mark.parametrize("is_function", [False, True], ids=["client", "function"])
def test_a_404_that_confluents_client_got_from_a_proxy_makes_no_value_bad(is_function: bool) -> None:
    with StandIn() as stand_in:
        client = SchemaRegistryClient({"url": stand_in.url})
        avro = Avro(registry=client.get_schema if is_function else client, reader_schema="int")
        assert "the registry has no schema 7" in decoded(avro, [framed(7, b"\x02")])[1][0].reason
        for body in (
            "<html>no such page</html>",
            '{"error_code": 404, "message": "HTTP 404"}',
            '{"message": "gone"}',
            "7",
        ):
            stand_in.fail(404, body)
            with pytest.raises(RegistryError, match="schema 8: status 404, but not from a schema registry") as caught:
                decoded(avro, [framed(8, b"\x02")])
            assert isinstance(caught.value.__cause__, SchemaRegistryError)


def test_a_registry_that_cannot_be_reached_is_no_fault_of_a_value() -> None:
    def find(_: int) -> str:
        raise ConnectionError("no registry")

    with pytest.raises(ConnectionError, match="no registry"):
        decoded(Avro(registry=find, reader_schema="int"), [framed(1, b"\x02")])


def with_default(kind: str, default: object) -> object:
    return {"type": "record", "name": "R", "fields": [{"name": "f", "type": kind, "default": default}]}


@pytest.mark.parametrize(
    ("schema", "reader_schema"),
    [
        (b"\xff", None),
        (chained_records(), None),
        ({"type": "record", "name": "R", "fields": []}, with_default("float", 1e300)),
        ({"type": "record", "name": "R", "fields": []}, with_default("string", "\ud800")),
    ],
    ids=["no text", "600 levels", "no float", "a surrogate"],
)
def test_a_schema_that_cannot_be_used_is_refused_where_it_is_given(schema: object, reader_schema: object) -> None:
    with pytest.raises(AvroSchemaError):
        Avro(schema, reader_schema=reader_schema)
