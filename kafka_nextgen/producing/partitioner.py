"""Choose the partition of a record like Kafka's Java client.

A key's partition is the murmur2 hash of its bytes, made positive, modulo the number of partitions. Records therefore
share a partition with records that the Java client wrote with the same key. Records without a key go to one partition
until a batch is sent, then to the next (KIP-480, "sticky partitioner").
"""

from __future__ import annotations

__all__ = ["Partitioner", "murmur2"]

_MASK = 0xFFFFFFFF
_SEED = 0x9747B28C
_MULTIPLIER = 0x5BD1E995
_SHIFT = 24


def murmur2(data: bytes) -> int:
    """The 32-bit murmur2 hash of ``data`` with Kafka's seed, unsigned."""
    result = _SEED ^ len(data)
    whole = len(data) & ~3
    for start in range(0, whole, 4):
        word = int.from_bytes(data[start : start + 4], "little") * _MULTIPLIER & _MASK
        word = (word ^ word >> _SHIFT) * _MULTIPLIER & _MASK
        result = result * _MULTIPLIER & _MASK ^ word
    if whole < len(data):
        result = (result ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _MASK
    result = (result ^ result >> 13) * _MULTIPLIER & _MASK
    return result ^ result >> 15


class Partitioner:
    """Chooses among ``count`` partitions."""

    def __init__(self, count: int) -> None:
        assert count > 0
        self._count = count
        self._sticky = 0

    def partition_of(self, key: bytes | None) -> int:
        """The partition of a record with this key."""
        return self._sticky if key is None else (murmur2(key) & 0x7FFFFFFF) % self._count

    def batch_sent(self) -> None:
        """Send later records without a key to the next partition."""
        self._sticky = (self._sticky + 1) % self._count
