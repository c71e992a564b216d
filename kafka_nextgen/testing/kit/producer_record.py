"""The records that a test produces: plain values, or a ``ProducerRecord`` with key, headers, timestamp or partition.

Bytes are written as they are, text as UTF-8, and everything else as compact JSON. None is a tombstone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.arguments import text, whole_number
from kafka_nextgen.types import Record
from kafka_nextgen.wire.records import NewRecord

__all__ = ["Headers", "PlannedRecord", "ProducerRecord", "plan_records"]

#: Headers as a mapping, or as pairs if a key is repeated.
Headers = Mapping[str, object] | Sequence[tuple[str, object]]


@frozen
class ProducerRecord:
    """A record to produce, named after Kafka's class.

    Args:
        value: bytes, text (written as UTF-8), None for a tombstone, or a JSON value.
        key: the same; None for no key.
        headers: values of the same types as ``value``, by name, or as pairs if names are repeated.
        timestamp: milliseconds since the Unix epoch, or a datetime with a time zone; None for the cluster's time.
        partition: the partition; None to choose by key as Kafka's producer does.
    """

    value: object
    key: object = None
    headers: Headers = field(default=())
    timestamp: int | datetime | None = None
    partition: int | None = None


class PlannedRecord(NamedTuple):
    """A record to write, and its partition if that is fixed."""

    partition: int | None
    record: NewRecord


def plan_records(given: object, defaults: ProducerRecord, now_ms: int) -> list[PlannedRecord]:
    """Convert one record or an iterable of records; fields that a record does not set are taken from ``defaults``.

    A pair is a key and a value. A ``Record`` that was read is written again with its key, headers, timestamp and
    partition. ``now_ms`` is in milliseconds since the Unix epoch. Raises TypeError and ValueError for arguments that
    can't be written.
    """
    return [_plan(each, defaults, now_ms) for each in (given if _is_several(given) else (given,))]  # type: ignore[attr-defined]


def _is_several(given: object) -> bool:
    is_one = isinstance(given, str | bytes | bytearray | memoryview | Mapping | tuple | ProducerRecord)
    return isinstance(given, Iterable) and not is_one


def _plan(given: object, defaults: ProducerRecord, now_ms: int) -> PlannedRecord:
    record = _as_producer_record(given)
    key = defaults.key if record.key is None else record.key
    timestamp = defaults.timestamp if record.timestamp is None else record.timestamp
    planned = NewRecord(
        _encoded(record.value, "value"),
        key=_encoded(key, "key"),
        timestamp=now_ms if timestamp is None else _milliseconds(timestamp),
        headers=_encoded_headers(record.headers or defaults.headers),
    )
    partition = defaults.partition if record.partition is None else record.partition
    return PlannedRecord(None if partition is None else whole_number("partition", partition), planned)


def _as_producer_record(given: object) -> ProducerRecord:
    if isinstance(given, ProducerRecord):
        return given
    if isinstance(given, Record):
        return ProducerRecord(given.value, given.key, given.headers, given.timestamp, given.partition)
    if isinstance(given, tuple):
        if len(given) != 2:
            raise TypeError(f"a record that is a tuple is a pair of key and value, not {len(given)} items: {given!r}")
        return ProducerRecord(given[1], key=given[0])
    return ProducerRecord(given)


def _encoded(given: object, what: str) -> bytes | None:
    if given is None:
        return None
    if isinstance(given, bytes | bytearray | memoryview):
        return bytes(given)
    if isinstance(given, str):
        return given.encode()
    try:
        return json.dumps(given, separators=(",", ":"), ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        kind = type(given).__name__
        raise TypeError(f"a {what} of type {kind} is not bytes, text or JSON ({error}): serialize it") from error


def _encoded_headers(headers: Headers) -> tuple[tuple[str, bytes | None], ...]:
    pairs = _pairs(headers.items() if isinstance(headers, Mapping) else headers)
    return tuple((text("name of a header", name), _encoded(value, f"header {name}")) for name, value in pairs)


def _pairs(headers: object) -> list[Any]:
    pairs = list(headers) if isinstance(headers, Iterable) else [headers]
    if any(not isinstance(each, tuple | list) or len(each) != 2 for each in pairs):
        raise TypeError(f"headers are a mapping, or pairs of a name and a value, not {headers!r}")
    return pairs


def _milliseconds(timestamp: int | datetime) -> int:
    if isinstance(timestamp, datetime):
        if timestamp.tzinfo is None:
            raise ValueError(f"the timestamp {timestamp} has no time zone: give it one, such as tzinfo=timezone.utc")
        return round(timestamp.timestamp() * 1000)
    if not isinstance(timestamp, int):
        raise TypeError(f"a timestamp is a datetime or whole milliseconds since the Unix epoch, not {timestamp!r}")
    return timestamp
