"""Numbers for the requests, commits, callbacks and targets of a machine.

One counter serves all of them, so that each number is unique. A completion with an unexpected number is late.
"""

from __future__ import annotations

from typing import TypeVar

from attrs import evolve, frozen

__all__ = ["Numbering", "numbered"]


@frozen(kw_only=True)
class Numbering:
    """The part of a machine's state that holds the counter."""

    last_number: int = 0


S = TypeVar("S", bound=Numbering)


def numbered(state: S) -> tuple[S, int]:
    """Take the next number."""
    number = state.last_number + 1
    return evolve(state, last_number=number), number
