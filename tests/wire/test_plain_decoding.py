"""What decoding an answer in one go promises beside its outcome: nothing kept, nothing crashed by wrong arguments."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import pytest
from kafka_nextgen.wire.plain_decoding import decode_plain

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.fetching import DecodedPartition
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import BinaryColumn, Columns, HeaderColumn
from tests.bridge.over_the_wire import ORDERS
from tests.fetching.test_plain_answers import DAMAGED, answer_of, batch, body_of, partition_of, topic_of
from tests.wire.test_accelerator_calls import growth_of

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the decoder was not compiled")

PARTITION = TopicPartition("orders", 1)
PLACES = {ORDERS.bytes: {1: PARTITION}}
TYPES = Columns, BinaryColumn, HeaderColumn
SOUND = bytes(body_of(answer_of(topic_of(partition_of(1, batch(50))))))
ODD = bytes(body_of(answer_of(topic_of(partition_of(1, DAMAGED)))))


class Position(NamedTuple):
    offset: Any


WANTED = {PARTITION: Position(3)}


def decode(body: bytes | bytearray = SOUND, places: Any = PLACES, wanted: Any = WANTED, **how: Any) -> Any:
    made, types = how.get("made", DecodedPartition), how.get("types", TYPES)
    return accelerator.decode_plain(body, places, wanted, how.get("most_bytes", 1 << 20), True, made, types)


@pytest.mark.parametrize("body", [SOUND, SOUND[:-1], ODD, b""], ids=["sound", "cut", "odd", "empty"])
def test_nothing_is_kept_of_what_was_read(body: bytes) -> None:
    assert growth_of(lambda: decode(body)) < 2_000


def test_the_body_is_let_go_whatever_came_of_it() -> None:
    for body in (bytearray(SOUND), bytearray(ODD)):
        decode(body)
        body.append(0)  # a BufferError as long as somebody holds it


def test_columns_do_not_look_into_the_body() -> None:
    body = bytearray(SOUND)
    columns = decode(body)[2][0].columns
    body[:] = bytes(len(body))
    assert columns.values.to_list(0, 2) == [b"v0", b"v1"]


class Matching:
    """No type, but it looks like one of columns."""

    __match_args__ = ("data", "bounds", "validity")


class Numbered:
    """A type whose attributes have no names."""

    __match_args__ = (1, 2, 3)


class Stubborn(dict[object, object]):
    def __getitem__(self, key: object) -> object:
        raise ZeroDivisionError("nothing to be found today")


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ({"made": list}, TypeError),
        ({"made": os.stat_result}, TypeError),
        ({"made": Position}, TypeError),
        ({"made": "DecodedPartition"}, TypeError),
        ({"types": (Columns, BinaryColumn)}, TypeError),
        ({"types": (BinaryColumn, BinaryColumn, HeaderColumn)}, TypeError),
        ({"types": (3, BinaryColumn, HeaderColumn)}, AttributeError),
        ({"types": (Columns, Matching(), HeaderColumn)}, TypeError),
        ({"types": (Columns, Numbered, HeaderColumn)}, TypeError),
        ({"places": 3}, TypeError),
        ({"places": {ORDERS.bytes: 3}}, TypeError),
        ({"places": Stubborn()}, ZeroDivisionError),
        ({"places": {ORDERS.bytes: Stubborn()}}, ZeroDivisionError),
        ({"places": {ORDERS.bytes: {1: []}}}, TypeError),
        ({"wanted": Stubborn()}, ZeroDivisionError),
        ({"wanted": {PARTITION: 3}}, AttributeError),
        ({"wanted": {PARTITION: Position("3")}}, TypeError),
        ({"wanted": {PARTITION: Position(1 << 70)}}, OverflowError),
        ({"body": "text"}, TypeError),
    ],
)
def test_what_can_not_be_is_an_error(how: dict[str, Any], error: type[Exception]) -> None:
    def use() -> None:
        with pytest.raises(error):
            decode(**how)

    assert growth_of(use) < 4_000


@pytest.mark.parametrize("offset", [-(1 << 63), -1, 0, (1 << 63) - 1])
def test_any_offset_may_have_been_asked_for(offset: int) -> None:
    found = decode(wanted={PARTITION: Position(offset)})
    assert found is not None
    assert len(found[2][0].columns) == (50 if offset <= 3 else 0)


@pytest.mark.parametrize("most_bytes", [-1, 0])
def test_nothing_is_decoded_where_nothing_may(most_bytes: int) -> None:
    assert decode(most_bytes=most_bytes) is None


def test_the_twin_leaves_it_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafka_nextgen.wire.plain_decoding.ACCELERATED", False)
    assert decode_plain(memoryview(SOUND), PLACES, WANTED, 1 << 20, True, DecodedPartition) is None
