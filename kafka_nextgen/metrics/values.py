"""``Metrics``: what a consumer has counted and measured, as one value.

Counters only grow, as long as the consumer lives; gauges are as of the moment they were read. There are no rates:
whoever draws them divides the growth of a counter by the time. Each field names itself, with its unit, as a consumer
of Apache Kafka does; where that has no such number, the name is in the same style.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from kafka_nextgen.metrics.fields import Kind, described, metric, one, one_for_each
from kafka_nextgen.metrics.sampling import samples
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

COUNTER, GAUGE, LATENCY = Kind.COUNTER, Kind.GAUGE, Kind.LATENCY


@described
@frozen
class TopicMetrics:
    """What was handed over of one topic."""

    records: int = metric(
        "topic-records-consumed-total", COUNTER, "{record}", "records handed over", ours=True, labels="topic"
    )
    bytes: int = metric(
        "topic-bytes-consumed-total", COUNTER, "By", "uncompressed bytes handed over", ours=True, labels="topic"
    )


@described
@frozen
class PartitionMetrics:
    """Where one assigned partition stands. None is what is not known yet."""

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


@described
@frozen
class ReadingMetrics:
    """Fetching and handing over. ``topics`` and ``partitions`` have what is known of each."""

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
    topics: Mapping[str, TopicMetrics] = one_for_each(TopicMetrics)
    partitions: Mapping[TopicPartition, PartitionMetrics] = one_for_each(PartitionMetrics)


@described
@frozen
class CommitMetrics:
    """Commits of offsets, by the application and by auto-commit. One commit may take several requests."""

    commits: int = metric("commit-total", COUNTER, "{commit}", "commits that ended, successfully or not")
    failed: int = metric("commit-failed-total", COUNTER, "{commit}", "commits that failed", ours=True)
    latency: Latency = metric(
        "commit-latency", LATENCY, "ms", "from the call to the end, with every repetition and pause", default=Latency
    )


@described
@frozen
class GroupMetrics:
    """The member's life in its group."""

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


@described
@frozen
class PollingMetrics:
    """What the application does. Iteration polls at least once a second as long as records are asked for."""

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


@described
@frozen
class ConnectionMetrics:
    """The connections to brokers, and what went over them."""

    open: int = metric("connection-count", GAUGE, "{connection}", "connections open now")
    opened: int = metric("connection-creation-total", COUNTER, "{connection}", "connections opened")
    closed: int = metric(
        "connection-close-total", COUNTER, "{connection}", "connections that ended, whoever ended them"
    )
    lost: int = metric(
        "connection-lost-total", COUNTER, "{connection}", "of these, connections that broke or timed out", ours=True
    )
    failed: int = metric(
        "connection-failed-total", COUNTER, "{attempt}", "attempts to connect that came to nothing", ours=True
    )
    requests: int = metric("request-total", COUNTER, "{request}", "requests sent")
    answers: int = metric("response-total", COUNTER, "{request}", "answers received")
    request_latency: Latency = metric(
        "request-latency", LATENCY, "ms", "from sending a request, of whatever kind, to its answer", default=Latency
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
    """What a consumer has counted and measured until now: see each group.

    ``group_id`` and ``client_id`` are those it was configured with; they tell consumers apart.
    """

    reading: ReadingMetrics = one(ReadingMetrics)
    commits: CommitMetrics = one(CommitMetrics)
    group: GroupMetrics = one(GroupMetrics)
    polling: PollingMetrics = one(PollingMetrics)
    connections: ConnectionMetrics = one(ConnectionMetrics)
    group_id: str | None = None
    client_id: str = ""

    def as_dict(self) -> dict[str, float]:
        """Everything that is known, by name; for exporters.

        Numbers of a topic, a partition or a cause have it in their name, as in ``records-lag{topic="orders",
        partition="3"}``. What is not known yet is left out.
        """
        return {str(sample): sample.value for sample in samples(self)}
