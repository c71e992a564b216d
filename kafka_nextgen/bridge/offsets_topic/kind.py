"""What there is to know of one type of record: its messages, and how the coordinator's records become them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from kafka_nextgen.coordinator import records as r
from kafka_nextgen.wire.schema import Message

__all__ = ["RecordKind"]


@frozen(kw_only=True)
class RecordKind:
    """One type of record.

    ``version`` is the value's version that is written, unless ``version_of`` a record tells another. ``to_key`` takes a
    record or its tombstone, ``to_value`` a record; ``from_messages`` and ``removed_from`` lead back.
    """

    number: int
    key: type[Message]
    value: type[Message]
    version: int = 0
    version_of: Callable[[Any], int] | None = None
    record: type[r.Record]
    removed: type[r.Record]
    to_key: Callable[[Any], Message]
    to_value: Callable[[Any], Message]
    from_messages: Callable[[Any, Any], r.Record]
    removed_from: Callable[[Any], r.Record]
