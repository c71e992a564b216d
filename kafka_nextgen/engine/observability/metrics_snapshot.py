"""Converts the counters of a consumer to a ``Metrics`` value, without blocking; imported on first use."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.engine.member.member_driver import MemberDriver
from kafka_nextgen.engine.observability.counters import Counters, FetchCounters, GroupCounters, PollCounters
from kafka_nextgen.engine.observability.health import since
from kafka_nextgen.fetching import FetchProgress, PartitionProgress
from kafka_nextgen.metrics.consumer_metrics import (
    CommitMetrics,
    ConnectionMetrics,
    GroupMetrics,
    Metrics,
    PartitionMetrics,
    PollingMetrics,
    ReadingMetrics,
    TopicMetrics,
)
from kafka_nextgen.transport.traffic import Traffic

__all__ = ["collect_metrics"]


def collect_metrics(
    counters: Counters, progress: FetchProgress, traffic: Traffic, driver: MemberDriver[Any] | None, now: float
) -> Metrics:
    """Create the metrics from all counters; ``now`` is in monotonic seconds."""
    commits = counters.commits
    return Metrics(
        reading=_reading(counters.fetches, progress, now),
        commits=CommitMetrics(commits.latency.count, commits.failed, commits.latency.latency(now)),
        group=_group(counters.group, progress, driver, now),
        polling=_polling(counters.polls, now),
        connections=_connections(traffic, now),
    )


def _reading(fetches: FetchCounters, progress: FetchProgress, now: float) -> ReadingMetrics:
    handed_over = progress.handed_over.values()
    partitions = {tp: _partition(standing) for tp, standing in progress.partitions.items()}
    return ReadingMetrics(
        records=sum(topic.records for topic in handed_over),
        bytes=sum(topic.bytes for topic in handed_over),
        fetched_records=fetches.records + progress.received.records,
        fetched_bytes=fetches.bytes + progress.received.bytes,
        fetches=fetches.latency.count,
        failed_fetches=fetches.failed,
        fetch_latency=fetches.latency.latency(now),
        buffered_bytes=progress.buffered_bytes,
        lag_max=max((one.lag for one in partitions.values() if one.lag is not None), default=None),
        topics={name: TopicMetrics(topic.records, topic.bytes) for name, topic in progress.handed_over.items()},
        partitions=partitions,
    )


def _partition(standing: PartitionProgress) -> PartitionMetrics:
    return PartitionMetrics(
        standing.position, standing.lag, standing.lead, standing.buffered_records, standing.is_paused
    )


def _group(group: GroupCounters, progress: FetchProgress, driver: MemberDriver[Any] | None, now: float) -> GroupMetrics:
    last_heartbeat_at = None if driver is None else driver.last_heartbeat_at
    return GroupMetrics(
        heartbeats=group.heartbeats,
        failed_heartbeats=group.failed,
        heartbeat_latency=group.latency.latency(now),
        since_heartbeat_s=since(last_heartbeat_at, now),
        rebalances=group.rebalance_latency.count,
        failed_rebalances=group.failed_rebalances,
        rebalance_latency=group.rebalance_latency.latency(now),
        since_rebalance_s=since(group.rebalanced_at, now),
        rebalances_by_cause={cause.value: count for cause, count in group.by_cause.items()},
        assigned_partitions=len(progress.partitions),
        member_epoch=-1 if driver is None else driver.member.member_epoch,
    )


def _polling(polls: PollCounters, now: float) -> PollingMetrics:
    between_s = polls.between.recent_s(now)
    return PollingMetrics(
        polls=polls.polls,
        between=polls.between.latency(now),
        since_poll_s=since(polls.began_at, now),
        idle_ratio=min(1.0, polls.inside.recent_s(now) / between_s) if between_s else None,
        callbacks=polls.callbacks.latency(now),
    )


def _connections(traffic: Traffic, now: float) -> ConnectionMetrics:
    return ConnectionMetrics(
        open=traffic.opened - traffic.closed,
        opened=traffic.opened,
        closed=traffic.closed,
        lost=traffic.lost,
        failed=traffic.failed,
        requests=traffic.requests,
        answers=traffic.answers,
        request_latency=traffic.latency.latency(now),
        bytes_out=traffic.bytes_out,
        bytes_in=traffic.bytes_in,
        throttled_ms=traffic.throttled_ms,
    )
