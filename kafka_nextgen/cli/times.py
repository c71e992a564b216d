"""Parse and format times and durations. Times are UTC.

A number is milliseconds since the epoch only if it has 13 digits, which are the years 2001 to 2286, or is 0. Others are
refused: 20261126 is a date to its writer, 1795701600 is in seconds, and 20261126140000 would be the year 2612. A group
whose offsets were reset to 1970 would read everything again.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone

import click

from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.scanning.times import LAST_MS, time_ms

__all__ = ["TIME", "TimeParam", "duration_text", "time_text"]


_MILLISECONDS = lazy_pattern(r"0|\d{13}", re.ASCII)


class TimeParam(click.ParamType[int]):
    """A time in ISO 8601, in UTC if it has no zone, or in milliseconds since the Unix epoch; converts to
    milliseconds."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse a time; anything else is a usage error."""
        text = str(value).strip()
        if text.isdecimal() and not _MILLISECONDS.fullmatch(text):
            self.fail(
                f"{text!r} is ambiguous: a number is milliseconds since the epoch, which has 13 digits. "
                "Write a date as 2026-11-26, and a time as 2026-11-26T14:03:00",
                param,
                ctx,
            )
        try:
            at = int(text) if text.isdecimal() else time_ms(text)
        except ValueError:
            self.fail(f"{text!r} is not a time such as 2026-11-26T14:03:00 or milliseconds since the epoch", param, ctx)
        if not 0 <= at <= LAST_MS:
            self.fail(f"{text!r} is out of range", param, ctx)
        return at


TIME = TimeParam()


def time_text(at: int) -> str:
    """Format a time in milliseconds since the Unix epoch."""
    if not 0 <= at <= LAST_MS:
        return str(at)
    seconds = datetime.fromtimestamp(at // 1000, timezone.utc)
    return f"{seconds:%Y-%m-%d %H:%M:%S}.{at % 1000:03d}"


def duration_text(ms: int | None) -> str | None:
    """Format a duration in a suitable unit; None for None."""
    if ms is None:
        return None
    if ms < 1000:
        return f"{ms}ms"
    if ms < 120_000:
        return f"{ms / 1000:.1f}s"
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}m{seconds:02d}s" if minutes < 120 else f"{minutes // 60}h{minutes % 60:02d}m"
