"""The starting position in a partition without a valid offset: ``auto.offset.reset`` and its variant for new
partitions.

``by_duration:DURATION`` starts with the first record that is at most this old, or at the end if all are older
(KIP-1106). Durations have the format of Java's ``Duration.parse``: ISO 8601 with days, hours, minutes and seconds, such
as ``P2D``, ``PT1H30M`` or ``PT0.5S``, in upper or lower case. Each number may have a sign, but the sum must not be
negative.
"""

from __future__ import annotations

import re
from enum import Enum

from attrs import field, validators

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern

__all__ = ["ByDuration", "OffsetReset", "Reset", "read_place", "read_reset"]

PREFIX = "by_duration:"

_DURATION = lazy_pattern(
    r"(?P<sign>[-+]?)P(?:(?P<days>[-+]?[0-9]{1,18})D)?"
    r"(?P<time>T(?:(?P<hours>[-+]?[0-9]{1,18})H)?(?:(?P<minutes>[-+]?[0-9]{1,18})M)?"
    r"(?:(?P<seconds>[-+]?[0-9]{1,18})(?:[.,](?P<fraction>[0-9]{0,9}))?S)?)?",
    re.IGNORECASE | re.ASCII,
)
_SECONDS = {"days": 86_400, "hours": 3600, "minutes": 60}
_NANOS = 10**9


class OffsetReset(Enum):
    """A fixed starting position, or none."""

    LATEST = "latest"
    EARLIEST = "earliest"
    NONE = "none"


@frozen
class ByDuration:
    """Start with the first record that is at most this old, in milliseconds (KIP-1106)."""

    duration_ms: int = field(validator=validators.ge(0))

    @classmethod
    def parse(cls, text: str) -> ByDuration:
        """Read a duration, rounded up to milliseconds. Raises ``ValueError`` for invalid or negative ones."""
        match = _DURATION.fullmatch(text.strip())
        if match is None or not any(match[part] for part in ("days", "hours", "minutes", "seconds")):
            raise ValueError(f"must be a duration such as PT1H30M or P2D, not {text!r}")
        if match["time"] and len(match["time"]) == 1:
            raise ValueError(f"must have a time after its T, not {text!r}")
        nanos = _nanos(match)
        if nanos < 0:
            raise ValueError(f"must not be negative: {text!r} would begin in the future")
        return cls(-(-nanos // 1_000_000))

    def __str__(self) -> str:
        seconds, millis = divmod(self.duration_ms, 1000)
        fraction = f".{millis:03}".rstrip("0") if millis else ""
        hours, minutes, rest = seconds // 3600, seconds // 60 % 60, seconds % 60
        parts = [f"{number}{unit}" for number, unit in ((hours, "H"), (minutes, "M")) if number]
        parts += [f"{rest}{fraction}S"] if rest or fraction or not parts else []
        return f"{PREFIX}PT{''.join(parts)}"


def _nanos(match: re.Match[str]) -> int:
    seconds = sum(int(match[part] or 0) * worth for part, worth in _SECONDS.items()) + int(match["seconds"] or 0)
    fraction = int((match["fraction"] or "").ljust(9, "0"))
    below_zero = (match["seconds"] or "").startswith("-")
    nanos = seconds * _NANOS + (-fraction if below_zero else fraction)
    return -nanos if match["sign"] == "-" else nanos


#: The values of ``auto.offset.reset``.
Reset = OffsetReset | ByDuration


def read_reset(value: object) -> Reset:
    """Read a value of ``auto.offset.reset``. Raises ``ValueError`` with a message that follows "key: "."""
    if isinstance(value, OffsetReset | ByDuration):
        return value
    written = str(value).strip().lower()
    if written.startswith(PREFIX):
        return ByDuration.parse(written[len(PREFIX) :].upper())
    words = {choice.value: choice for choice in OffsetReset}
    if written not in words:
        raise ValueError(f"must be {' or '.join(words)} or {PREFIX} and a duration, not {value!r}")
    return words[written]


def read_place(value: object) -> Reset:
    """Read a value of ``auto.offset.reset.new.partitions``: as ``read_reset`` does, but ``none`` is refused."""
    place = read_reset(value)
    if place is OffsetReset.NONE:
        raise ValueError(f"must be latest or earliest or {PREFIX} and a duration, not {value!r}: unset it instead")
    return place
