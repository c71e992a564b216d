"""Exact JSON numbers, for integers and decimals, and the powers of five that are needed to convert doubles."""

from __future__ import annotations

from array import array

from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.values.json.faults import BadJsonError, Fault

__all__ = ["exact", "is_number", "powers_of_five"]

_LEAST_POWER, _MOST_POWER = -342, 308
_NUMBER = lazy_pattern(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")


def is_number(text: str) -> bool:
    """Whether the text is exactly one JSON number."""
    return _NUMBER.fullmatch(text) is not None


def exact(text: str, scale: int, most_digits: int) -> int:
    """Return a number times 10**scale. Raises BadJsonError if it is not an integer, or has too many digits."""
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
    """Return the exponent, or a huge number if it has too many digits: ``int`` refuses to convert thousands of them."""
    digits = text.lstrip("+-").lstrip("0")
    number = int(digits or 0) if len(digits) < 13 else 10**12
    return -number if text.startswith("-") else number


def powers_of_five() -> array[int]:
    """Return the first 128 bits of 5**q for each exponent that a double can have: the higher word, then the lower one.

    They are truncated for positive exponents, and rounded up for negative ones, as in Lemire's paper.
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
