"""A record is a named tuple to everybody who looks, with the extension in C and without it."""

from __future__ import annotations

import copy
import inspect
import pickle
import sys
from collections import namedtuple
from collections.abc import Callable

import pytest

from kafka_nextgen import Record, TimestampType
from kafka_nextgen.compiled import ACCELERATED, accelerator

#: What Python itself makes of the same fields.
Plain = namedtuple("Record", Record._fields, defaults=((), -1))  # type: ignore[misc]

FIELDS = "orders", 3, 7, 1_700_000_000_000, TimestampType.CREATE_TIME, b"key", b"value"

compiled = pytest.mark.skipif(not ACCELERATED, reason="the extension was not compiled")


def test_fields_have_names_and_places() -> None:
    record = Record(*FIELDS, headers=(("trace", b"1"),), leader_epoch=2)
    assert [getattr(record, name) for name in Record._fields] == list(record) == [*FIELDS, (("trace", b"1"),), 2]


def test_the_last_two_may_be_left_out() -> None:
    assert Record(*FIELDS) == (*FIELDS, (), -1)
    assert Record._field_defaults == {"headers": (), "leader_epoch": -1}


@pytest.mark.parametrize(
    "look",
    [
        repr,
        hash,
        lambda record: record._asdict(),
        lambda record: record._replace(value=b"other", headers=()),
        lambda record: type(record)._make(range(9)),
        lambda record: type(record).__match_args__,
        lambda record: list(inspect.signature(type(record)).parameters),
        lambda record: record[2:4] + record[:1],
    ],
)
def test_it_is_what_a_named_tuple_is(look: Callable[[object], object]) -> None:
    assert look(Record(*FIELDS)) == look(Plain(*FIELDS))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda record: pickle.loads(pickle.dumps(record))])
def test_it_is_copied_and_pickled_as_what_it_is(again: Callable[[Record], Record]) -> None:
    copied = again(Record(*FIELDS))
    assert (type(copied), copied) == (Record, Record(*FIELDS))


@pytest.mark.parametrize("of", [(), FIELDS[:6], (*FIELDS, (), -1, 0)])
def test_a_field_too_few_or_too_many_is_refused(of: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        Record(*of)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=f"Expected 9 arguments, got {len(of)}"):
        Record._make(of)


def test_a_field_is_not_changed() -> None:
    with pytest.raises(AttributeError):
        Record(*FIELDS).offset = 8  # type: ignore[misc]
    with pytest.raises((TypeError, ValueError), match="unexpected field names"):  # which of them: as Python has it
        Record(*FIELDS)._replace(vaule=b"other")  # type: ignore[call-arg]


class Order(Record):
    """A record that knows more."""

    @property
    def name(self) -> str:
        return f"{self.topic} {self.value!r}"


def test_a_class_may_be_made_of_it() -> None:
    order = Order(*FIELDS)._replace(value=b"tea")
    order.seen = True  # type: ignore[attr-defined]
    assert (type(order), order.name, vars(order)) == (Order, "orders b'tea'", {"seen": True})


class Pair(tuple[object, ...]):
    """Has no fields of a record."""

    __slots__ = ()


class PairAndRecord(Pair, Record):
    """Has both behind it."""


@compiled
@pytest.mark.parametrize("kind", [Record, Order, PairAndRecord])
def test_nothing_with_fewer_fields_becomes_a_record(kind: type[Record]) -> None:
    with pytest.raises(TypeError, match="not safe"):
        tuple.__new__(kind, (1, 2))
    with pytest.raises(TypeError, match="layout differs"):
        Pair((1, 2)).__class__ = kind  # type: ignore[assignment]
    with pytest.raises(TypeError, match="missing required argument"):
        kind((1, 2))  # type: ignore[call-arg, arg-type]


@compiled
def test_what_it_holds_is_let_go() -> None:
    value = b"a value of its own"
    before = sys.getrefcount(value)
    for _ in range(10):
        Record._make([*FIELDS[:6], value, (), -1])._replace(key=value)
    assert sys.getrefcount(value) == before


@compiled
def test_the_extension_knows_its_fields() -> None:
    assert Record.__bases__ == (accelerator.RecordFields,)
    assert {name for name, what in vars(accelerator.RecordFields).items() if inspect.ismemberdescriptor(what)} == set(
        Record._fields
    )
