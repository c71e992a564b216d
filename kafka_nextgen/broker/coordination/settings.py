"""The coordinators' settings, taken from the broker's."""

from __future__ import annotations

from kafka_nextgen.broker.settings import BrokerSettings
from kafka_nextgen.coordinator.settings import CoordinatorSettings

__all__ = ["coordinator_settings"]


def coordinator_settings(settings: BrokerSettings) -> CoordinatorSettings:
    """The part of a broker's settings that its coordinator goes by."""
    return CoordinatorSettings(
        group_consumer_session_timeout_ms=settings.group_consumer_session_timeout_ms,
        group_consumer_heartbeat_interval_ms=settings.group_consumer_heartbeat_interval_ms,
        group_consumer_min_session_timeout_ms=settings.group_consumer_min_session_timeout_ms,
        group_consumer_max_session_timeout_ms=settings.group_consumer_max_session_timeout_ms,
        group_consumer_min_heartbeat_interval_ms=settings.group_consumer_min_heartbeat_interval_ms,
        group_consumer_max_heartbeat_interval_ms=settings.group_consumer_max_heartbeat_interval_ms,
        group_consumer_max_size=settings.group_consumer_max_size,
        group_consumer_assignors=settings.group_consumer_assignors,
        group_consumer_assignment_interval_ms=settings.group_consumer_assignment_interval_ms,
        group_consumer_min_assignment_interval_ms=settings.group_consumer_min_assignment_interval_ms,
        group_consumer_max_assignment_interval_ms=settings.group_consumer_max_assignment_interval_ms,
        group_consumer_regex_refresh_interval_ms=settings.group_consumer_regex_refresh_interval_ms,
        group_consumer_migration_policy=settings.group_consumer_migration_policy,
        group_min_session_timeout_ms=settings.group_min_session_timeout_ms,
        group_max_session_timeout_ms=settings.group_max_session_timeout_ms,
        group_initial_rebalance_delay_ms=settings.group_initial_rebalance_delay_ms,
        group_max_size=settings.group_max_size,
        offset_metadata_max_bytes=settings.offset_metadata_max_bytes,
        offsets_retention_minutes=settings.offsets_retention_minutes,
        offsets_retention_check_interval_ms=settings.offsets_retention_check_interval_ms,
        profile=settings.profile,
        extensions=settings.extensions,
        group_rebalance_history_size=settings.group_rebalance_history_size,
    )
