"""What ``run`` is told: handlers, what is done with records that no handler takes, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from kafka_nextgen.types import Record

__all__ = ["DRAIN_TIMEOUT_S", "AsyncDeadLetter", "AsyncHandler", "DeadLetter", "Handler", "Order"]

Handler = Callable[[Record], object]
DeadLetter = Callable[[Record, Exception], object]
#: What they return is awaited if it can be.
AsyncHandler = Callable[[Record], object]
AsyncDeadLetter = Callable[[Record, Exception], object]

#: How long (seconds) the work in hand may take to end when partitions are given up, or at the end.
DRAIN_TIMEOUT_S = 30.0


class Order(Enum):
    """What is worked on one record at a time."""

    PARTITION = "partition"
    KEY = "key"
