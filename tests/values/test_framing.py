"""Frames of all kinds become the one that decoders know."""

from __future__ import annotations

import pickle
import struct
from collections import OrderedDict
from uuid import UUID

import pytest

from kafka_nextgen.errors import RegistryError
from kafka_nextgen.values import Avro, framing
from kafka_nextgen.values.framing import Framing, LongId, is_prefixed, long_id, name_of, number_of, with_prefixes
from kafka_nextgen.values.schema_source import RegisteredSchema, source_of
from tests.values.decoding import buffers_of, framed

GUID = UUID("12345678-1234-5678-1234-567812345678")
OTHER = UUID(int=2)
LONG = 2**40


def reframed(value: bytes | None, header: tuple[str, bytes | None], kind: Framing = Framing.CONFLUENT) -> bytes:
    """What becomes of the second of two values, the first of which is left out."""
    data, bounds, _ = with_prefixes(kind, "value", buffers_of([b"before", value]), [[header]], 1, 2)
    assert list(bounds[:2]) == [0, 0]
    return bytes(data[bounds[1] : bounds[2]])


def prefixed(schema_id: LongId | None, value: bytes) -> bytes:
    """A value with the prefix that decoders know; None for a value that gets none."""
    return value if schema_id is None else struct.pack(">bi", 0, number_of(schema_id)) + value


@pytest.mark.parametrize(
    ("header", "schema_id", "rest"),
    [
        (("__value_schema_id", b"\1" + GUID.bytes), GUID, b"v"),
        (("__value_schema_id", b"\1" + GUID.bytes + b"\2\4"), GUID, b"\2\4v"),
        (("__value_schema_id", framed(7, b"")), 7, b"v"),
        (("__value_schema_id", b"\1short"), None, b"v"),
        (("__value_schema_id", b"\0" * 4), None, b"v"),
        (("__value_schema_id", b"\3" + GUID.bytes), None, b"v"),
        (("__value_schema_id", b""), None, b"v"),
        (("__value_schema_id", None), None, b"v"),
        (("__key_schema_id", b"\1" + GUID.bytes), None, b"v"),
        (("other", b"x"), None, b"v"),
    ],
)
def test_confluents_header(header: tuple[str, bytes | None], schema_id: LongId | None, rest: bytes) -> None:
    assert reframed(b"v", header) == prefixed(schema_id, rest)


@pytest.mark.parametrize(
    ("header", "value", "schema_id", "rest"),
    [
        (("x", b""), struct.pack(">bq", 0, 7) + b"v", 7, b"v"),
        (("x", b""), struct.pack(">bq", 0, LONG) + b"v", LONG, b"v"),
        (("x", b""), b"\0\0\0\0\0\0\0\1", None, b"\0\0\0\0\0\0\0\1"),
        (("x", b""), b"\1" + bytes(9), None, b"\1" + bytes(9)),
        (("apicurio.value.globalId", struct.pack(">q", 7)), b"v", 7, b"v"),
        (("apicurio.value.contentId", struct.pack(">q", LONG)), b"v", LONG, b"v"),
        (("apicurio.value.globalId", b"7"), b"v", None, b"v"),
        (("apicurio.key.globalId", struct.pack(">q", 7)), b"v", None, b"v"),
    ],
)
def test_apicurios_frames(
    header: tuple[str, bytes | None], value: bytes, schema_id: LongId | None, rest: bytes
) -> None:
    assert reframed(value, header, Framing.APICURIO) == prefixed(schema_id, rest)


def test_a_null_stays_null() -> None:
    values = buffers_of([None, b"v"])
    headers = [[("__value_schema_id", framed(7, b""))]] * 2
    _, _, validity = with_prefixes(Framing.CONFLUENT, "value", values, headers, 0, 2)
    assert validity == values[2]


def test_batches_with_the_usual_prefix_are_not_copied() -> None:
    assert is_prefixed(Framing.CONFLUENT, "value", None)
    assert is_prefixed(Framing.CONFLUENT, "value", b"other__key_schema_id")
    assert not is_prefixed(Framing.CONFLUENT, "value", memoryview(b"a__value_schema_idb"))
    assert not is_prefixed(Framing.APICURIO, "value", None)


