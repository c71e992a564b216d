from __future__ import annotations

import click
import pytest

from kafka_nextgen.cli.times import TIME, duration_text, time_text


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("0", 0),
        ("1790000000123", 1_790_000_000_123),
        ("1970-01-01T00:00:01", 1_000),
        ("1970-01-01 00:00:01.250", 1_250),
        ("1970-01-01T02:00:00+02:00", 0),
        ("1970-01-01T00:00:02Z", 2_000),
        ("1970-01-02", 86_400_000),
    ],
)
def test_a_time_is_read(text: str, at: int) -> None:
    assert TIME.convert(text, None, None) == at


@pytest.mark.parametrize("text", ["", "yesterday", "-1", "14:03", "99999999999999999999", "1969-12-31T23:59:59"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        TIME.convert(text, None, None)


@pytest.mark.parametrize(
    ("ms", "text"),
    [(None, None), (0, "0ms"), (999, "999ms"), (1500, "1.5s"), (125_000, "2m05s"), (7_500_000, "2h05m")],
)
def test_a_duration_has_a_unit_that_fits(ms: int | None, text: str | None) -> None:
    assert duration_text(ms) == text


@pytest.mark.parametrize(
    ("at", "text"),
    [(1_790_000_000_007, "2026-09-21 14:13:20.007"), (1 << 62, str(1 << 62))],
)
def test_a_time_is_written(at: int, text: str) -> None:
    assert time_text(at) == text
