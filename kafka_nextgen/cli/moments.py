"""Moments and durations as people write and read them. Times are UTC."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import overload

import click

__all__ = ["MOMENT", "Moment", "duration_text", "time_text"]

_LAST = 253_402_300_799_999  # ms, of the year 9999


class Moment(click.ParamType[int]):
    """A time: ISO 8601, in UTC if it names no zone, or milliseconds since the epoch. Its value is milliseconds."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it; what is neither is a usage error."""
        text = str(value)
        try:
            at = int(text) if text.isdecimal() else _milliseconds(text)
        except ValueError:
            self.fail(f"{text!r} is no time such as 2026-11-26T14:03:00 or milliseconds since the epoch", param, ctx)
        if not 0 <= at <= _LAST:
            self.fail(f"{text!r} is out of range", param, ctx)
        return at


def _milliseconds(text: str) -> int:
    found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    aware = found if found.tzinfo else found.replace(tzinfo=timezone.utc)
    return round(aware.timestamp() * 1000)


#: The type of options that are a time.
MOMENT = Moment()


@overload
def time_text(at: int) -> str: ...


@overload
def time_text(at: int | None) -> str | None: ...


def time_text(at: int | None) -> str | None:
    """A time (ms since the epoch) with its milliseconds; None for None."""
    if at is None:
        return None
    if not 0 <= at <= _LAST:
        return str(at)
    seconds = datetime.fromtimestamp(at // 1000, timezone.utc)
    return f"{seconds:%Y-%m-%d %H:%M:%S}.{at % 1000:03d}"


def duration_text(ms: int | None) -> str | None:
    """A duration (ms) in a unit that fits; None for None."""
    if ms is None:
        return None
    if ms < 1000:
        return f"{ms}ms"
    if ms < 120_000:
        return f"{ms / 1000:.1f}s"
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}m{seconds:02d}s" if minutes < 120 else f"{minutes // 60}h{minutes % 60:02d}m"
