"""Moments: durations before now and times, and what is neither."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from kafka_nextgen.scanning.times import LAST_MS, Moment, moment_ms

NOW_MS = 1_795_705_200_000
HOUR_MS = 3_600_000


@pytest.mark.parametrize(
    ("moment", "found"),
    [
        ("2h", NOW_MS - 2 * HOUR_MS),
        ("90s", NOW_MS - 90_000),
        ("1.5h", NOW_MS - 3 * HOUR_MS // 2),
        ("7d", NOW_MS - 7 * 24 * HOUR_MS),
        ("250ms", NOW_MS - 250),
        (timedelta(minutes=30), NOW_MS - HOUR_MS // 2),
        ("2026-11-26T14:00:00", 1_795_701_600_000),
        ("2026-11-26T14:00:00Z", 1_795_701_600_000),
        ("2026-11-26T15:00:00+01:00", 1_795_701_600_000),
        ("2026-11-26 14:00Z", 1_795_701_600_000),
        ("2026-11-26t14:00:00,5z", 1_795_701_600_500),
        ("2026-11-26T14:00:00.123456789", 1_795_701_600_123),
        ("2026-11-26T15:00+01", 1_795_701_600_000),
        ("2026-11-26T10:30-0330", 1_795_701_600_000),
        ("2026-11-26", 1_795_651_200_000),
        (datetime(2026, 11, 26, 14, tzinfo=timezone.utc), 1_795_701_600_000),
        (1_795_701_600_000, 1_795_701_600_000),
        (0, 0),
        (LAST_MS, LAST_MS),
    ],
)
def test_a_moment_is_a_duration_before_now_or_a_time(moment: Moment, found: int) -> None:
    assert moment_ms(moment, NOW_MS, "since") == found


@pytest.fixture
def in_new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as context:
        context.setenv("TZ", "America/New_York")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("in_new_york")
def test_text_without_a_zone_is_utc_wherever_it_is_read() -> None:
    assert datetime(2026, 7, 1, 14).astimezone().utcoffset() == timedelta(hours=-4), "local time differs"
    for text in ("2026-07-01T14:00", "2026-07-01T14:00:00Z", "2026-07-01T10:00-04:00"):
        assert moment_ms(text, 0, "since") == 1_782_914_400_000


def test_a_datetime_without_a_zone_could_be_local_time_or_utc() -> None:
    with pytest.raises(TypeError, match=r"since=.* has no time zone"):
        moment_ms(datetime(2026, 11, 26), NOW_MS, "since")


@pytest.mark.parametrize(
    "text",
    [
        *("yesterday", "2 weeks", "-2h", "", "2026-13-01", "2026-11-26T24:00", "2026-11-26T14:00:00.", "2026-11-26Z"),
        *("20261126", "20261126T140000Z", "2026-W48", "2026-11-26T14:00+25:00"),  # Pythons disagree about some of these
    ],
)
def test_other_text_is_refused_by_the_argument_s_name(text: str) -> None:
    with pytest.raises(ValueError, match=r"until=.* is neither a duration such as '2h' nor a time"):
        moment_ms(text, NOW_MS, "until")


@pytest.mark.parametrize("moment", [-1, "60000d", 10**15])
def test_a_moment_that_kafka_can_not_have_is_refused(moment: Moment) -> None:
    with pytest.raises(ValueError, match="not between 1970 and 9999"):
        moment_ms(moment, NOW_MS, "since")


def test_true_is_no_moment() -> None:
    with pytest.raises(TypeError, match="not True"):
        moment_ms(True, NOW_MS, "since")
