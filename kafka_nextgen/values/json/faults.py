"""The faults of values, with the numbers of ``accelerator/json_scan.h``."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["BadJsonError", "Fault"]


class Fault(IntEnum):
    """A fault of a value."""

    NOT_JSON = 1
    NO_NULL = 2
    MISSING = 3
    WRONG_TYPE = 4
    OUT_OF_RANGE = 5
    NOT_EXACT = 6
    WRONG_FORM = 7
    NO_SYMBOL = 8
    TOO_SPARSE = 9
    NO_FRAME = 10


class BadJsonError(Exception):
    """A value is bad. ``column`` is the index of the column with the fault; -1 if the value could not be parsed."""

    def __init__(self, fault: Fault, column: int = -1) -> None:
        super().__init__(fault, column)
        self.fault = fault
        self.column = column
