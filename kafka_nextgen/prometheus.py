"""Metrics in the text format of Prometheus. Requires the ``kafka-nextgen[prometheus]`` extra.

    from kafka_nextgen.prometheus import MetricsCollector, prometheus_text, serve

    print(prometheus_text(consumer.metrics()))
    with serve(consumer.metrics, port=9404):
        ...
    prometheus_client.REGISTRY.register(MetricsCollector(consumer.metrics, another.metrics))

Metrics have Kafka's names with underscores and the prefix ``kafka_consumer_`` or ``kafka_group_coordinator_``. Counters
end in ``_total``, as the format requires, instead of ``_count``. A consumer's metrics have the labels ``group`` and
``client_id``, some also ``topic``, ``partition`` or ``cause``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.metrics.consumer_metrics import Metrics
from kafka_nextgen.metrics.coordinator_metrics import CoordinatorMetrics
from kafka_nextgen.metrics.specs import MetricKind, MetricSpec, samples

try:
    from prometheus_client import CollectorRegistry, generate_latest, start_http_server
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
    from prometheus_client.metrics_core import Metric
    from prometheus_client.registry import Collector
except ModuleNotFoundError as missing:
    raise ImportError(
        "kafka_nextgen.prometheus needs prometheus-client: pip install 'kafka-nextgen[prometheus]'"
    ) from missing

__all__ = ["AnyMetrics", "MetricsCollector", "Read", "prometheus_text", "serve"]

#: What is exported: the metrics of a consumer, or of a broker's coordinators.
AnyMetrics = Metrics | CoordinatorMetrics

#: Returns current metrics, such as ``consumer.metrics``; called on the threads that serve scrapes.
Read = Callable[[], AnyMetrics]

_PREFIXES: dict[type[object], str] = {Metrics: "kafka_consumer", CoordinatorMetrics: "kafka_group_coordinator"}
_COUNTER_ENDINGS = ("_total", "_count")  # endings of Kafka's names; the format adds its own


class MetricsCollector(Collector):
    """Collects the metrics of all consumers of a process for one registry, which allows each metric family only once.

    Calls ``add`` for each of ``reads``.
    """

    def __init__(self, *reads: Read) -> None:
        self._reads: tuple[Read, ...] = ()
        for read in reads:
            self.add(read)

    def add(self, read: Read) -> None:
        """Add a consumer, or the group coordinators of a broker.

        Reads all metrics once, and raises ConfigError if another source has the same labels.
        """
        if self._reads:
            self._check_new(*_identity(read()))
        self._reads += (read,)

    def remove(self, read: Read) -> None:
        """Remove a source, if it was added."""
        self._reads = tuple(other for other in self._reads if other != read)

    def describe(self) -> Iterator[Metric]:
        """Return nothing: the names are unique, and registering must not read metrics."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Read each consumer once, and return all metric families."""
        families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
        for read in self._reads:
            metrics = read()
            prefix, labels = _identity(metrics)
            for sample in samples(metrics):
                name = f"{prefix}_{_name(sample.spec)}"
                if name not in families:
                    families[name] = _family(name, sample.spec, labels)
                families[name].add_metric((*labels.values(), *sample.labels), sample.value)
        return iter(families.values())

    def _check_new(self, prefix: str, labels: Mapping[str, str]) -> None:
        if any(_identity(other()) == (prefix, labels) for other in self._reads):
            shown = ", ".join(f"{name}={value!r}" for name, value in labels.items())
            raise ConfigError(
                f"metrics {prefix}_*{{{shown}}} are already collected; give each consumer a different client.id",
                "client.id",
            )


def prometheus_text(metrics: AnyMetrics) -> str:
    """Return the metrics of a consumer or of group coordinators, as a scrape returns them."""
    return generate_latest(_registry(lambda: metrics)).decode()


@contextmanager
def serve(read: Read, port: int, host: str = "127.0.0.1") -> Iterator[int]:
    """Serve the metrics of ``read`` over HTTP while the block runs; yields the port.

    Port 0 lets the system choose. Raises OSError if the address can't be used.
    """
    server, thread = start_http_server(port, host, _registry(read))
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _registry(read: Read) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(MetricsCollector(read))
    return registry


def _identity(metrics: AnyMetrics) -> tuple[str, Mapping[str, str]]:
    """Return the prefix of the metrics' names, and their common labels."""
    prefix = _PREFIXES[type(metrics)]
    if isinstance(metrics, Metrics):
        return prefix, {"group": metrics.group_id or "", "client_id": metrics.client_id}
    return prefix, {}


def _family(name: str, spec: MetricSpec, labels: Mapping[str, str]) -> CounterMetricFamily | GaugeMetricFamily:
    kind = CounterMetricFamily if spec.kind is MetricKind.COUNTER else GaugeMetricFamily
    return kind(name, f"{spec.meaning} ({spec.unit})", labels=(*labels, *spec.labels))


def _name(spec: MetricSpec) -> str:
    name = spec.name.replace("-", "_")
    if spec.kind is MetricKind.COUNTER:
        for ending in _COUNTER_ENDINGS:
            name = name.removesuffix(ending)
    return name
