"""``Metrics``: a snapshot of everything a consumer has counted and measured.

Counters only grow while the consumer lives; gauges are current values. There are no rates: divide the growth of a
counter by the time. Each field has the name and unit that Apache Kafka's consumer uses, or a name in the same style.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from kafka_nextgen.metrics.specs import MetricKind, document_fields, metric, metric_group, metric_groups_by_key, samples
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

COUNTER, GAUGE, LATENCY = MetricKind.COUNTER, MetricKind.GAUGE, MetricKind.LATENCY


@document_fields
@frozen
class TopicMetrics:
    """Records of one topic that were handed over."""

    records: int = metric(
        "topic-records-consumed-total", COUNTER, "{record}", "records handed over", ours=True, labels="topic"
    )
    bytes: int = metric(
        "topic-bytes-consumed-total", COUNTER, "By", "uncompressed bytes handed over", ours=True, labels="topic"
    )


@document_fields
@frozen
class PartitionMetrics:
    """The state of one assigned partition. None means not known yet."""

    position: int | None = metric(
        "records-position",
        GAUGE,
        "1",
        "the offset of the next record to be handed over",
        ours=True,
        default=None,
        labels="topic partition",
    )
    lag: int | None = metric(
        "records-lag",
        GAUGE,
        "{record}",
        "offsets between the position and the end of the log at its last fetch",
        default=None,
        labels="topic partition",
    )
    lead: int | None = metric(
        "records-lead",
        GAUGE,
        "{record}",
        "offsets between the beginning of the log and the position",
        default=None,
        labels="topic partition",
    )
    buffered_records: int = metric(
        "buffered-records",
        GAUGE,
        "{record}",
        "records that have arrived and wait to be handed over",
        ours=True,
        labels="topic partition",
    )
    is_paused: bool = metric(
        "paused", GAUGE, "1", "1 if the application paused it", ours=True, default=False, labels="topic partition"
    )


@document_fields
@frozen
class ReadingMetrics:
    """Fetching and handing over records, also by topic and partition."""

    records: int = metric("records-consumed-total", COUNTER, "{record}", "records handed over to the application")
    bytes: int = metric("bytes-consumed-total", COUNTER, "By", "bytes handed over, counted as in fetched_bytes")
    fetched_records: int = metric("fetched-records-total", COUNTER, "{record}", "records that arrived", ours=True)
    fetched_bytes: int = metric(
        "fetch-size-total", COUNTER, "By", "bytes that arrived, uncompressed and with what batches add", ours=True
    )
    fetches: int = metric("fetch-total", COUNTER, "{request}", "fetch requests that were answered")
    failed_fetches: int = metric(
        "fetch-failed-total",
        COUNTER,
        "{request}",
        "fetch requests without an answer, or whose answer can't be read or refuses them as a whole",
        ours=True,
    )
    fetch_latency: Latency = metric(
        "fetch-latency",
        LATENCY,
        "ms",
        "from sending a fetch to its answer, which waits for records up to fetch.max.wait.ms",
        default=Latency,
    )
    buffered_bytes: int = metric(
        "buffered-bytes", GAUGE, "By", "memory taken by what waits to be handed over; see fetch.buffer.bytes", ours=True
    )
    lag_max: int | None = metric(
        "records-lag-max", GAUGE, "{record}", "the largest lag of an assigned partition now", default=None
    )
    topics: Mapping[str, TopicMetrics] = metric_groups_by_key(TopicMetrics)
    partitions: Mapping[TopicPartition, PartitionMetrics] = metric_groups_by_key(PartitionMetrics)


@document_fields
@frozen
class CommitMetrics:
    """Offset commits by the application and by auto-commit. One commit may take several requests."""

    commits: int = metric("commit-total", COUNTER, "{commit}", "commits that ended, successfully or not")
    failed: int = metric("commit-failed-total", COUNTER, "{commit}", "commits that failed", ours=True)
    latency: Latency = metric(
        "commit-latency", LATENCY, "ms", "from the call to the end, with every repetition and pause", default=Latency
    )


@document_fields
@frozen
class GroupMetrics:
    """The member in its group."""

    heartbeats: int = metric("heartbeat-total", COUNTER, "{request}", "heartbeats sent")
    failed_heartbeats: int = metric(
        "heartbeat-failed-total", COUNTER, "{request}", "heartbeats refused by the coordinator, or lost", ours=True
    )
    heartbeat_latency: Latency = metric(
        "heartbeat-response-time", LATENCY, "ms", "from sending a heartbeat to its answer", default=Latency
    )
    since_heartbeat_s: float | None = metric(
        "last-heartbeat-seconds-ago", GAUGE, "s", "since the coordinator last answered without an error", default=None
    )
    rebalances: int = metric("rebalance-total", COUNTER, "{rebalance}", "rebalances that are over")
    failed_rebalances: int = metric(
        "failed-rebalance-total",
        COUNTER,
        "{rebalance}",
        "those in which a callback or the commit failed, or the coordinator refused the member for good",
    )
    rebalance_latency: Latency = metric(
        "rebalance-latency", LATENCY, "ms", "from the beginning of a rebalance to its end", default=Latency
    )
    since_rebalance_s: float | None = metric(
        "last-rebalance-seconds-ago", GAUGE, "s", "since the last rebalance ended", default=None
    )
    rebalances_by_cause: Mapping[str, int] = metric(
        "rebalance-cause-total",
        COUNTER,
        "{rebalance}",
        "rebalances that are over, by cause",
        ours=True,
        default=dict,
        labels="cause",
    )
    assigned_partitions: int = metric("assigned-partitions", GAUGE, "{partition}", "partitions assigned now")
    member_epoch: int = metric(
        "member-epoch",
        GAUGE,
        "1",
        "the member epoch (classic: the generation), -1 outside the group",
        ours=True,
        default=-1,
    )


@document_fields
@frozen
class PollingMetrics:
    """The application's polls. Iteration polls at least once a second while records are requested."""

    polls: int = metric("poll-total", COUNTER, "{call}", "polls begun", ours=True)
    between: Latency = metric(
        "time-between-poll",
        LATENCY,
        "ms",
        "from the beginning of a poll to that of the next; must stay below max.poll.interval.ms",
        default=Latency,
    )
    since_poll_s: float | None = metric("last-poll-seconds-ago", GAUGE, "s", "since the last poll began", default=None)
    idle_ratio: float | None = metric(
        "poll-idle-ratio-avg",
        GAUGE,
        "1",
        "the part of the time (0 to 1) spent inside polls of late; near 0, processing is what takes the time",
        default=None,
    )
    callbacks: Latency = metric(
        "rebalance-callback-time", LATENCY, "ms", "in the methods of the rebalance listener", ours=True, default=Latency
    )


