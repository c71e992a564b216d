"""Numbers for whatever a machine of the client waits for.

One counter numbers requests, commits, callbacks and targets alike, so that a number names one thing only. What comes
with another number than the one waited for is late.
"""

from __future__ import annotations

from typing import TypeVar

from attrs import evolve, frozen

__all__ = ["Numbering", "numbered"]


@frozen(kw_only=True)
class Numbering:
    """The part of a machine's state that counts."""

    last_number: int = 0


S = TypeVar("S", bound=Numbering)


def numbered(state: S) -> tuple[S, int]:
    """Take the next number."""
    number = state.last_number + 1
    return evolve(state, last_number=number), number
