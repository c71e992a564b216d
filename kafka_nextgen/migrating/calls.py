"""The replacement of another client's call.

A row belongs to a class of the client. Its name is a method or an attribute (``poll``), or an argument
(``poll(timeout_ms=)``).
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.lazy_attrs import frozen

__all__ = ["Call", "Calls", "becomes", "gone", "kept", "same"]


@frozen
class Call:
    """``here`` is the replacement, ``note`` explains differences. Calls with ``is_unchanged`` need no change.

    A call that remains a call of the other client is unchanged, and has no ``here``. If a call is not unchanged and has
    no ``here``, remove it.
    """

    here: str
    note: str = ""
    is_unchanged: bool = False


#: Rows by their names.
Calls = Mapping[str, Call]


def same(note: str = "") -> Call:
    """The call has the same name here, so a program needs no change."""
    return Call("the same", note, is_unchanged=True)


def becomes(here: str, note: str = "") -> Call:
    """The call is replaced by ``here``."""
    return Call(here, note)


def gone(note: str) -> Call:
    """The call does not exist here; ``note`` says why, and what to do."""
    return Call("", note)


def kept(note: str) -> Call:
    """The program keeps the other client's call."""
    return Call("", note, is_unchanged=True)
