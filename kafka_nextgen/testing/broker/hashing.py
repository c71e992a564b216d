"""Java's hash of a string, by which Kafka spreads groups and transactional ids over partitions."""

from __future__ import annotations

__all__ = ["spread"]


def spread(key: str, num_partitions: int) -> int:
    """The partition that a key belongs to."""
    return _java_hash(key) % num_partitions


def _java_hash(text: str) -> int:
    """Java's ``String.hashCode``, made positive as in Kafka: the lowest integer, which can't be negated, is 0."""
    number = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        number = (31 * number + (high << 8 | low)) & 0xFFFFFFFF
    number = number - 2**32 if number >= 2**31 else number
    return 0 if number == -(2**31) else abs(number)
