"""``Metrics``: a snapshot of everything a consumer has counted and measured.

Counters only increase during the consumer's lifetime; gauges are current values. There are no rates: divide the
increase of a counter by the elapsed time. Each field has the name and unit that Apache Kafka's consumer uses, or a name
in the same style.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.metrics.specs import (
    counter,
    document_fields,
    duration,
    gauge,
    labelled,
    metric_group,
    metric_groups_by_key,
    samples,
)
from kafka_nextgen.metrics.timings import Latency
from kafka_nextgen.types import TopicPartition

__all__ = [
    "CommitMetrics",
    "ConnectionMetrics",
    "GroupMetrics",
    "Metrics",
    "PartitionMetrics",
    "PollingMetrics",
    "ReadingMetrics",
    "TopicMetrics",
]


@document_fields
@frozen(field_transformer=labelled("topic"))
class TopicMetrics:
    """Records of one topic that were handed over."""

    records: int = counter("topic-records-consumed-total", "{record}", "records handed over", ours=True)
    bytes: int = counter("topic-bytes-consumed-total", "By", "uncompressed bytes handed over", ours=True)


@document_fields
@frozen(field_transformer=labelled("topic", "partition"))
class PartitionMetrics:
    """The state of one assigned partition. None means not known yet."""

    position: int | None = gauge(
        "records-position", "1", "the offset of the next record to be handed over", ours=True, default=None
    )
    lag: int | None = gauge(
        "records-lag",
        "{record}",
        "offsets from the position to the end of the log that can be read",
        default=None,
    )
    lead: int | None = gauge(
        "records-lead", "{record}", "offsets between the beginning of the log and the position", default=None
    )
    buffered_records: int = gauge(
        "buffered-records", "{record}", "records that have arrived and wait to be handed over", ours=True
    )
    is_paused: bool = gauge("paused", "1", "1 if the application paused it", ours=True, default=False)


@document_fields
@frozen
class ReadingMetrics:
    """Fetching and handing over records, also by topic and partition."""

    records: int = counter("records-consumed-total", "{record}", "records handed over to the application")
    bytes: int = counter("bytes-consumed-total", "By", "bytes handed over, counted as in fetched_bytes")
    fetched_records: int = counter("fetched-records-total", "{record}", "records that arrived", ours=True)
    fetched_bytes: int = counter(
        "fetch-size-total", "By", "bytes that arrived, uncompressed and including batch overhead", ours=True
    )
    fetches: int = counter("fetch-total", "{request}", "fetch requests that were answered")
    failed_fetches: int = counter(
        "fetch-failed-total",
        "{request}",
        "fetch requests that got no response, an unreadable one, or a top-level error other than that of a session",
        ours=True,
    )
    fetch_latency: Latency = duration(
        "fetch-latency", "from sending a fetch to its answer, which waits for records up to fetch.max.wait.ms"
    )
    buffered_bytes: int = gauge(
        "buffered-bytes", "By", "memory of records that wait to be handed over; see fetch.buffer.bytes", ours=True
    )
    lag_max: int | None = gauge(
        "records-lag-max", "{record}", "the largest lag of an assigned partition now", default=None
    )
    topics: Mapping[str, TopicMetrics] = metric_groups_by_key(TopicMetrics)
    partitions: Mapping[TopicPartition, PartitionMetrics] = metric_groups_by_key(PartitionMetrics)


@document_fields
@frozen
class CommitMetrics:
    """Offset commits by the application and by auto-commit. One commit may take several requests."""

    commits: int = counter("commit-total", "{commit}", "commits that ended, successfully or not")
    failed: int = counter("commit-failed-total", "{commit}", "commits that failed", ours=True)
    latency: Latency = duration("commit-latency", "from the call to the result, including retries and pauses")


@document_fields
@frozen
class GroupMetrics:
    """The consumer's group membership."""

    heartbeats: int = counter("heartbeat-total", "{request}", "heartbeats sent")
    failed_heartbeats: int = counter(
        "heartbeat-failed-total", "{request}", "heartbeats refused by the coordinator, or lost", ours=True
    )
    heartbeat_latency: Latency = duration("heartbeat-response-time", "from sending a heartbeat to its answer")
    since_heartbeat_s: float | None = gauge(
        "last-heartbeat-seconds-ago", "s", "since the coordinator last answered without an error", default=None
    )
    rebalances: int = counter("rebalance-total", "{rebalance}", "completed rebalances")
    failed_rebalances: int = counter(
        "failed-rebalance-total",
        "{rebalance}",
        "those in which a callback or the commit failed, or the coordinator permanently refused the member",
    )
    rebalance_latency: Latency = duration("rebalance-latency", "from the beginning of a rebalance to its end")
    since_rebalance_s: float | None = gauge(
        "last-rebalance-seconds-ago", "s", "since the last rebalance ended", default=None
    )
    rebalances_by_cause: Mapping[str, int] = counter(
        "rebalance-cause-total",
        "{rebalance}",
        "completed rebalances, by cause",
        ours=True,
        default=dict,
        labels="cause",
    )
    assigned_partitions: int = gauge("assigned-partitions", "{partition}", "partitions assigned now")
    member_epoch: int = gauge(
        "member-epoch", "1", "the member epoch (classic: the generation), -1 outside the group", ours=True, default=-1
    )


