"""The records of a topic, as a list for asserts."""

from __future__ import annotations

import json
from typing import Any

from kafka_nextgen.types import Record, TopicPartition

__all__ = ["RecordList"]


class RecordList(list[Record[bytes, bytes]]):
    """Records by partition and offset; keys and values are bytes. ``values``, ``keys``, ``texts`` and ``json`` are
    plain lists.

    assert cluster.records("orders").json == [{"id": 1}, {"id": 2}]
    """

    @property
    def values(self) -> list[bytes | None]:
        """The values; None for tombstones."""
        return [record.value for record in self]

    @property
    def keys(self) -> list[bytes | None]:
        """The keys."""
        return [record.key for record in self]

    @property
    def texts(self) -> list[str | None]:
        """The values as text. Raises UnicodeDecodeError."""
        return [None if record.value is None else record.value.decode() for record in self]

    @property
    def json(self) -> list[Any]:
        """The values read as JSON; None for tombstones. Raises ValueError, which names the record."""
        return [_json_of(record) for record in self]

    @property
    def by_key(self) -> dict[bytes | None, list[bytes | None]]:
        """The values of each key, in the order of their offsets."""
        found: dict[bytes | None, list[bytes | None]] = {}
        for record in self:
            found.setdefault(record.key, []).append(record.value)
        return found

    def __str__(self) -> str:
        """A record on each line: its position, key, value and headers."""
        return "\n".join(map(_line, self)) or "no records"


def _json_of(record: Record[bytes, bytes]) -> Any:
    if record.value is None:
        return None
    try:
        return json.loads(record.value)
    except ValueError as error:
        place = TopicPartition(record.topic, record.partition)
        raise ValueError(f"{place} offset {record.offset} is not JSON ({error}): {record.value!r}") from error


def _line(record: Record[bytes, bytes]) -> str:
    headers = f" headers={dict(record.headers)!r}" if record.headers else ""
    place = TopicPartition(record.topic, record.partition)
    return f"{place} offset {record.offset}: key={record.key!r} value={record.value!r}{headers}"
