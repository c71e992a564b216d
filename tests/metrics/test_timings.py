"""Durations: all of them count for ever, average and longest only for a while."""

from __future__ import annotations

import pytest

from kafka_nextgen.metrics.timings import Latency, Meter, Timings


def noted(*durations: tuple[float, float]) -> Timings:
    """Timings of (took_s, now)."""
    timings = Timings()
    for took_s, now in durations:
        timings.note(took_s, now)
    return timings


def test_nothing_measured_has_no_average() -> None:
    assert Timings().latency(100.0) == Latency(0.0, None, None)


def test_average_and_longest_of_one_window() -> None:
    timings = noted((0.010, 0.0), (0.030, 1.0), (0.020, 2.0))
    assert timings.count == 3
    latency = timings.latency(2.0)
    assert (latency.total_ms, latency.avg_ms, latency.max_ms) == pytest.approx((60, 20, 30))


@pytest.mark.parametrize(
    ("now", "longest_ms"),
    [
        (31.0, 500),  # the window before counts as well
        (59.0, 500),
        (60.0, 100),  # until it is two windows old
        (90.0, 100),
        (91.0, None),
    ],
)
def test_what_was_long_ago_is_forgotten_but_for_the_total(now: float, longest_ms: float | None) -> None:
    latency = noted((0.5, 0.0), (0.1, 31.0)).latency(now)
    assert latency.total_ms == pytest.approx(600)
    assert latency.max_ms == (None if longest_ms is None else pytest.approx(longest_ms))


def test_after_a_silence_old_windows_do_not_come_back() -> None:
    timings = noted((9.0, 0.0), (0.1, 1000.0), (0.2, 1001.0))
    assert timings.latency(1001.0).max_ms == pytest.approx(200)
    assert timings.recent_s(1001.0) == pytest.approx(0.3)


# How often something happens, in all and of late.


def test_nothing_happened_yet() -> None:
    assert (Meter().count, Meter().rate(5.0)) == (0, 0.0)


def test_what_happened_in_less_than_a_window_is_taken_for_a_whole_one() -> None:
    meter = Meter()
    meter.note(15, now=100.0)
    assert meter.rate(100.0) == meter.rate(130.0) == pytest.approx(0.5)


def test_the_rate_is_that_of_the_last_two_windows_and_the_count_that_of_all_time() -> None:
    meter = Meter()
    meter.note(60, now=0.0)
    meter.note(60, now=30.0)
    assert meter.rate(60.0 - 1e-9) == pytest.approx(2.0)
    assert meter.rate(75.0) == pytest.approx(60 / 45)  # the first window is past
    meter.note(1, now=95.0)
    assert (meter.count, meter.rate(95.0)) == (121, pytest.approx(1 / 30))
    assert meter.rate(200.0) == 0.0
