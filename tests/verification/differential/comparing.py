"""Two answers side by side, without what legitimately differs.

Lists that name their items (topics, partitions, members, keys) are compared by those names in any order. Times of the
broker, throttling and addresses are left out, texts beside error codes count by being there, records are compared
one batch after another, and what a member of the classic protocol was given by its partitions in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID

from attrs import frozen

from kafka_nextgen.errors import CorruptRecordError, DecodeError
from kafka_nextgen.groups.consumer_protocol import decode_assignment, user_data_of
from kafka_nextgen.wire.records import read_header
from kafka_nextgen.wire.records.batch_header import HEADER, LOG_APPEND_TIME, BatchHeader
from kafka_nextgen.wire.records.compression import decompress
from tests.verification.differential.told import Told

_LEFT_OUT = {"throttle_time_ms", "cluster_id", "host", "port", "node_endpoints", "session_id", "documentation"}
_TEXTS = {"error_message", "batch_index_error_message"}
_ASSIGNMENTS = {"member_assignment", "assignment"}

#: What an item of a list is known by.
_NAMES = (
    "group_id",
    "member_id",
    "topic",
    "name",
    "topic_id",
    "resource_name",
    "partition_index",
    "index",
    "partition",
)

_LIMIT_BYTES = 10_000_000
_SHOWN_CHARACTERS = 300


@frozen
class Leaf:
    """A value that differs, where it is in the answers, and what each broker says."""

    path: str
    embedded: Any
    kafka: Any

    def __str__(self) -> str:
        return f"{self.path}: embedded {_shown(self.embedded)}, Kafka {_shown(self.kafka)}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def comparable(answer: Mapping[str, Any], told: Told) -> Any:
    """An answer as it is compared."""
    return _plain(answer, told, "")


def compared(embedded: Any, kafka: Any, path: str = "") -> Iterator[Leaf]:
    """Where two comparable answers differ."""
    if isinstance(embedded, dict) and isinstance(kafka, dict):
        for name in sorted({*embedded, *kafka}):
            yield from compared(embedded.get(name), kafka.get(name), f"{path}.{name}" if path else name)
    elif embedded != kafka:
        yield Leaf(path, embedded, kafka)


def _plain(part: Any, told: Told, name: str) -> Any:
    if isinstance(part, Mapping):
        return {key: _plain(each, told, key) for key, each in part.items() if key not in _LEFT_OUT}
    if isinstance(part, (list, tuple)):
        return _plain_list([_plain(each, told, "") for each in part])
    if name in _TEXTS:
        return "a text" if part else "none"
    if name == "log_append_time_ms":
        return "a time" if part > 0 else part
    if name == "records":
        return _batches(bytes(part or b""))
    if name in _ASSIGNMENTS and isinstance(part, bytes):
        return _assignment(part, told)
    return told.alias(str(part)) if isinstance(part, (str, UUID)) else part


def _assignment(data: bytes, told: Told) -> Any:
    """Kafka's order of topics in it depends on their random ids; bytes that are no assignment stay as they are."""
    try:
        partitions = sorted((told.alias(each.topic), each.partition) for each in decode_assignment(data))
        return {"version": data[:2], "partitions": partitions, "user_data": user_data_of(data), "size": len(data)}
    except DecodeError:
        return data


def _plain_list(items: list[Any]) -> Any:
    if not items or not isinstance(items[0], dict):
        return sorted(items, key=repr)
    named: dict[str, Any] = {}
    for item in items:
        unnamed = "" if any(key in item for key in _NAMES) else repr(item)
        name = next((f"{item[key]}" for key in _NAMES if item.get(key) not in (None, "")), unnamed)
        while name in named:
            name += " again"
        named[name] = item
    return named


def _batches(data: bytes) -> dict[str, Any]:
    """The whole batches of a log; a part of one at the end is left out."""
    found: dict[str, Any] = {}
    start = 0
    while (header := read_header(data, start)) is not None:
        found[f"batch at {header.base_offset}"] = _batch(header, data[start : start + header.size])
        start += header.size
    return found


def _batch(header: BatchHeader, data: bytes) -> dict[str, Any]:
    payload = data[HEADER.size :]
    with suppress(CorruptRecordError):
        payload = decompress(header.codec, memoryview(payload), _LIMIT_BYTES)
    return {
        "attributes": header.attributes,
        "last_offset_delta": header.last_offset_delta,
        "base_timestamp": header.base_timestamp,
        "max_timestamp": "a time" if header.attributes & LOG_APPEND_TIME else header.max_timestamp,
        "producer": (header.producer_id, header.producer_epoch, header.base_sequence),
        "count": header.record_count,
        "leader_epoch": header.leader_epoch,
        "records": payload if len(payload) < 1_000 else hash(payload),
    }
