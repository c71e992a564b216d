"""What a client is to wait for, and what that takes."""

from __future__ import annotations

from attrs import frozen

__all__ = ["Idleness", "Task"]


@frozen
class Task:
    """Wait for records of all partitions by ``waiter``: ``settle_s`` uncounted, then ``seconds``."""

    waiter: str
    bootstrap_servers: str
    topic: str
    partitions: int
    settle_s: float
    seconds: float


@frozen
class Idleness:
    """Processor seconds of all threads for each second of waiting, and the memory beyond the imports, or NaN."""

    cpu_share: float
    peak_bytes: float
