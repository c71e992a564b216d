"""Finding the fewest requests that still show a difference, by leaving some out (delta debugging)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["shrunk"]

T = TypeVar("T")


def shrunk(steps: Sequence[T], shows: Callable[[Sequence[T]], bool], most_tries: int) -> list[T]:
    """Leave out as many steps as can be, large pieces first, while the rest ``shows`` it; so many tries at most."""
    left, size, tries = list(steps), len(steps) // 2, 0
    while size:
        start = 0
        while start < len(left) and tries < most_tries:
            without = left[:start] + left[start + size :]
            tries += 1
            if shows(without):
                left = without
            else:
                start += size
        size //= 2
    return left
