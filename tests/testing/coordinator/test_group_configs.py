"""What a group is given for itself, after the broker has come back with other bounds."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kafka_nextgen.testing.coordinator.group_configs import group_config_complaint, settings_of_group
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings

SETTINGS = CoordinatorSettings()
SESSION, HEARTBEAT, INTERVAL = (
    "consumer.session.timeout.ms",
    "consumer.heartbeat.interval.ms",
    "consumer.assignment.interval.ms",
)
TARGET_SIZE = "group.target.size"


@pytest.mark.parametrize(
    ("config", "session_ms", "heartbeat_ms", "interval_ms"),
    [
        ({}, 45_000, 5_000, 1_000),
        ({SESSION: 50_000, HEARTBEAT: 7_000, INTERVAL: 0}, 50_000, 7_000, 0),
        ({SESSION: 1, HEARTBEAT: 1}, 45_000, 5_000, 1_000),
        ({SESSION: 99_999, HEARTBEAT: 99_999, INTERVAL: 99_999}, 60_000, 15_000, 15_000),
    ],
)
def test_what_is_out_of_bounds_by_now_is_moved_to_the_nearest_that_is_allowed(
    config: Mapping[str, int], session_ms: int, heartbeat_ms: int, interval_ms: int
) -> None:
    settings = settings_of_group(config, SETTINGS)
    assert settings.group_consumer_session_timeout_ms == session_ms
    assert settings.group_consumer_heartbeat_interval_ms == heartbeat_ms
    assert settings.group_consumer_assignment_interval_ms == interval_ms


def test_a_session_that_would_not_outlast_an_interval_by_now_is_the_brokers_again() -> None:
    narrow = CoordinatorSettings(
        group_consumer_session_timeout_ms=9_000,
        group_consumer_min_session_timeout_ms=6_000,
        group_consumer_max_session_timeout_ms=9_000,
    )
    settings = settings_of_group({SESSION: 20_000, HEARTBEAT: 12_000, INTERVAL: 7}, narrow)
    assert settings.group_consumer_session_timeout_ms == 9_000
    assert settings.group_consumer_heartbeat_interval_ms == 5_000
    assert settings.group_consumer_assignment_interval_ms == 7


def test_intervals_are_looked_at_before_sessions() -> None:
    assert (group_config_complaint({SESSION: 1, HEARTBEAT: 1}, SETTINGS) or "").startswith(HEARTBEAT)
    assert group_config_complaint({SESSION: 50_000, INTERVAL: 15_000}, SETTINGS) is None


@pytest.mark.parametrize(("size", "bound"), [(0, "greater than or equal to 1"), (1, None), (201, "less than or equal")])
def test_a_target_size_is_at_least_1_and_at_most_the_largest_group(size: int, bound: str | None) -> None:
    settings = CoordinatorSettings(group_consumer_max_size=200)
    complaint = group_config_complaint({TARGET_SIZE: size}, settings)
    assert complaint is None if bound is None else f"{TARGET_SIZE} must be {bound}" in (complaint or "")
    assert settings_of_group({TARGET_SIZE: size}, settings).group_target_size == min(max(size, 1), 200)
