"""The options of the data source: those of Spark's built-in Kafka source, and new ones (``docs/guides/spark.md``).

Names are case-insensitive. Options that ``KafkaSourceProvider.scala`` (Spark 4.2) refuses are refused here. An unknown
option is an error that suggests the most similar name, whereas the built-in source ignores it. Warnings are returned,
not logged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.value_types import INT32_MAX
from kafka_nextgen.spark.admission import TriggerLimits
from kafka_nextgen.spark.consumer_strategy import ConsumerStrategy, named_topics, read_strategy, strategy_warnings
from kafka_nextgen.spark.decoding.options import (
    DECODING_OPTIONS,
    REGISTRY_PREFIXES,
    DecodingOptions,
    read_decoding,
)
from kafka_nextgen.spark.kafka_option_fates import PREFIX
from kafka_nextgen.spark.kafka_options import KafkaOptions, read_kafka_options
from kafka_nextgen.spark.limits import OffsetLimit, check_batch_limits, read_end, read_start, unused_limits
from kafka_nextgen.spark.option_values import INT64_MAX, OptionValues
from kafka_nextgen.spark.planning import SplitOptions
from kafka_nextgen.text import nearest, with_nearest

__all__ = ["OPTIONS", "SourceOptions", "parse_source_options"]

#: Every option except those that begin with ``kafka.`` or a registry prefix.
OPTIONS: Final = (
    *DECODING_OPTIONS,
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
    "minRecordsPerPartition",
    "patternSyntax",
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
_PREFIXES: Final = (PREFIX, _SPARK, *REGISTRY_PREFIXES)
#: The default of ``minRecordsPerPartition``.
_MIN_RECORDS: Final = 1_000
_TRIGGER: Final = ("maxOffsetsPerTrigger", "minOffsetsPerTrigger", "maxTriggerDelay")

#: Names that are often mistaken for options, and what to use instead.
_ADVICE: Final = {
    "pushdown": "Spark would serve one use of a DataFrame with the filters of another; limit what is read with assign, "
    "startingOffsets, startingTimestamp, endingOffsets or endingTimestamp",
    "mode": "use onError: raise for FAILFAST, skip for DROPMALFORMED, null for PERMISSIVE",
    "path": "load() takes no path; name topics with subscribe",
    "topic": "it says where to write; name topics to read with subscribe",
    "topics": "name topics with subscribe",
}


@frozen(kw_only=True)
class SourceOptions:
    """The options of one query. Times are in milliseconds.

    ``end`` is None for a streaming query. Options can be compared, hashed and sent to another process. Their ``repr``
    shows no secrets.
    """

    strategy: ConsumerStrategy
    start: OffsetLimit
    end: OffsetLimit | None
    group_id: str | None
    fail_on_data_loss: bool
    trigger_limits: TriggerLimits
    split_options: SplitOptions
    include_headers: bool
    decoding: DecodingOptions | None
    poll_timeout_ms: int
    fetch_offset_num_retries: int
    fetch_offset_retry_interval_ms: int
    rows_per_batch: int
    kafka: KafkaOptions
    warnings: tuple[str, ...]


def parse_source_options(options: Mapping[str, str], *, is_streaming: bool) -> SourceOptions:
    """Read the options of a query.

    Arguments:
        options: the values by case-insensitive name, as Spark passes them.
        is_streaming: whether the query is a streaming query.

    Raises ``ConfigError``, whose ``key`` is the name of the option. For a batch that starts and ends in different
    partitions it raises ``PartitionsMismatchError``, and for one that starts after its end ``StartBeyondEndError``.
    """
    given = _in_lower_case(options)
    _refuse_unknown(given)
    values = OptionValues(given)
    strategy, group_id = read_strategy(values), _group_id(values)
    start = read_start(values, group_id, is_streaming=is_streaming)
    end = read_end(values, is_streaming=is_streaming)
    if end is not None:
        check_batch_limits(start, end)
    kafka = _kafka(given)
    return SourceOptions(
        strategy=strategy,
        start=start,
        end=end,
        group_id=group_id,
        fail_on_data_loss=values.boolean("failOnDataLoss", default=True),
        trigger_limits=_trigger_limits(values),
        split_options=_split_options(values),
        include_headers=values.boolean("includeHeaders", default=False),
        decoding=read_decoding(values, named_topics(strategy)),
        poll_timeout_ms=values.number("kafkaConsumer.pollTimeoutMs", 120_000, 1),
        fetch_offset_num_retries=values.number("fetchOffset.numRetries", 3, 0, INT32_MAX),
        fetch_offset_retry_interval_ms=values.number("fetchOffset.retryIntervalMs", 1_000, 0),
        rows_per_batch=values.number("rowsPerBatch", 10_000, 1, INT32_MAX),
        kafka=kafka,
        warnings=(*_warnings(values, is_streaming), *strategy_warnings(strategy), *kafka.warnings),
    )


def _in_lower_case(options: Mapping[str, str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, text in options.items():
        if given.setdefault(name.lower(), text) != text:
            raise ConfigError(f"the option {name} is given twice, with different values", name)
    return given


def _refuse_unknown(given: Mapping[str, str]) -> None:
    unknown = [name for name in given if name not in _BY_LOWER_CASE and not name.startswith(_PREFIXES)]
    if unknown:
        raise ConfigError(f"there is no option {', '.join(map(_with_advice, unknown))}", unknown[0])


def _with_advice(name: str) -> str:
    if name in _ADVICE:
        return f"{name} ({_ADVICE[name]})"
    meant = nearest(name, _BY_LOWER_CASE)
    return with_nearest(name, meant and _BY_LOWER_CASE[meant])


def _kafka(given: Mapping[str, str]) -> KafkaOptions:
    keys = {name.removeprefix(PREFIX): text for name, text in given.items() if name.startswith(PREFIX)}
    if "bootstrap.servers" not in keys:
        servers = "kafka.bootstrap.servers"
        raise ConfigError(f"{servers} is required: host:port of one or more brokers, separated by commas", servers)
    return read_kafka_options(keys)


def _group_id(values: OptionValues) -> str | None:
    group_id = values.text("groupId")
    if group_id == "":
        raise ConfigError("groupId is empty: name the group to commit to, or remove the option", "groupId")
    return group_id


def _trigger_limits(values: OptionValues) -> TriggerLimits:
    most = values.optional_number("maxOffsetsPerTrigger", 1)
    least = values.number("minOffsetsPerTrigger", 0, -INT64_MAX - 1)  # 0 or less means none, as in the built-in source
    if most is not None and least > most:
        why = f"minOffsetsPerTrigger={least} is above maxOffsetsPerTrigger={most}"
        raise ConfigError(f"{why}: lower the first, or raise the second", "minOffsetsPerTrigger")
    return TriggerLimits(
        most, least if least > 0 else None, values.milliseconds("maxTriggerDelay", 15 * 60_000) / 1_000
    )


def _split_options(values: OptionValues) -> SplitOptions:
    return SplitOptions(
        values.optional_number("minPartitions", 1, INT32_MAX),
        values.optional_number("maxRecordsPerPartition", 1),
        values.number("minRecordsPerPartition", _MIN_RECORDS, 0),
    )


def _warnings(values: OptionValues, is_streaming: bool) -> Iterator[str]:
    yield from unused_limits(values, is_streaming=is_streaming)
    for option in _TRIGGER if not is_streaming else ():
        if option in values:
            yield f"the option {option} is ignored in a batch query"
    if "onError" in values and not any(f"{name}Format" in values for name in ("key", "value")):
        yield "the option onError is ignored: it needs valueFormat or keyFormat"
    if "groupIdPrefix" in values:
        yield "the option groupIdPrefix is ignored: no group ids are generated; groupId names the group to commit to"
    if "groupFallback" in values and (values.text("startingOffsets") or "").lower() != "group":
        yield "the option groupFallback is ignored: it needs startingOffsets=group"
    if "patternSyntax" in values and "subscribePattern" not in values:
        yield "the option patternSyntax is ignored: it needs subscribePattern"
    for name in sorted(values.given):
        if name.startswith(_SPARK):
            yield f"the option {name} is ignored: it is a setting of Spark, not of a source"
