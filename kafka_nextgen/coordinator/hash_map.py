"""Java's hash map, in whose order Kafka comes upon names where it has no other order for them."""

from __future__ import annotations

__all__ = ["place"]

_PLACES = 16


def place(name: str) -> int:
    """Where a Java hash map with at most twelve keys has this one: by ``String.hashCode``, both halves of it."""
    number = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        number = (31 * number + (high << 8 | low)) & 0xFFFFFFFF
    return (number ^ number >> 16) % _PLACES
