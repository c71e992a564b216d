"""Metrics as Prometheus reads them."""

from __future__ import annotations

from urllib.request import urlopen

import pytest
from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from kafka_nextgen import Consumer
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.metrics.consumer_metrics import Metrics, PartitionMetrics, ReadingMetrics
from kafka_nextgen.metrics.coordinator_metrics import CoordinatorMetrics, GroupCounts, OffsetCounts, RuntimeMetrics
from kafka_nextgen.metrics.timings import Latency
from kafka_nextgen.prometheus import AnyMetrics, MetricsCollector, prometheus_text, serve
from kafka_nextgen.types import TopicPartition
from tests.support.waiting import GUARD_S

COORDINATOR = CoordinatorMetrics(
    groups=GroupCounts(by_protocol={"consumer": 2, "classic": 1}),
    offsets=OffsetCounts(committed=7, commit_rate=0.5),
    runtime=RuntimeMetrics(load_time=Latency(30.0, 10.0, 20.0)),
)


def numbers(text: str) -> dict[str, float]:
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {f"{sample.name}{sorted(sample.labels.items()) or ''}": sample.value for sample in samples}


def test_names_are_kafkas_with_a_prefix_and_counters_end_in_total() -> None:
    found = numbers(prometheus_text(COORDINATOR))
    assert found["kafka_group_coordinator_group_count[('protocol', 'consumer')]"] == 2
    assert found["kafka_group_coordinator_offset_commit_total"] == 7
    assert found["kafka_group_coordinator_offset_commit_rate"] == 0.5
    assert found["kafka_group_coordinator_partition_load_time_total"] == 30
    assert found["kafka_group_coordinator_partition_load_time_max"] == 20


def test_what_is_not_known_is_left_out() -> None:
    assert "kafka_group_coordinator_event_processing_time_ms_max" not in prometheus_text(COORDINATOR)


def test_a_family_says_what_it_is() -> None:
    families = {family.name: family for family in text_string_to_metric_families(prometheus_text(COORDINATOR))}
    commits = families["kafka_group_coordinator_offset_commit"]
    assert (commits.type, commits.documentation) == ("counter", "offsets that were committed ({offset})")
    assert families["kafka_group_coordinator_group_count"].type == "gauge"


def test_a_consumers_numbers_have_its_partitions_as_labels() -> None:
    partitions = {TopicPartition(topic, 3): PartitionMetrics(lag=5) for topic in ("orders", 'odd"name')}
    reading = ReadingMetrics(records=9, partitions=partitions)
    found = numbers(prometheus_text(Metrics(reading=reading, group_id="billing", client_id="one")))
    own = "('client_id', 'one'), ('group', 'billing')"
    assert found[f"kafka_consumer_records_consumed_total[{own}]"] == 9
    assert found[f"kafka_consumer_records_lag[{own}, ('partition', '3'), ('topic', 'orders')]"] == 5
    assert found[f"kafka_consumer_records_lag[{own}, ('partition', '3'), ('topic', 'odd\"name')]"] == 5


def consumed(records: int, client_id: str) -> Metrics:
    return Metrics(reading=ReadingMetrics(records=records), group_id="billing", client_id=client_id)


def test_the_consumers_of_a_process_share_a_registry() -> None:
    registry = CollectorRegistry()
    Counter("orders", "of the application", registry=registry).inc()
    one, two = consumed(1, "one"), consumed(2, "two")
    collector = MetricsCollector(read_one := lambda: one)
    registry.register(collector)
    collector.add(lambda: two)
    text = generate_latest(registry).decode()
    assert text.count("# TYPE kafka_consumer_records_consumed_total counter") == 1
    found = numbers(text)
    assert found["orders_total"] == 1
    assert found["kafka_consumer_records_consumed_total[('client_id', 'one'), ('group', 'billing')]"] == 1
    assert found["kafka_consumer_records_consumed_total[('client_id', 'two'), ('group', 'billing')]"] == 2
    collector.remove(read_one)
    assert 'client_id="one"' not in generate_latest(registry).decode()


@pytest.mark.parametrize("metrics", [consumed(1, "one"), COORDINATOR])
def test_what_could_not_be_told_apart_is_refused(metrics: AnyMetrics) -> None:
    collector = MetricsCollector(lambda: metrics)
    with pytest.raises(ConfigError, match=r"are already collected; give each consumer a different client\.id"):
        collector.add(lambda: metrics)
    MetricsCollector(lambda: metrics, lambda: consumed(1, "another"))


def test_a_consumer_says_who_it_is() -> None:
    with Consumer(bootstrap_servers="127.0.0.1:1", group_id="billing", client_id="one") as consumer:
        assert (consumer.metrics().group_id, consumer.metrics().client_id) == ("billing", "one")


def test_every_scrape_reads_anew_and_the_port_is_free_afterwards() -> None:
    counts = iter(range(1, 10))

    def read() -> AnyMetrics:
        return CoordinatorMetrics(offsets=OffsetCounts(committed=next(counts)))

    def scrape(port: int) -> float:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=GUARD_S) as answer:
            return numbers(answer.read().decode())["kafka_group_coordinator_offset_commit_total"]

    with serve(read, port=0) as port:
        assert [scrape(port), scrape(port)] == [1, 2]
    with serve(read, port=port) as same:
        assert (same, scrape(same)) == (port, 3)
    with serve(read, port=0) as port, pytest.raises(OSError, match="in use"), serve(read, port):
        pass
