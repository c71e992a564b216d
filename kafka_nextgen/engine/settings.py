"""Creates the settings of each part of the engine from the consumer's configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.fetching import FetchSettings
from kafka_nextgen.properties.value_types import IsolationLevel
from kafka_nextgen.types import JoinReason
from kafka_nextgen.wire.records import RecordLimits

if TYPE_CHECKING:  # imported where needed: a manual assignment needs no member
    from kafka_nextgen.membership.assigning.settings import AssigningSettings
    from kafka_nextgen.membership.classic.settings import ClassicSettings
    from kafka_nextgen.membership.offsets.settings import OffsetSettings
    from kafka_nextgen.membership.settings import MemberSettings

__all__ = [
    "assigning_settings",
    "classic_settings",
    "fetch_settings",
    "member_settings",
    "offset_settings",
    "record_limits",
]

#: The lower bound for the limit of decompressed bytes: with default settings, no producer creates larger batches.
_LEAST_DECOMPRESSED_BYTES = 16 * 1024 * 1024
_COLUMN_BYTES = 2**31 - 1  # of one partition, including the uncompressed batches of its response
_BUFFERS_PER_ANSWER = 4  # most responses expand to less, so few partitions have to be fetched again


def member_settings(config: ConsumerConfig) -> MemberSettings:
    """Settings of a member of the consumer group protocol."""
    from kafka_nextgen.membership.settings import MemberSettings

    assert config.group_id, "a member has a group"
    return MemberSettings(
        group_id=config.group_id,
        instance_id=config.group_instance_id,
        rack_id=config.client_rack,
        rebalance_timeout_ms=config.rebalance_timeout_ms,
        server_assignor=config.group_remote_assignor,
        join_reason=_join_reason(config, restarts=not config.group_local_assignors),
        auto_commit=config.enable_auto_commit,
        max_poll_interval_s=config.max_poll_interval_ms / 1000,
        retry_backoff_s=config.retry_backoff_ms / 1000,
        retry_backoff_max_s=config.retry_backoff_max_ms / 1000,
        instance_id_retry_timeout_s=config.instance_id_retry_timeout_ms / 1000,
    )


def assigning_settings(config: ConsumerConfig) -> AssigningSettings:
    """Settings of local assignors."""
    from kafka_nextgen.membership.assigning.settings import AssigningSettings

    assert config.group_id, "a member has a group"
    return AssigningSettings(
        group_id=config.group_id,
        instance_id=config.group_instance_id,
        assignors=tuple(assignor.name for assignor in config.group_local_assignors),
        rebalance_timeout_s=config.rebalance_timeout_ms / 1000,
        request_timeout_s=config.request_timeout_ms / 1000,
        retry_backoff_s=config.retry_backoff_ms / 1000,
        retry_backoff_max_s=config.retry_backoff_max_ms / 1000,
    )


def classic_settings(config: ConsumerConfig) -> ClassicSettings:
    """Settings of a member of the classic protocol."""
    from kafka_nextgen.membership.classic.settings import ClassicSettings

    assert config.group_id, "a member has a group"
    return ClassicSettings(
        group_id=config.group_id,
        instance_id=config.group_instance_id,
        rack_id=config.client_rack,
        strategies=_strategies(config),
        local_assignors=frozenset(assignor.name for assignor in config.group_local_assignors),
        join_reason=_join_reason(config, restarts=True),
        session_timeout_ms=config.session_timeout_ms,
        heartbeat_interval_ms=config.heartbeat_interval_ms,
        rebalance_timeout_ms=config.rebalance_timeout_ms,
        auto_commit=config.enable_auto_commit,
        max_poll_interval_s=config.max_poll_interval_ms / 1000,
        retry_backoff_s=config.retry_backoff_ms / 1000,
        retry_backoff_max_s=config.retry_backoff_max_ms / 1000,
        request_timeout_s=config.request_timeout_ms / 1000,
        metadata_max_age_s=config.metadata_max_age_ms / 1000,
    )


def _join_reason(config: ConsumerConfig, *, restarts: bool) -> JoinReason:
    """The configured reason for the first join. The default is RESTART for a static member, if ``restarts``.

    In the draft "JoinReason" every newly started consumer states RESTART, but the coordinator can recognize only static
    ones. In the consumer protocol, RESTART would keep new metadata of local assignors from triggering an assignment.
    """
    if config.join_reason is not None:
        return config.join_reason
    return JoinReason.RESTART if restarts and config.group_instance_id is not None else JoinReason.UNKNOWN


def _strategies(config: ConsumerConfig) -> tuple[str, ...]:
    """The strategies that a member offers: local assignors first, which replace built-in ones of the same name."""
    own = tuple(assignor.name for assignor in config.group_local_assignors)
    return (*own, *(name for name in config.partition_assignment_strategy if name not in own))


def offset_settings(config: ConsumerConfig) -> OffsetSettings:
    """Settings of commits and committed offsets."""
    from kafka_nextgen.membership.offsets.settings import OffsetSettings

    return OffsetSettings(
        instance_id=config.group_instance_id,
        request_timeout_s=config.request_timeout_ms / 1000,
        retry_backoff_s=config.retry_backoff_ms / 1000,
        retry_backoff_max_s=config.retry_backoff_max_ms / 1000,
        auto_commit_interval_s=config.auto_commit_interval_ms / 1000 if config.enable_auto_commit else None,
        commits_again=True,
    )


def fetch_settings(config: ConsumerConfig) -> FetchSettings:
    """Settings of fetching."""
    return FetchSettings(
        reset=config.auto_offset_reset,
        new_partitions=config.auto_offset_reset_new_partitions,
        strict=config.offset_reset_strict,
        stores_offsets=not config.enable_auto_offset_store,
        read_committed=config.isolation_level is IsolationLevel.READ_COMMITTED,
        buffer_bytes=config.fetch_buffer_bytes,
        max_bytes=config.fetch_max_bytes,
        partition_max_bytes=config.max_partition_fetch_bytes,
        max_wait_ms=config.fetch_max_wait_ms,
        replica_lease_s=config.metadata_max_age_ms / 1000,
        retry_backoff_s=config.retry_backoff_ms / 1000,
        retry_backoff_max_s=config.retry_backoff_max_ms / 1000,
    )


def record_limits(config: ConsumerConfig) -> RecordLimits:
    """Memory limits for decompressed records: 2 kB of zstd can expand to 64 MiB."""
    wanted = min(config.fetch_buffer_bytes, _COLUMN_BYTES - config.receive_message_max_bytes)
    most = max(wanted, _LEAST_DECOMPRESSED_BYTES)
    return RecordLimits(most, _BUFFERS_PER_ANSWER * most)
