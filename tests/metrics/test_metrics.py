"""``Metrics`` as names and numbers, and what each name says of itself."""

from __future__ import annotations

import re

from kafka_nextgen import (
    ConnectionMetrics,
    GroupMetrics,
    Latency,
    Metrics,
    PartitionMetrics,
    ReadingMetrics,
    TopicMetrics,
    TopicPartition,
)
from kafka_nextgen.metrics.specs import MetricKind, samples, specs

ORDERS_3 = TopicPartition("orders", 3)
UCUM = re.compile(r"1|s|ms|By|\{[a-z]+\}")


def test_what_is_not_known_is_left_out() -> None:
    names = Metrics().as_dict()
    assert names["records-consumed-total"] == 0
    assert names["fetch-latency-total"] == 0
    assert not {"records-lag-max", "last-poll-seconds-ago", "fetch-latency-avg"} & names.keys()


def test_a_topic_a_partition_and_a_cause_are_in_the_name() -> None:
    metrics = Metrics(
        reading=ReadingMetrics(
            topics={"orders": TopicMetrics(7, 700)},
            partitions={ORDERS_3: PartitionMetrics(position=40, lag=2, is_paused=True)},
        ),
        group=GroupMetrics(rebalances_by_cause={"joined": 1}),
    )
    names = metrics.as_dict()
    assert names['topic-records-consumed-total{topic="orders"}'] == 7
    assert names['records-lag{topic="orders",partition="3"}'] == 2
    assert names['rebalance-cause-total{cause="joined"}'] == 1
    assert str(names['paused{topic="orders",partition="3"}']) == "1"
    assert 'records-lead{topic="orders",partition="3"}' not in names


def test_a_latency_is_a_counter_and_two_gauges() -> None:
    metrics = Metrics(connections=ConnectionMetrics(request_latency=Latency(120.0, 40.0, 100.0)))
    found = {one.spec.name: (one.spec.kind, one.value) for one in samples(metrics) if "request-latency" in str(one)}
    assert found == {
        "request-latency-total": (MetricKind.COUNTER, 120.0),
        "request-latency-avg": (MetricKind.GAUGE, 40.0),
        "request-latency-max": (MetricKind.GAUGE, 100.0),
    }


def test_every_number_has_a_name_of_its_own_a_unit_and_a_meaning() -> None:
    found = list(specs(Metrics))
    assert len({spec.name for spec in found}) == len(found) > 50
    assert [spec.name for spec in found if not (UCUM.fullmatch(spec.unit) and spec.meaning)] == []
    assert {sample.spec.name for sample in samples(Metrics())} < {spec.name for spec in found}


def test_counters_say_so_by_their_name() -> None:
    wrong = [spec.name for spec in specs(Metrics) if (spec.kind is MetricKind.COUNTER) != spec.name.endswith("-total")]
    assert wrong == []


def test_help_tells_unit_and_kafkas_name() -> None:
    assert "heartbeats: heartbeats sent (heartbeat-total, counter, {request})." in (GroupMetrics.__doc__ or "")
    assert "not one of Kafka's" in (TopicMetrics.__doc__ or "")