@document_fields
@frozen
class PollingMetrics:
    """The application's polls. Iteration polls at least once a second while records are requested."""

    polls: int = counter("poll-total", "{call}", "polls begun", ours=True)
    between: Latency = duration(
        "time-between-poll", "between the beginnings of two polls; must stay below max.poll.interval.ms"
    )
    since_poll_s: float | None = gauge("last-poll-seconds-ago", "s", "since the last poll began", default=None)
    idle_ratio: float | None = gauge(
        "poll-idle-ratio-avg",
        "1",
        "the recent share of time (0 to 1) spent inside polls; near 0, most of the time is spent on processing",
        default=None,
    )
    callbacks: Latency = duration("rebalance-callback-time", "in the methods of the rebalance listener", ours=True)


@document_fields
@frozen
class ConnectionMetrics:
    """Connections to brokers, and their traffic."""

    open: int = gauge("connection-count", "{connection}", "connections open now")
    opened: int = counter("connection-creation-total", "{connection}", "connections opened")
    closed: int = counter("connection-close-total", "{connection}", "connections closed by either side")
    lost: int = counter(
        "connection-lost-total", "{connection}", "of these, connections that broke or timed out", ours=True
    )
    failed: int = counter("connection-failed-total", "{attempt}", "failed attempts to connect", ours=True)
    requests: int = counter("request-total", "{request}", "requests sent")
    answers: int = counter("response-total", "{request}", "answers received")
    request_latency: Latency = duration("request-latency", "from sending a request of any kind to its answer")
    bytes_out: int = counter("outgoing-byte-total", "By", "bytes sent")
    bytes_in: int = counter("incoming-byte-total", "By", "bytes received")
    throttled_ms: int = counter(
        "throttle-time-total", "ms", "throttle time that brokers requested, because of a quota (KIP-219)", ours=True
    )


@frozen
class Metrics:
    """The metrics of a consumer, in groups.

    ``group_id`` and ``client_id`` are its configured ones; they distinguish consumers.
    """

    reading: ReadingMetrics = metric_group(ReadingMetrics)
    commits: CommitMetrics = metric_group(CommitMetrics)
    group: GroupMetrics = metric_group(GroupMetrics)
    polling: PollingMetrics = metric_group(PollingMetrics)
    connections: ConnectionMetrics = metric_group(ConnectionMetrics)
    group_id: str | None = None
    client_id: str = ""

    def as_dict(self) -> dict[str, float]:
        """Return all known numbers by name, for exporters.

        Labels are part of the name, as in ``records-lag{topic="orders",partition="3"}``.
        """
        return {str(sample): sample.value for sample in samples(self)}
