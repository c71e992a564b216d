"""How often something happens, in all and of late."""

from __future__ import annotations

import pytest

from kafka_nextgen.metrics.timings import Meter


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
