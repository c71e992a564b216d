"""The iteration order of Java's hash map, which Kafka uses where names have no other order."""

from __future__ import annotations

__all__ = ["place"]

_PLACES = 16


def place(name: str) -> int:
    """The bucket of this key in a Java hash map of at most twelve keys, from both halves of ``String.hashCode``."""
    number = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        number = (31 * number + (high << 8 | low)) & 0xFFFFFFFF
    return (number ^ number >> 16) % _PLACES
