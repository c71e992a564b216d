"""The metrics of a broker's coordinators: what they counted, and their current groups and partitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from kafka_nextgen.groups.listed import ListedGroup
from kafka_nextgen.metrics.coordinator_metrics import (
    CoordinatorMetrics,
    GroupCounts,
    OffsetCounts,
    RebalanceCounts,
    RuntimeMetrics,
)
from kafka_nextgen.metrics.timings import WINDOW_S
from kafka_nextgen.testing.broker.coordination.meters import Meters
from kafka_nextgen.testing.broker.coordination.shard import Shard, Standing
from kafka_nextgen.testing.coordinator.classic.group import ClassicStatus
from kafka_nextgen.testing.coordinator.describe import list_groups
from kafka_nextgen.testing.coordinator.requests import ListGroups

__all__ = ["measure"]

_PROTOCOLS = ("consumer", "classic")
_STATES = ("empty", "assigning", "reconciling", "stable", "dead")
_CLASSIC_STATES = tuple(status.value.lower() for status in ClassicStatus)
_STANDINGS = {Standing.LOADING: "loading", Standing.ACTIVE: "active", Standing.OVER: "failed"}


def measure(shards: Collection[Shard], meters: Meters, began: float, now: float) -> CoordinatorMetrics:
    """The metrics at ``now`` of coordinators that have run since ``began`` (seconds)."""
    groups = [group for shard in shards for group in shard.coordinator.groups.values()]
    return CoordinatorMetrics(
        groups=_groups(list_groups(groups, ListGroups()).groups),
        rebalances=RebalanceCounts(
            consumer=meters.rebalances.count,
            consumer_rate=meters.rebalances.rate(now),
            classic=meters.classic_rebalances.count,
            classic_rate=meters.classic_rebalances.rate(now),
        ),
        offsets=OffsetCounts(
            kept=sum(len(group.offsets) for group in groups),
            committed=meters.commits.count,
            commit_rate=meters.commits.rate(now),
            expired=meters.expirations.count,
            expiration_rate=meters.expirations.rate(now),
            deleted=meters.deletions.count,
            deletion_rate=meters.deletions.rate(now),
        ),
        runtime=RuntimeMetrics(
            partitions=_counted(_STANDINGS.values(), (_STANDINGS[shard.standing] for shard in shards)),
            queue_size=sum(shard.waiting_events() for shard in shards),
            load_time=meters.loading.latency(now),
            processing_time=meters.processing.latency(now),
            flush_time=meters.flushing.latency(now),
            idle_ratio=_idle_ratio(meters, began, now),
        ),
    )


def _groups(listed: Collection[ListedGroup]) -> GroupCounts:
    consumer = [group.state.lower() for group in listed if group.group_type == "consumer"]
    classic = [group.state.lower() for group in listed if group.group_type == "classic"]
    return GroupCounts(
        by_protocol=_counted(_PROTOCOLS, (group.group_type for group in listed)),
        consumer=_counted(_STATES, consumer),
        classic=_counted(_CLASSIC_STATES, classic),
    )


def _counted(names: Iterable[str], found: Iterable[str]) -> dict[str, int]:
    """The count of each name, even if it is 0: an alert on a metric that was never reported would not fire."""
    return {**dict.fromkeys(names, 0), **Counter(found)}


def _idle_ratio(meters: Meters, began: float, now: float) -> float:
    seconds = min(now - began, 2 * WINDOW_S)
    return 1.0 if seconds <= 0 else max(0.0, 1.0 - meters.processing.recent_s(now) / seconds)
