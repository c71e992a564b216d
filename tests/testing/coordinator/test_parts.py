"""The small parts: overlay, timers, settings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.assignors import RangeAssignor
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.testing.coordinator.overlay import Overlay
from kafka_nextgen.testing.coordinator.settings import BEHAVIOUR, CoordinatorSettings, Profile
from kafka_nextgen.testing.coordinator.timers import Arm, Cancel, TimerKey, TimerKind, Timers

keys = st.integers(0, 5)
changes = st.lists(st.tuples(keys, st.none() | st.integers(1, 9)))


@given(st.dictionaries(keys, st.integers(1, 9)), changes)
def test_an_overlay_is_a_copy_that_costs_nothing(below: dict[int, int], changes: list[tuple[int, int | None]]) -> None:
    untouched, copy, overlay = dict(below), dict(below), Overlay(below)
    for key, value in changes:
        if value is None:
            assert overlay.pop(key, None) == copy.pop(key, None)
        else:
            overlay[key] = copy[key] = value
        assert dict(overlay) == copy
        assert len(overlay) == len(copy)
        assert [key in overlay for key in range(6)] == [key in copy for key in range(6)]
    assert below == untouched


def test_an_overlay_lacks_what_was_taken_out() -> None:
    overlay = Overlay({1: "one"})
    del overlay[1]
    with pytest.raises(KeyError):
        overlay[1]
    with pytest.raises(KeyError):
        del overlay[1]


SESSION_A = TimerKey("g", TimerKind.SESSION, "A")
SESSION_B = TimerKey("g", TimerKind.SESSION, "B")


def test_a_timer_runs_out_at_its_latest_deadline() -> None:
    timers = Timers()
    timers.change(Arm(SESSION_A, 10.0))
    timers.change(Arm(SESSION_B, 12.0))
    timers.change(Arm(SESSION_A, 15.0))
    assert timers.deadline() == 12.0
    assert timers.due(11.9) == []
    assert [timer.key for timer in timers.due(15.0)] == [SESSION_A, SESSION_B]
    timers.change(Cancel(SESSION_B))
    timers.change(Cancel(SESSION_B))
    assert timers.deadline() == 15.0


def test_a_million_heartbeats_leave_no_million_deadlines() -> None:
    timers = Timers()
    for now in range(1000):
        timers.change(Arm(SESSION_A, now + 45.0))
    assert len(timers._heap) < 100
    assert timers.deadline() == 999 + 45.0


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"group_consumer_heartbeat_interval_ms": 0}, "group.consumer.heartbeat.interval.ms"),
        ({"group_consumer_session_timeout_ms": 5000}, "group.consumer.session.timeout.ms"),
        ({"group_consumer_max_size": 0}, "group.consumer.max.size"),
        ({"group_consumer_assignors": ()}, "group.consumer.assignors"),
        ({"group_consumer_assignors": (RangeAssignor(), RangeAssignor())}, "group.consumer.assignors"),
        ({"group_consumer_assignment_interval_ms": 15_001}, "group.consumer.assignment.interval.ms"),
        ({"group_consumer_regex_refresh_interval_ms": 9_999}, "group.consumer.regex.refresh.interval.ms"),
        ({"offset_metadata_max_bytes": -1}, "offset.metadata.max.bytes"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(wrong: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError, match=key) as caught:
        CoordinatorSettings(**wrong)
    assert caught.value.key == key


def test_every_profile_has_its_behaviour() -> None:
    assert set(BEHAVIOUR) == set(Profile)
    assert CoordinatorSettings().profile is Profile.V4_4
    assert CoordinatorSettings(profile=Profile.V4_2).assignment_interval_ms == 0
