"""Wrong arguments of ``SteadyFetch``: errors that leave nothing behind; and columns of other types."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.fetching import DecodedPartition
from kafka_nextgen.wire.records import BinaryColumn, Columns, HeaderColumn
from tests.wire.calls_into_c import growth_of
from tests.wire.steady_bodies import SOUND_FRAME as SOUND
from tests.wire.steady_twin import PLACES, TYPES, Place, Start, Twin, agrees

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the extension was not compiled")


class Position(NamedTuple):
    offset: int


class Broken:
    """Neither a sequence nor true nor false."""

    def __iter__(self) -> Iterator[Place]:
        raise ZeroDivisionError("no places today")

    def __bool__(self) -> bool:
        raise ZeroDivisionError("neither true nor false")


class NewEachTime:
    """Three types that only the caller has."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> object:
        return type("New", (), {})


SOME = PLACES[0]
WRONG: list[tuple[int, Any, type[Exception]]] = [
    (0, "17", TypeError),
    (0, 1 << 31, OverflowError),
    (1, None, TypeError),
    (2, -(1 << 31) - 1, OverflowError),
    (3, "me", TypeError),
    (4, None, TypeError),
    (5, 3, TypeError),
    (6, None, TypeError),
    (6, 3, TypeError),
    (6, [3], TypeError),
    (6, [list(SOME)], TypeError),
    (6, [*PLACES, ()], TypeError),
    (6, [*PLACES, SOME[:6]], TypeError),
    (6, [*PLACES, (*SOME, 1)], TypeError),
    (6, [SOME._replace(topic_id="x" * 16)], TypeError),  # type: ignore[arg-type]
    (6, [SOME._replace(topic_id=bytearray(16))], TypeError),  # type: ignore[arg-type]
    (6, [*PLACES, SOME._replace(topic_id=bytes(15))], ValueError),
    (6, [SOME._replace(topic_id=bytes(17)), *PLACES], ValueError),
    (6, [SOME._replace(number=1 << 31)], OverflowError),
    (6, [SOME._replace(offset=1 << 63)], OverflowError),
    (6, [SOME._replace(offset="0")], TypeError),  # type: ignore[arg-type]
    (6, Broken(), ZeroDivisionError),
    (7, Broken(), ZeroDivisionError),
    (8, "DecodedPartition", TypeError),
    (8, list, TypeError),
    (8, os.stat_result, TypeError),
    (8, Position, TypeError),
    (8, type("Fields", (), {"_fields": DecodedPartition._fields}), TypeError),
    (9, TYPES[:2], TypeError),
    (9, (*TYPES, Columns), TypeError),
    (9, list(TYPES), TypeError),
    (9, NewEachTime(), TypeError),
]


def refuse(usual: list[Any], at: int, value: Any, error: type[Exception]) -> None:
    try:
        accelerator.SteadyFetch(*usual[:at], value, *usual[at + 1 :])
    except error:
        return
    raise AssertionError(f"argument {at} may be {value!r:.30}")


def test_what_can_not_be_is_an_error_and_nothing_is_kept() -> None:
    usual = Start().arguments

    def use() -> None:
        for at, value, error in WRONG:
            refuse(usual, at, value, error)

    assert growth_of(use) < 4_000


def test_all_of_it_has_to_be_given_and_nothing_goes_by_a_name() -> None:
    for count in (0, 5, 9, 11):
        with pytest.raises(TypeError, match="10 arguments"):
            accelerator.SteadyFetch(*[*Start().arguments, 1][:count])
    with pytest.raises(TypeError, match="keywords"):
        accelerator.SteadyFetch(*Start().arguments[:9], types=TYPES)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), TypeError),
        ((SOUND,), TypeError),
        ((SOUND, 6, 7), TypeError),
        (("text", 6), TypeError),
        ((None, 6), TypeError),
        ((SOUND, "6"), TypeError),
        ((SOUND, 1 << 31), OverflowError),
    ],
)
def test_what_is_no_answer_is_an_error(arguments: tuple[Any, ...], error: type[Exception]) -> None:
    step, twin = Start().step(), Twin(Start())
    with pytest.raises(error):
        step.answer(*arguments)
    assert agrees(step, twin, SOUND)


def test_what_can_not_be_a_key_is_an_error_of_places() -> None:
    step = Start(places=[SOME._replace(partition=[])]).step()  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(TypeError, match="unhashable"):
            step.places()


def with_types(*types: Any) -> accelerator.SteadyFetch[DecodedPartition]:
    """A step that makes columns of other types."""
    return accelerator.SteadyFetch(*[*Start().arguments[:9], types])


class Matching:
    """No type, but it looks like one of columns."""

    __match_args__ = BinaryColumn.__match_args__


@pytest.mark.parametrize(
    ("types", "use", "error"),
    [
        ((BinaryColumn, BinaryColumn, HeaderColumn), lambda columns: columns.before(4), TypeError),
        ((3, BinaryColumn, HeaderColumn), lambda columns: columns.before(4), AttributeError),
        ((Columns, Matching(), HeaderColumn), lambda columns: columns.keys, TypeError),
    ],
)
def test_columns_of_other_types_can_not_be_made(
    types: tuple[Any, ...], use: Callable[[Any], object], error: type[Exception]
) -> None:
    taken = with_types(*types).answer(SOUND, 6)
    assert taken is not None
    columns = taken[1][0].columns

    def use_them() -> None:
        with pytest.raises(error):
            use(columns)

    assert growth_of(use_them) < 4_000


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="creating objects starts no garbage collection there")
def test_an_answer_can_not_be_given_while_another_is_taken() -> None:
    """As a callback of the garbage collector could, which runs in the midst of it."""
    step = Start().step()
    refused = []

    def meddle(phase: str, info: object) -> None:
        try:
            assert step.answer(b"", 7) is None
        except RuntimeError as error:
            refused.append(str(error))

    gc.callbacks.append(meddle)
    thresholds = gc.get_threshold()
    gc.set_threshold(1)
    try:
        taken = step.answer(SOUND, 6)
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(meddle)
    assert set(refused) == {"answer() is already running"}
    assert taken is not None
    assert len(taken[1]) == 3
