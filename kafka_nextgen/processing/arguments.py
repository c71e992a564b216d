"""The arguments of ``run``: handlers, dead letters and the order of records."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from kafka_nextgen.types import Record

__all__ = ["DRAIN_TIMEOUT_S", "AsyncDeadLetter", "AsyncHandler", "DeadLetter", "Handler", "Order"]

#: Takes a record; its result is ignored.
Handler = Callable[[Record[Any, Any]], object]
#: Takes a record that failed, and the error. The record's key and value are bytes, even with deserializers.
DeadLetter = Callable[[Record[bytes, bytes], Exception], object]
#: A handler; its result is awaited if it is awaitable.
AsyncHandler = Callable[[Record[Any, Any]], object]
#: A ``DeadLetter``; its result is awaited if it is awaitable.
AsyncDeadLetter = Callable[[Record[bytes, bytes], Exception], object]

#: How long (seconds) to wait for tasks in progress when partitions are revoked, or at the end of the run.
DRAIN_TIMEOUT_S = 30.0


class Order(Enum):
    """Records are handled one at a time within a partition, or within a key of a partition."""

    PARTITION = "partition"
    KEY = "key"
