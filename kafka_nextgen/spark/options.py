"""The options of the data source: those of Spark's built-in Kafka source, and some of its own.

Names are in any case, as everywhere in Spark. What ``KafkaSourceProvider.scala`` (Spark 4.2) refuses is refused here.
An option that does not exist is an error as well, which names the nearest: the built-in source ignores it. Warnings
are part of the result, not logged.

===============================  ====================================================================================
option                           what it is (new ones are marked with a +)
===============================  ====================================================================================
subscribe, subscribePattern,     what to read: see ``consumer_strategy``
assign, patternSyntax +
startingOffsets and the rest     where to start and to end: see ``offset_choice``
groupId +                        the group whose committed offsets show the progress; no consumer joins it to read
groupFallback +                  where ``startingOffsets=group`` starts in a partition without a committed offset
startingOffsetsByTimestamp-      where to start if no record is as young as the timestamp
Strategy
failOnDataLoss                   whether lost records end the query
maxOffsetsPerTrigger,            how much a batch of a streaming query reads, and how long it waits for a minimum;
minOffsetsPerTrigger,            batch queries ignore them
maxTriggerDelay
minPartitions,                   how ranges are split among tasks
maxRecordsPerPartition
includeHeaders                   whether there is a column with headers
kafkaConsumer.pollTimeoutMs      how long a task waits for records before it fails
fetchOffset.numRetries,          how often, and with which pause, offsets are asked for that went backwards
fetchOffset.retryIntervalMs
pushdown +                       whether filters on partition, offset and timestamp narrow the ranges
rowsPerBatch +                   how many rows an Arrow batch has at most
kafka.*                          how to reach Kafka: see ``java_config``
===============================  ====================================================================================
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Final

from attrs import frozen

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties import INT32_MAX
from kafka_nextgen.spark.consumer_strategy import ConsumerStrategy, read_strategy, strategy_warnings
from kafka_nextgen.spark.java_config import JavaConfig, read_java_config
from kafka_nextgen.spark.java_keys import PREFIX
from kafka_nextgen.spark.limits import GroupFallback, NoMatch
from kafka_nextgen.spark.offset_choice import OffsetChoice, OffsetKind, read_end, read_start, unused_choices
from kafka_nextgen.spark.option_values import INT64_MAX, OptionValues

__all__ = ["OPTIONS", "SourceOptions", "parse_source_options"]

#: Every option but those that begin with ``kafka.``.
OPTIONS: Final = (
    "assign",
    "endingOffsets",
    "endingOffsetsByTimestamp",
    "endingTimestamp",
    "failOnDataLoss",
    "fetchOffset.numRetries",
    "fetchOffset.retryIntervalMs",
    "groupFallback",
    "groupId",
    "groupIdPrefix",
    "includeHeaders",
    "kafkaConsumer.pollTimeoutMs",
    "maxOffsetsPerTrigger",
    "maxRecordsPerPartition",
    "maxTriggerDelay",
    "minOffsetsPerTrigger",
    "minPartitions",
    "patternSyntax",
    "pushdown",
    "rowsPerBatch",
    "startingOffsets",
    "startingOffsetsByTimestamp",
    "startingOffsetsByTimestampStrategy",
    "startingTimestamp",
    "subscribe",
    "subscribePattern",
)

_BY_LOWER_CASE: Final = {option.lower(): option for option in OPTIONS}
_SPARK: Final = "spark."
_TRIGGER: Final = ("maxOffsetsPerTrigger", "minOffsetsPerTrigger", "maxTriggerDelay")

#: Names that look like options, and what to use.
_ADVICE: Final = {
    "path": "load() takes no path; name topics with subscribe",
    "topic": "it says where to write; name topics to read with subscribe",
    "topics": "name topics with subscribe",
}


@frozen(kw_only=True)
class SourceOptions:
    """The options of one query. Times are in milliseconds, sizes in records; None is no limit.

    ``start`` and ``end`` keep the JSON of offsets and timestamps as text, ``strategy`` that of ``assign``; planning
    parses it. ``end`` is None for a streaming query. Options that are equal have the same hash and can be sent to
    another process. No secret is shown.
    """

    strategy: ConsumerStrategy
    start: OffsetChoice
    end: OffsetChoice | None
    no_match: NoMatch
    group_id: str | None
    group_fallback: GroupFallback
    fail_on_data_loss: bool
    max_offsets_per_trigger: int | None
    min_offsets_per_trigger: int | None
    max_trigger_delay_ms: int
    min_partitions: int | None
    max_records_per_partition: int | None
    include_headers: bool
    poll_timeout_ms: int
    fetch_offset_num_retries: int
    fetch_offset_retry_interval_ms: int
    pushdown: bool
    rows_per_batch: int
    kafka: JavaConfig
    warnings: tuple[str, ...]


def parse_source_options(options: Mapping[str, str], *, is_streaming: bool) -> SourceOptions:
    """Read the options of a query.

    Arguments:
        options: names in any case, and their values, as Spark hands them over.
        is_streaming: whether the query is a streaming query.

    Raises ``ConfigError``, whose ``key`` is the name of the option.
    """
    given = _in_lower_case(options)
    named = {name: text for name, text in given.items() if not name.startswith((PREFIX, _SPARK))}
    _refuse_unknown(named)
    values = OptionValues(named)
    strategy, start = read_strategy(named), read_start(named, is_streaming=is_streaming)
    kafka = _kafka(given)
    parsed = SourceOptions(
        strategy=strategy,
        start=start,
        end=read_end(named, is_streaming=is_streaming),
        no_match=NoMatch(values.word("startingOffsetsByTimestampStrategy", ("error", "latest"))),
        group_id=_group_id(named),
        group_fallback=GroupFallback(values.word("groupFallback", ("error", "earliest", "latest"))),
        fail_on_data_loss=values.boolean("failOnDataLoss", default=True),
        max_offsets_per_trigger=values.limit("maxOffsetsPerTrigger"),
        min_offsets_per_trigger=values.minimum("minOffsetsPerTrigger"),
        max_trigger_delay_ms=values.milliseconds("maxTriggerDelay", 15 * 60_000),
        min_partitions=values.limit("minPartitions", INT32_MAX),
        max_records_per_partition=values.limit("maxRecordsPerPartition"),
        include_headers=values.boolean("includeHeaders", default=False),
        poll_timeout_ms=values.number("kafkaConsumer.pollTimeoutMs", 120_000, 1, INT64_MAX),
        fetch_offset_num_retries=values.number("fetchOffset.numRetries", 3, 0, INT32_MAX),
        fetch_offset_retry_interval_ms=values.number("fetchOffset.retryIntervalMs", 1_000, 0, INT64_MAX),
        pushdown=values.boolean("pushdown", default=False),
        rows_per_batch=values.number("rowsPerBatch", 10_000, 1, INT32_MAX),
        kafka=kafka,
        warnings=(*_warnings(given, is_streaming), *strategy_warnings(strategy), *kafka.warnings),
    )
    _refuse_contradictions(parsed)
    return parsed


def _in_lower_case(options: Mapping[str, str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, text in options.items():
        if given.setdefault(name.lower(), text) != text:
            raise ConfigError(f"the option {name} is given twice, with different values", name)
    return given


def _refuse_unknown(named: Mapping[str, str]) -> None:
    for name in named.keys() - _BY_LOWER_CASE.keys():
        nearest = difflib.get_close_matches(name, _BY_LOWER_CASE, n=1, cutoff=0.0)[0]
        advice = _ADVICE.get(name, f"the nearest is {_BY_LOWER_CASE[nearest]}")
        raise ConfigError(f"there is no option {name}: {advice}", name)


def _kafka(given: Mapping[str, str]) -> JavaConfig:
    keys = {name.removeprefix(PREFIX): text for name, text in given.items() if name.startswith(PREFIX)}
    if "bootstrap.servers" not in keys:
        servers = "kafka.bootstrap.servers"
        raise ConfigError(f"{servers} has to be given: host:port of one or more brokers, separated by commas", servers)
    return read_java_config(keys)


def _group_id(named: Mapping[str, str]) -> str | None:
    if "groupid" in named and not named["groupid"].strip():
        raise ConfigError("groupId is empty: name the group that is to show the progress, or remove it", "groupId")
    return named["groupid"].strip() if "groupid" in named else None


def _refuse_contradictions(options: SourceOptions) -> None:
    if options.start.kind is OffsetKind.GROUP and options.group_id is None:
        raise ConfigError("startingOffsets=group needs groupId, the group whose offsets are meant", "groupId")
    least, most = options.min_offsets_per_trigger, options.max_offsets_per_trigger
    if least is not None and most is not None and least > most:
        why = f"minOffsetsPerTrigger={least} is above maxOffsetsPerTrigger={most}"
        raise ConfigError(f"{why}: lower the first, or raise the second", "minOffsetsPerTrigger")


def _warnings(given: Mapping[str, str], is_streaming: bool) -> Iterator[str]:
    yield from unused_choices(given, is_streaming=is_streaming)
    for option in _TRIGGER if not is_streaming else ():
        if option.lower() in given:
            yield f"the option {option} is ignored in a batch query"
    if "groupidprefix" in given:
        yield "the option groupIdPrefix is ignored: groups are not made up; groupId names the one to commit to"
    if "groupfallback" in given and given.get("startingoffsets", "").strip().lower() != "group":
        yield "the option groupFallback is ignored: it needs startingOffsets=group"
    if "patternsyntax" in given and "subscribepattern" not in given:
        yield "the option patternSyntax is ignored: it needs subscribePattern"
    for name in sorted(given):
        if name.startswith(_SPARK):
            yield f"the option {name} is ignored: it is a setting of Spark, not of a source"
