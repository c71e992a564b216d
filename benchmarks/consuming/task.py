"""What a reader is to read, and how."""

from __future__ import annotations

from attrs import frozen

__all__ = ["BATCH", "BUFFER_BYTES", "CONSUMED", "PARTITION_BYTES", "Task"]

#: Tuned, each client asks for this much of a partition, lets this much wait, and hands over so many records at once.
PARTITION_BYTES = 4 * 1024 * 1024
BUFFER_BYTES = 200 * 1024 * 1024
CONSUMED = 10_000

#: How many records ours makes a table of, tuned.
BATCH = 50_000


@frozen
class Task:
    """Read the ``records`` of all ``partitions`` with ``reader``, tuned for this or as a client is by default."""

    reader: str
    bootstrap_servers: str
    topic: str
    partitions: int
    records: int
    tuned: bool = True
    pause_s: float = 0.0  # after the first records, so that the client's buffers fill
