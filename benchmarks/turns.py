"""Turns: in each round everybody has one, and nobody always the one after the same other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

__all__ = ["rotated"]

T = TypeVar("T")

#: By how many places a round begins later than the one before; prime, so that all places come about.
STRIDE = 7


def rotated(everybody: Sequence[T], number: int) -> Sequence[T]:
    """The order of round ``number``."""
    begin = number * STRIDE % len(everybody)
    return [*everybody[begin:], *everybody[:begin]]
