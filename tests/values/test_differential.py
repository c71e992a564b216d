"""Random schemas and values: in C, in Python and by fastavro the same, also of bytes that are damaged."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

import fastavro
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values import Avro
from kafka_nextgen.values.avro.parsing import parse
from kafka_nextgen.values.avro.uniting import united
from tests.support.examples import examples
from tests.values.decoding import decoded, encoded, framed, same
from tests.values.random_schemas import as_read, readers_of, schemas, values_of

pytestmark = pytest.mark.random


def judged(data: bytes, writer: Any, reader: Any = None) -> tuple[Any, int]:
    """What fastavro reads, and how many bytes are left."""
    stream = io.BytesIO(data)
    value = fastavro.schemaless_reader(
        stream, fastavro.parse_schema(writer), None if reader is None else fastavro.parse_schema(reader)
    )
    return value, len(data) - stream.tell()


def comparable(value: Any) -> Any:
    """The value with texts for numbers, by which a NaN is a NaN."""
    if isinstance(value, dict):
        return {key: comparable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [comparable(each) for each in value]
    return repr(value) if isinstance(value, float) else value


@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data())
def test_values_are_what_fastavro_reads(data: st.DataObject) -> None:
    schema = data.draw(schemas)
    values = data.draw(st.lists(values_of(schema), min_size=1, max_size=4))
    encodings = [encoded(schema, value) for value in values]
    batch, bad = decoded(Avro(schema), encodings)
    assert bad == []
    assert [as_read(schema, row) for row in batch.to_pylist()] == [judged(each, schema)[0] for each in encodings]


@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data())
def test_a_readers_schema_gives_what_fastavro_gives(data: st.DataObject) -> None:
    writer = data.draw(schemas)
    reader = data.draw(readers_of(writer))
    encodings = [encoded(writer, value) for value in data.draw(st.lists(values_of(writer), min_size=1, max_size=4))]
    batch, bad = decoded(Avro(writer, reader_schema=reader), encodings)
    assert bad == []
    assert [as_read(reader, row) for row in batch.to_pylist()] == [
        judged(each, writer, reader)[0] for each in encodings
    ]


@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data())
def test_values_of_two_writers_in_turns_are_what_fastavro_gives_by_the_newest_schema(data: st.DataObject) -> None:
    old = data.draw(schemas)
    writers = {1: old, 2: data.draw(readers_of(old))}
    numbers = data.draw(st.lists(st.sampled_from([1, 2]), min_size=1, max_size=6))
    encodings = [(number, encoded(writers[number], data.draw(values_of(writers[number])))) for number in numbers]
    batch, bad = decoded(Avro(registry=writers), [framed(number, each) for number, each in encodings])
    assert bad == []
    assert [as_read(writers[2], row) for row in batch.to_pylist()] == [
        judged(each, writers[number], writers[2])[0] for number, each in encodings
    ]


@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data())
def test_the_union_of_two_schemas_reads_the_values_of_both(data: st.DataObject) -> None:
    writers = {1: data.draw(schemas)}
    writers[2] = data.draw(st.one_of(readers_of(writers[1]), schemas))
    values = [framed(number, encoded(writer, data.draw(values_of(writer)))) for number, writer in writers.items()]
    try:
        avro = Avro(registry=writers, columns="union")
    except AvroSchemaError:
        return
    assert decoded(avro, values)[1] == []
    both = united(parse(writers[2]), parse(writers[1]))
    for writer in writers.values():
        assert united(both, parse(writer)) == both, "it is in it already"


def damaged(data: st.DataObject, whole: bytes) -> bytes:
    """Some bytes replaced, put in or left out, and maybe the end cut off."""
    changed = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(changed)))
        changed[place : place + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=3))
    return bytes(changed[: data.draw(st.integers(0, len(changed)))]) if data.draw(st.booleans()) else bytes(changed)


@settings(max_examples=examples(800), suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data())
def test_damaged_bytes_are_refused_or_are_what_fastavro_reads(data: st.DataObject) -> None:
    schema = data.draw(schemas)
    good = encoded(schema, data.draw(values_of(schema)))
    values = [good, damaged(data, good), None, good]
    batch, bad = decoded(Avro(schema), values)
    assert same(batch.slice(0, 1), batch.slice(3))
    assert {each.row for each in bad} <= {1}
    if not bad:
        with suppress(OverflowError, ValueError):  # a time that Python has no object for
            (row,) = batch.slice(1, 1).to_pylist()
            assert comparable(as_read(schema, row)) == comparable(judged(values[1] or b"", schema)[0])


@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data())
def test_any_two_schemas_are_resolved_or_refused(data: st.DataObject) -> None:
    writer, reader = data.draw(schemas), data.draw(schemas)
    values = [encoded(writer, data.draw(values_of(writer))), data.draw(st.binary(max_size=30))]
    try:
        avro = Avro(writer, reader_schema=reader)
        avro.decoder("value", True)
    except AvroSchemaError:
        return
    decoded(avro, values)