def test_a_number_stands_for_what_it_was_given_for() -> None:
    assert number_of(GUID) == number_of(GUID) < 0
    assert long_id(number_of(GUID)) == GUID
    assert number_of(LONG) != number_of(GUID)
    assert number_of(7) == long_id(7) == 7
    assert number_of(-1) < 0, "an id of Apicurio's may be anything"
    assert (name_of(7), name_of(number_of(GUID))) == ("7", str(GUID))


def test_an_id_that_takes_more_than_31_bits_gets_a_number() -> None:
    assert number_of(2**31 - 1) == 2**31 - 1
    assert number_of(2**31) < 0, "the four bytes of a prefix have no room for it"
    assert long_id(number_of(2**31)) == 2**31


def test_numbers_are_given_out_under_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise two threads that meet new GUIDs could get the same number."""
    numbers = framing._Numbers(-1)

    class Watched(OrderedDict[framing.LongId, int]):
        def __setitem__(self, long: framing.LongId, number: int) -> None:
            assert numbers._lock.locked()
            super().__setitem__(long, number)

    monkeypatch.setattr(numbers, "_numbers", Watched())
    assert numbers.long_id(numbers.number_of(UUID(int=98))) == UUID(int=98)


def test_a_lock_that_another_thread_holds_does_not_stop_a_forked_process() -> None:
    numbers = framing._Numbers(-1)
    numbers._lock.acquire()
    numbers.unlock()
    assert numbers.number_of(GUID) == -1


def test_what_was_used_least_recently_loses_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A producer may write any number of GUIDs: those of other values are read all the same."""
    monkeypatch.setattr(framing, "_MOST_NUMBERS", 2)
    numbers = framing._Numbers(-5)
    for value in range(100):
        assert numbers.number_of(GUID) == -5
        numbers.number_of(UUID(int=value))
    assert numbers.number_of(UUID(int=0)) == -106, "no number is used twice"
    with pytest.raises(KeyError, match="more than 2 different GUIDs or long ids"):
        numbers.long_id(-6)


def test_a_prefix_may_have_a_number_that_was_not_given() -> None:
    numbers = framing._Numbers(-5)
    for number in (-1, -5, -6):
        with pytest.raises(KeyError) as caught:
            numbers.long_id(number)
        assert caught.value.args == (number,)


def test_numbers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "_numbers", framing._Numbers(framing._NO_NUMBER + 1))
    assert long_id(number_of(GUID)) == GUID
    number = number_of(UUID(int=99))
    assert name_of(number) == "for an id that is no longer remembered (more than 65536 different GUIDs or long ids)"
    with pytest.raises(RegistryError, match="there is no schema for an id that is no longer remembered") as caught:
        source_of({}, "AVRO").schema_by_id(number)
    assert caught.value.http_status_code == 404


# ---- sources of schemas


def test_a_mapping_and_a_function_are_sources() -> None:
    guid = number_of(GUID)
    for registry in ({7: "s", str(GUID): "g"}, {7: "s", str(GUID): "g"}.__getitem__):
        source = source_of(registry, "JSON")
        assert source.schema_by_id(7) == RegisteredSchema("JSON", "s", id=7)
        assert source.schema_by_id(guid).text == "g"
        with pytest.raises(RegistryError, match="the registry has no schema 8"):
            source.schema_by_id(8)


def test_a_source_stays_itself_and_what_it_returns_is_kept() -> None:
    schema = RegisteredSchema("PROTOBUF", "p", (("a.proto", "x"),))
    source = source_of({7: schema}, "JSON")
    assert source.schema_by_id(7) is schema
    assert source_of(source, "JSON") is source
    with pytest.raises(TypeError, match="registry must be a SchemaRegistry, a mapping"):
        source_of(3, "AVRO")


def test_a_pickled_format_knows_no_numbers_of_the_process_that_wrote_it() -> None:
    """There the number stands for one GUID, and here for another."""
    schemas = {str(GUID): '"long"', str(OTHER): '"long"'}
    avro = Avro(registry=schemas, reader_schema='"long"')
    avro.decoder("value", True).decode(buffers_of([prefixed(GUID, b"\2")]), 0, 1)
    del schemas[str(GUID)]
    read = pickle.loads(pickle.dumps(avro)).decoder("value", True)
    _, bad = read.decode(buffers_of([prefixed(GUID, b"\2")]), 0, 1)
    assert [each.reason for each in bad] == [f"schema {GUID}: the registry has no schema {GUID}"]
