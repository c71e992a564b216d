"""JSON's numbers, exactly: what integers and decimals are made of, and the powers that doubles are made with."""

from __future__ import annotations

import re
from array import array

from kafka_nextgen.values.json.faults import BadJsonError, Fault

__all__ = ["exact", "is_number", "powers_of_five"]

_LEAST_POWER, _MOST_POWER = -342, 308
_NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")


def is_number(text: str) -> bool:
    """Whether it is a number as JSON has it, and nothing else."""
    return _NUMBER.fullmatch(text) is not None


def exact(text: str, scale: int, most_digits: int) -> int:
    """A number times 10**scale. Raises BadJsonError if that is no integer of so many digits."""
    found = _NUMBER.fullmatch(text)
    assert found is not None, text
    sign, whole, fraction, exponent = found.groups(default="")
    digits = (whole + fraction).lstrip("0")
    kept = digits.rstrip("0")
    if not kept:
        return 0
    shift = _exponent(exponent) - len(fraction) + len(digits) - len(kept) + scale
    if shift < 0:
        raise BadJsonError(Fault.NOT_EXACT)
    if len(kept) + shift > most_digits:
        raise BadJsonError(Fault.OUT_OF_RANGE)
    number: int = int(kept) * 10**shift
    return -number if sign else number


def _exponent(text: str) -> int:
    """The exponent, or one as far away from all others; ``int`` refuses thousands of digits."""
    digits = text.lstrip("+-").lstrip("0")
    number = int(digits or 0) if len(digits) < 13 else 10**12
    return -number if text.startswith("-") else number


def powers_of_five() -> array[int]:
    """The first 128 bits of 5**q, for the exponents a double can have: the higher word, then the lower one.

    They are cut off for positive exponents, and rounded up for negative ones, as Lemire's paper has it.
    """
    words = array("Q")
    for exponent in range(_LEAST_POWER, _MOST_POWER + 1):
        power = 5 ** abs(exponent)
        size: int = power.bit_length()
        if exponent < 0:
            bits = 2 ** (size + 127 + (0 if exponent >= -27 else size + 1)) // power + 1
        else:
            bits = power << max(0, 128 - size)
        bits >>= bits.bit_length() - 128
        words.extend((bits >> 64, bits & (2**64 - 1)))
    return words
