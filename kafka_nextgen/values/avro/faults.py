"""The faults of values: the numbers that the decoders use, and their descriptions."""

from __future__ import annotations

from enum import IntEnum, auto

__all__ = ["REASONS", "Fault", "shown"]


class Fault(IntEnum):
    """A fault of a value, as in ``accelerator/avro_values.h``."""

    ENDS_EARLY = 1
    LONG_VARINT = auto()
    NO_INT = auto()
    NO_BOOLEAN = auto()
    BAD_LENGTH = auto()
    NO_UTF8 = auto()
    NO_SYMBOL = auto()
    UNKNOWN_SYMBOL = auto()
    NO_BRANCH = auto()
    TOO_MANY_ITEMS = auto()
    TOO_MANY_DIGITS = auto()
    NO_UUID = auto()
    OUT_OF_RANGE = auto()
    BYTES_LEFT = auto()
    NO_FRAME = auto()
    NOT_RESOLVED = auto()
    EXPANDS_TOO_FAR = auto()


#: NOT_RESOLVED is missing, because the program contains its descriptions.
REASONS = {
    Fault.ENDS_EARLY: "the value ends too early",
    Fault.LONG_VARINT: "a number exceeds 64 bits",
    Fault.NO_INT: "a number exceeds the 32 bits of an int",
    Fault.NO_BOOLEAN: "a boolean is neither 0 nor 1",
    Fault.BAD_LENGTH: "a length is negative, or greater than the number of bytes left",
    Fault.NO_UTF8: "a string is not UTF-8",
    Fault.NO_SYMBOL: "an enum has no symbol with this index",
    Fault.UNKNOWN_SYMBOL: "an enum has a symbol that the reader's enum lacks, and the reader's enum has no default",
    Fault.NO_BRANCH: "a union has no branch with this index",
    Fault.TOO_MANY_ITEMS: "a list or map has more items than the bytes left can contain",
    Fault.TOO_MANY_DIGITS: "a decimal has more digits than its precision",
    Fault.NO_UUID: "a uuid does not have the usual form of 36 characters",
    Fault.OUT_OF_RANGE: "a time is not within a day, or a duration exceeds 31 bits of months or days",
    Fault.BYTES_LEFT: "the value is longer than its schema allows",
    Fault.NO_FRAME: "the value does not begin with a zero byte and the id of a schema",
    Fault.EXPANDS_TOO_FAR: "arrays and maps expand to more than 4 KiB plus 256 times the size of the value",
}


def shown(value: object) -> str:
    """Return a part of a schema as errors show it, shortened."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
