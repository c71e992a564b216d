"""Parses strings that contain dates, times, timestamps, durations, uuids or bytes.

A string can have the wrong form, more digits than the column can store (NOT_EXACT), or a value outside its range
(OUT_OF_RANGE). The first fault in this order is reported.
"""

from __future__ import annotations

import binascii
import re
from datetime import date

from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.values.json.faults import BadJsonError, Fault

__all__ = [
    "DAY_SECONDS",
    "MOST_INT64",
    "bytes_of",
    "date_units",
    "duration_units",
    "time_units",
    "timestamp_units",
    "uuid_bytes",
]

DAY_SECONDS = 86_400
MOST_INT64 = 2**63 - 1
MOST_OF_A_DURATION = 10**12

_DAY = "([0-9]{4})-([0-9]{2})-([0-9]{2})"
_TIME = r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
_DATE_FORM = lazy_pattern(_DAY)
_TIME_FORM = lazy_pattern(_TIME)
_LOCAL_FORM = lazy_pattern(f"{_DAY}[Tt ]{_TIME}")
_ZONED_FORM = lazy_pattern(f"{_DAY}[Tt ]{_TIME}(?:[Zz]|([+-])([0-9]{{2}}):([0-9]{{2}}))")
_DURATION_FORM = lazy_pattern(
    r"(-?)P(?=[0-9T])(?:([0-9]+)W)?(?:([0-9]+)D)?(?:T(?=[0-9])(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+)(?:\.([0-9]+))?S)?)?"
)
_UUID_FORM = lazy_pattern("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LENGTHS = (7 * DAY_SECONDS, DAY_SECONDS, 3600, 60, 1)


def _groups(form: re.Pattern[str], text: str) -> tuple[str, ...]:
    found = form.fullmatch(text)
    if found is None:
        raise BadJsonError(Fault.WRONG_FORM)
    return found.groups(default="")


def _days(year: str, month: str, day: str) -> int:
    """Return the days since 1970. The year 0 was a leap year, like 400, but Python's dates begin with the year 1."""
    is_first = year == "0000"
    try:
        found = date(400 if is_first else int(year), int(month), int(day))
    except ValueError:
        raise BadJsonError(Fault.WRONG_FORM) from None
    return found.toordinal() - date(1970, 1, 1).toordinal() - 146_097 * is_first


def _seconds(hour: str, minute: str, second: str) -> int:
    if hour > "23" or minute > "59" or second > "59":
        raise BadJsonError(Fault.WRONG_FORM)
    return int(hour) * 3600 + int(minute) * 60 + int(second)


def _fraction(digits: str, unit: int) -> int:
    places = len(str(unit)) - 1
    if digits[places:].strip("0"):
        raise BadJsonError(Fault.NOT_EXACT)
    return int(digits[:places].ljust(places, "0") or 0)


def _in_range(units: int) -> int:
    if not -(2**63) <= units <= MOST_INT64:
        raise BadJsonError(Fault.OUT_OF_RANGE)
    return units


def date_units(text: str, units_of_day: int) -> int:
    """Parse an RFC 3339 full-date."""
    return _days(*_groups(_DATE_FORM, text)) * units_of_day


def time_units(text: str, unit: int) -> int:
    """Parse an RFC 3339 partial-time, which has no zone; ``unit`` is the number of units in a second."""
    *time, fraction = _groups(_TIME_FORM, text)
    return _seconds(*time) * unit + _fraction(fraction, unit)


def timestamp_units(text: str, unit: int, has_zone: bool) -> int:
    """Parse an RFC 3339 date-time, with or without a zone."""
    year, month, day, hour, minute, second, fraction, *zone = _groups(_ZONED_FORM if has_zone else _LOCAL_FORM, text)
    seconds = _days(year, month, day) * DAY_SECONDS + _seconds(hour, minute, second)
    if zone and zone[0]:
        offset = _seconds(zone[1], zone[2], "00")
        seconds += offset if zone[0] == "-" else -offset
    return _in_range(seconds * unit + _fraction(fraction, unit))


def duration_units(text: str, unit: int) -> int:
    """Parse an ISO 8601 duration, without years and months, which have no fixed length."""
    sign, *parts, fraction = _groups(_DURATION_FORM, text)
    part_of_second = _fraction(fraction, unit)
    seconds = 0
    for part, length in zip(parts, _LENGTHS, strict=True):
        digits = part.lstrip("0")
        if len(digits) > 13 or int(digits or 0) > MOST_OF_A_DURATION:
            raise BadJsonError(Fault.OUT_OF_RANGE)
        seconds += int(digits or 0) * length
    units = seconds * unit + part_of_second
    if units > MOST_INT64:
        raise BadJsonError(Fault.OUT_OF_RANGE)
    return -units if sign else units


def uuid_bytes(text: str) -> bytes:
    """Parse a uuid of 36 characters, with hyphens as in RFC 9562."""
    _groups(_UUID_FORM, text)
    return bytes.fromhex(text.replace("-", ""))


def bytes_of(text: str, is_hex: bool) -> bytes:
    """Decode RFC 4648 Base64, with padding and with no unused bits set, or hexadecimal digits."""
    try:
        data = binascii.unhexlify(text) if is_hex else binascii.a2b_base64(text)
    except ValueError:  # including for characters outside ASCII
        raise BadJsonError(Fault.WRONG_FORM) from None
    if not is_hex and binascii.b2a_base64(data, newline=False).decode() != text:
        raise BadJsonError(Fault.WRONG_FORM)
    return data
