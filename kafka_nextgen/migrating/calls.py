"""What takes the place of a call of another client.

A row belongs to a class of the client, and is named like a method or an attribute (``poll``), or like one of its
arguments (``poll(timeout_ms=)``).
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

__all__ = ["Call", "Calls", "becomes", "gone", "kept", "same"]


@frozen
class Call:
    """``here`` is what to write, ``note`` what differs. ``is_unchanged`` calls need no change.

    A call that stays one of the other client is unchanged, and has no ``here``. One that has to change without a
    ``here`` has to be removed.
    """

    here: str
    note: str = ""
    is_unchanged: bool = False


#: Rows by their names.
Calls = Mapping[str, Call]


def same(note: str = "") -> Call:
    """The call has the same name here, and a program that uses it need not change."""
    return Call("the same", note, is_unchanged=True)


def becomes(here: str, note: str = "") -> Call:
    """Write ``here`` instead."""
    return Call(here, note)


def gone(note: str) -> Call:
    """There is no such call here; ``note`` says why, and what to do."""
    return Call("", note)


def kept(note: str) -> Call:
    """The other client's call remains in use."""
    return Call("", note, is_unchanged=True)
