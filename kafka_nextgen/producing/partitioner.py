"""Which partition a record goes to, as Kafka's Java client decides it.

A key's partition is the murmur2 hash of its bytes, made positive, modulo the number of partitions, so that records
written here and by any other client that hashes as Java does share partitions by key. Records without a key all go to
one partition until a batch is sent, and to the next one then (KIP-480, "sticky partitioner").
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
        """Let records without a key go to the next partition from here on."""
        self._sticky = (self._sticky + 1) % self._count
