"""Run a program with our source, and each of its actions with the built-in one, over the same records.

Ours loads once, as an application does that uses a DataFrame again. What its rows are to be follows from
docs/guides/spark.md: those of the offsets that its first action planned, or, if each use is planned anew, those that
are there. The built-in source is told these offsets, and loads for each action. Loads that are cached are cached for
both at once.

An action of ours may fail with ``DataLossError`` if records are gone that it planned to read, and in no other way.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING

from attrs import define, field
from confluent_kafka import Producer
from pyspark.errors import PySparkException

from tests.pyspark.programs.drawing import TOPICS, Expression, Load, Program, Step
from tests.pyspark.sources import BUILT_IN, OURS, Format, Sources
from tests.support.clients import create_topic, delete_records
from tests.support.waiting import GUARD_S

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SETTING = "spark.sql.python.filterPushdown.enabled"

_COLUMNS = ["topic", "partition", "offset", "key", "value"]
_DELETED = 3

#: The begin and end of each partition.
Ranges = Mapping[tuple[str, int], tuple[int, int]]


@define
class Records:
    """Topics of the broker, and what is in them. Only this object writes there."""

    bootstrap_servers: str
    names: dict[str, str] = field(factory=dict)
    ranges: dict[tuple[str, int], tuple[int, int]] = field(factory=dict)
    _numbers: count[int] = field(factory=count)

    def create(self) -> None:
        """Make the topics, with ten records and more in each partition."""
        for topic, partitions in TOPICS.items():
            self.names[topic] = create_topic(self.bootstrap_servers, f"programs-{topic}", partitions)
            self.ranges |= {(topic, partition): (0, 0) for partition in range(partitions)}
        for partition in self.ranges:
            self._produce([partition] * (10 + partition[1]))

    def add(self, number: int) -> None:
        """Write so many records, one to each partition in turn."""
        self._produce([list(self.ranges)[each % len(self.ranges)] for each in range(number)])

    def delete(self, topic: str) -> None:
        """Delete the first records of the topic's partition 0."""
        begin, end = self.ranges[topic, 0]
        begin = min(begin + _DELETED, end)
        delete_records(self.bootstrap_servers, self.names[topic], begin)
        self.ranges[topic, 0] = begin, end

    def of(self, load: Load) -> Ranges:
        """What a load would read now."""
        return {at: range_ for at, range_ in self.ranges.items() if at[0] in load.topics}

    def _produce(self, partitions: list[tuple[str, int]]) -> None:
        producer = Producer({"bootstrap.servers": self.bootstrap_servers, "linger.ms": 5})
        for (topic, partition), number in zip(partitions, self._numbers, strict=False):
            producer.produce(self.names[topic], b"%d" % number, b"k%d" % (number % 5), partition=partition)
            begin, end = self.ranges[topic, partition]
            self.ranges[topic, partition] = begin, end + 1
        assert producer.flush(GUARD_S) == 0


@define
class _Run:
    """A program that is running: the frames of ours, the cached ones of both, and what each is to read."""

    sources: Sources
    records: Records
    program: Program
    frames: dict[int, DataFrame] = field(factory=dict)
    cached: dict[int, DataFrame] = field(factory=dict)
    planned: dict[int, Ranges] = field(factory=dict)
    views: count[int] = field(factory=count)

    def take(self, step: Step) -> str | None:
        """Take a step, and return what is wrong with the rows; None if nothing is."""
        self.records.add(step.written)
        if step.deleted_from is not None:
            self.records.delete(step.deleted_from)
        expression = step.action.expression
        for load in expression.loads():
            self._plan(load)
        try:
            found = _rows(self._frame(expression, OURS))
        except PySparkException as error:
            told = "DataLossError" in str(error) and "call load() again" in str(error)
            return None if told and self._lacks_records(expression) else f"{expression} failed: {error}"
        expected = _rows(self._frame(expression, BUILT_IN))
        return None if found == expected else f"{expression}: {found - expected} too much, {expected - found} missing"

    def _plan(self, number: int) -> None:
        load = self.program.loads[number]
        if number not in self.frames:
            self.frames[number] = self._load(OURS, load)
            self.planned[number] = self.records.of(load)
            if load.is_cached:
                self.cached[number] = self._load(BUILT_IN, load, self.planned[number])
                for frame in (self.frames[number], self.cached[number]):
                    frame.cache().count()
        elif self.program.plans_anew and not load.is_cached:
            self.planned[number] = self.records.of(load)

    def _lacks_records(self, expression: Expression) -> bool:
        return any(
            begin < self.records.ranges[at][0]
            for number in expression.loads() - self.cached.keys()
            for at, (begin, _) in self.planned[number].items()
        )

    def _load(self, format: Format, load: Load, ranges: Ranges | None = None) -> DataFrame:
        options = {"subscribe": ",".join(self.records.names[topic] for topic in load.topics)}
        if load.min_partitions is not None:
            options["minPartitions"] = str(load.min_partitions)
        for option, side in (("startingOffsets", 0), ("endingOffsets", 1)) if ranges is not None else ():
            options[option] = self._document({at: range_[side] for at, range_ in (ranges or {}).items()})
        frame = self.sources.batch(format, **options)
        if self.program.plans_anew:
            frame = frame.where("offset >= 0")
        return frame.selectExpr(
            "topic", "partition", "offset", "CAST(key AS STRING) AS key", "CAST(value AS STRING) AS value"
        )

    def _document(self, offsets: Mapping[tuple[str, int], int]) -> str:
        document: dict[str, dict[str, int]] = {}
        for (topic, partition), offset in offsets.items():
            document.setdefault(self.records.names[topic], {})[str(partition)] = offset
        return json.dumps(document)

    def _frame(self, expression: Expression, format: Format) -> DataFrame:
        if expression.operation == "load":
            number = expression.load
            if format == OURS:
                return self.frames[number]
            return self.cached.get(number) or self._load(format, self.program.loads[number], self.planned[number])
        return self._apply(expression, [self._frame(each, format) for each in expression.inputs])

    def _apply(self, expression: Expression, inputs: list[DataFrame]) -> DataFrame:
        first, last = inputs[0], inputs[-1]
        match expression.operation:
            case "filter":
                return first.where(expression.argument)
            case "union":
                return first.union(last)
            case "join":
                return _joined(first, last, expression.argument.split(", "))
            case "count":
                counted = first.groupBy("topic", "partition").count()
                return counted.selectExpr("topic", "partition", "count AS offset", "'k1' AS key", "'1' AS value")
            case "view":
                name = f"program_{next(self.views)}"
                first.createOrReplaceTempView(name)
                return self.sources.spark.sql(f"SELECT * FROM {name} WHERE {expression.argument}")
            case "distinct":
                return first.distinct()
        return first.limit(1_000_000)


def run_program(sources: Sources, records: Records, program: Program) -> list[str]:
    """Run a program, and return what is wrong: nothing, or each action whose rows are not the expected ones."""
    sources.spark.conf.set(SETTING, str(program.pushes).lower())
    run = _Run(sources, records, program)
    try:
        return [wrong for step in program.steps if (wrong := run.take(step)) is not None]
    finally:
        sources.spark.conf.unset(SETTING)
        sources.spark.catalog.clearCache()


def _joined(first: DataFrame, last: DataFrame, on: list[str]) -> DataFrame:
    others = last.select(*on).distinct()
    return first.join(others, on).select(*_COLUMNS)


def _rows(frame: DataFrame) -> Counter[tuple[object, ...]]:
    return Counter(tuple(row) for row in frame.select(*_COLUMNS).collect())
