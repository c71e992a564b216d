"""A necessary change in one line of a file."""

from __future__ import annotations

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.migrating.calls import Call

__all__ = ["Finding", "of_call"]


@frozen(order=True)
class Finding:
    """``found`` is the text in ``line``, which counts from 1. ``here`` is its replacement, if any.

    ``note`` gives the reason or other differences.
    """

    line: int
    found: str
    here: str = ""
    note: str = ""

    def __str__(self) -> str:
        if not self.here:
            return f"{self.found}: {self.note}"
        return f"{self.found} -> {self.here}" + (f" ({self.note})" if self.note else "")


def of_call(line: int, found: str, call: Call) -> Finding:
    """Return the finding for a call with this row."""
    return Finding(line, found, call.here, call.note)
