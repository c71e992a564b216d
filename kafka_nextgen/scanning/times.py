"""Times at which a scan begins or ends.

- A duration counts back from now: ``"90s"``, ``"30m"``, ``"2h"``, ``"7d"``, ``"1.5h"``, or a ``timedelta``.
- A time is ISO 8601 text, in UTC if it has no zone; a ``datetime`` with a zone; or milliseconds since the epoch.

Text has the extended form of ISO 8601, with hyphens and colons, in every version of Python: ``2026-11-26``,
``2026-11-26T14:03``, ``2026-11-26 14:03:00.250``, and after a time of day ``Z``, ``+02``, ``+0200`` or ``+02:00``. The
basic form is refused, because ``20261126`` could also be a number. A ``datetime`` without a zone is refused, too: it
means local time in Python, but UTC in Kafka's tools.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from kafka_nextgen.lazy_patterns import lazy_pattern

__all__ = ["LAST_MS", "Moment", "moment_ms", "time_ms"]

#: A duration before now, or a time.
Moment = str | int | datetime | timedelta

_DURATION = lazy_pattern(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|s|m|h|d)")
_TIME = lazy_pattern(
    r"(?P<day>\d{4}-\d\d-\d\d)"
    r"(?:[Tt ](?P<minute>\d\d:\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?:[Zz]|(?P<hours>[+-]\d\d)(?::?(?P<minutes>\d\d))?)?)?",
    re.ASCII,
)
_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}

#: The end of the year 9999, the last year that ``datetime`` supports, in milliseconds.
LAST_MS = 253_402_300_799_999


def moment_ms(moment: Moment, now_ms: int, name: str) -> int:
    """Convert ``moment`` to milliseconds since the epoch; errors name the argument ``name``.

    Raises TypeError for another type or a ``datetime`` without a zone, ValueError for text that is not a duration or
    time, and for a time before 1970.
    """
    found = _moment_ms(moment, now_ms, name)
    if not 0 <= found <= LAST_MS:
        raise ValueError(f"{name}={moment!r} is not between 1970 and 9999")
    return found


def _moment_ms(moment: Moment, now_ms: int, name: str) -> int:
    if isinstance(moment, timedelta):
        if moment < timedelta(0):
            raise ValueError(
                f"{name}={moment!r} is a negative duration: durations count back from now, so they must be positive"
            )
        return now_ms - round(moment.total_seconds() * 1000)
    if isinstance(moment, datetime):
        if moment.tzinfo is None:
            raise TypeError(f"{name}={moment!r} has no time zone: give it a timezone, or call .astimezone()")
        return _ms_of(moment)
    if isinstance(moment, str):
        duration = _DURATION.fullmatch(moment.strip())
        if duration is not None:
            return now_ms - round(float(duration["number"]) * _UNIT_MS[duration["unit"]])
        try:
            return time_ms(moment.strip())
        except ValueError as error:
            message = f"{name}={moment!r} is neither a duration such as '2h' nor a time such as '2026-11-26T14:03:00'"
            raise ValueError(message) from error
    if isinstance(moment, int) and not isinstance(moment, bool):
        return moment
    raise TypeError(f"{name} must be a duration such as '2h', a time, or a timedelta, not {moment!r}")


def time_ms(text: str) -> int:
    """Parse ISO 8601 in its extended form, in UTC if it has no zone. Raises ValueError."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a time such as 2026-11-26T14:03:00")
    of_day = f"{found['minute'] or '00:00'}:{found['second'] or '00'}.{(found['fraction'] or '0').ljust(6, '0')[:6]}"
    zone = f"{found['hours'] or '+00'}:{found['minutes'] or '00'}"
    return _ms_of(datetime.fromisoformat(f"{found['day']}T{of_day}{zone}"))  # the only form that Python 3.10 parses


def _ms_of(at: datetime) -> int:
    return round(at.timestamp() * 1000)