@document_fields
@frozen
class ConnectionMetrics:
    """Connections to brokers, and their traffic."""

    open: int = metric("connection-count", GAUGE, "{connection}", "connections open now")
    opened: int = metric("connection-creation-total", COUNTER, "{connection}", "connections opened")
    closed: int = metric("connection-close-total", COUNTER, "{connection}", "connections that ended, on either side")
    lost: int = metric(
        "connection-lost-total", COUNTER, "{connection}", "of these, connections that broke or timed out", ours=True
    )
    failed: int = metric(
        "connection-failed-total", COUNTER, "{attempt}", "attempts to connect that came to nothing", ours=True
    )
    requests: int = metric("request-total", COUNTER, "{request}", "requests sent")
    answers: int = metric("response-total", COUNTER, "{request}", "answers received")
    request_latency: Latency = metric(
        "request-latency", LATENCY, "ms", "from sending a request of any kind to its answer", default=Latency
    )
    bytes_out: int = metric("outgoing-byte-total", COUNTER, "By", "bytes sent")
    bytes_in: int = metric("incoming-byte-total", COUNTER, "By", "bytes received")
    throttled_ms: int = metric(
        "throttle-time-total",
        COUNTER,
        "ms",
        "for which brokers asked to be left alone because of a quota (KIP-219)",
        ours=True,
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
