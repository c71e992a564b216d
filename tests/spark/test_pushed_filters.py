"""Filters of a query that narrow what it reads."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

import pytest

pytest.importorskip("pyspark")

from pyspark.sql.datasource import (
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
    Not,
)

from kafka_nextgen.spark.pushed_filters import bounds_of
from kafka_nextgen.types import TopicPartition

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
START = {T0: 0, T1: 2, U0: 0}
END = {T0: 10, T1: 12, U0: 10}
ALL = {T0: (0, 10), T1: (2, 12), U0: (0, 10)}
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


def found(timestamps: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | None]:
    assert set(timestamps.values()) <= {int(NOON.timestamp() * 1000)}
    return {tp: {T0: 4, T1: None, U0: 0}[tp] for tp in timestamps}


@pytest.mark.parametrize(
    ("filters", "ranges"),
    [
        ([], ALL),
        ([EqualTo(("topic",), "u")], {U0: (0, 10)}),
        ([In(("partition",), (1, 7))], {T1: (2, 12)}),
        ([EqualTo(("partition",), 0), In(("topic",), ("t",))], {T0: (0, 10)}),
        ([GreaterThan(("offset",), 4), LessThan(("offset",), 6)], {T0: (5, 6), T1: (5, 6), U0: (5, 6)}),
        ([EqualTo(("offset",), 11), EqualTo(("partition",), 0)], {T0: (10, 10), U0: (10, 10)}),
        ([EqualTo(("offset",), 4)], {T0: (4, 5), T1: (4, 5), U0: (4, 5)}),
        ([LessThan(("offset",), 1)], {T0: (0, 1), T1: (2, 2), U0: (0, 1)}),
        ([LessThanOrEqual(("offset",), 4)], {T0: (0, 5), T1: (2, 5), U0: (0, 5)}),
        ([GreaterThanOrEqual(("offset",), 4)], {T0: (4, 10), T1: (4, 12), U0: (4, 10)}),
        ([EqualTo(("topic",), "t"), In(("topic",), ("t", "u"))], {T0: (0, 10), T1: (2, 12)}),
        ([GreaterThanOrEqual(("timestamp",), NOON)], {T0: (4, 10), T1: (12, 12), U0: (0, 10)}),
        (
            [GreaterThan(("offset",), 5), GreaterThanOrEqual(("timestamp",), NOON)],
            {T0: (6, 10), T1: (12, 12), U0: (6, 10)},
        ),
        (
            [GreaterThan(("timestamp",), NOON), GreaterThan(("timestamp",), NOON - timedelta(hours=1))],
            {T0: (4, 10), T1: (12, 12), U0: (0, 10)},
        ),
        ([LessThan(("timestamp",), NOON)], ALL),
        ([IsNotNull(("offset",)), Not(EqualTo(("offset",), 1))], ALL),
        ([EqualTo(("value",), b"x")], ALL),
        ([GreaterThan(("timestamp",), NOON + timedelta(microseconds=999))], {T0: (4, 10), T1: (12, 12), U0: (0, 10)}),
        ([GreaterThanOrEqual(("timestamp",), datetime(1969, 12, 31, tzinfo=timezone.utc))], ALL),
        ([GreaterThanOrEqual(("timestamp",), datetime.min)], ALL),
        ([GreaterThanOrEqual(("timestamp",), NOON.replace(tzinfo=None))], ALL),
        ([GreaterThan(("timestamp",), None), EqualTo(("offset",), None)], ALL),
        ([EqualTo(("partition",), "0"), In(("topic",), (7,)), EqualTo(("offset",), True)], ALL),
        ([EqualTo(("partition",), None)], {}),
        ([In(("partition",), (1, None))], {T1: (2, 12)}),
        ([In(("partition",), ())], {}),
    ],
)
def test_filters_narrow_ranges(filters: list[Filter], ranges: dict[TopicPartition, tuple[int, int]]) -> None:
    start, end = bounds_of(filters).narrow(START, END, found)
    assert {tp: (start[tp], end[tp]) for tp in start} == ranges


def test_a_start_beyond_its_end_stays_one() -> None:
    filters: list[Filter] = [GreaterThan(("offset",), 3), GreaterThanOrEqual(("timestamp",), NOON)]
    start, end = bounds_of(filters).narrow({T0: 12}, {T0: 10}, found)
    assert (start, end) == ({T0: 12}, {T0: 10}), "for planning to refuse"
