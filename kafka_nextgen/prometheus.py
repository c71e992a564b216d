"""Metrics in the text format of Prometheus. Needs the extra ``kafka-nextgen[prometheus]``.

    from kafka_nextgen.prometheus import prometheus_text, serve

    print(prometheus_text(consumer.metrics()))
    with serve(consumer.metrics, port=9404):
        ...

A metric is called by Kafka's name with underscores, behind ``kafka_consumer_`` or ``kafka_group_coordinator_``.
Counters end in ``_total``, as the format wants it, and not in ``_count`` as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kafka_nextgen.metrics import Kind, Metrics, MetricSpec, Sample, samples, specs
from kafka_nextgen.metrics.coordinator import CoordinatorMetrics

try:
    from prometheus_client import CollectorRegistry, generate_latest, start_http_server
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
    from prometheus_client.metrics_core import Metric
    from prometheus_client.registry import Collector
except ModuleNotFoundError as missing:
    raise ImportError(
        "kafka_nextgen.prometheus needs prometheus-client: pip install 'kafka-nextgen[prometheus]'"
    ) from missing

__all__ = ["AnyMetrics", "prometheus_text", "serve"]

AnyMetrics = Metrics | CoordinatorMetrics

_PREFIXES: dict[type[object], str] = {Metrics: "kafka_consumer", CoordinatorMetrics: "kafka_group_coordinator"}
_COUNTER_ENDINGS = ("_total", "_count")  # of Kafka's names; the format has an ending of its own


def prometheus_text(metrics: AnyMetrics) -> str:
    """The numbers of a consumer or of a broker's group coordinators, as a scrape returns them."""
    return generate_latest(_registry(lambda: metrics)).decode()


@contextmanager
def serve(read: Callable[[], AnyMetrics], port: int, host: str = "127.0.0.1") -> Iterator[int]:
    """Serve what ``read`` gives at every scrape, over HTTP, as long as the block runs; its value is the port.

    ``read`` is called on threads of the server's. Port 0 lets the system choose. Raises OSError if the address can't be
    used.
    """
    server, thread = start_http_server(port, host, _registry(read))
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _registry(read: Callable[[], AnyMetrics]) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_Numbers(read))
    return registry


class _Numbers(Collector):
    """Asks for all numbers at once, so that those of one scrape are of one moment."""

    def __init__(self, read: Callable[[], AnyMetrics]) -> None:
        self._read = read

    def describe(self) -> Iterator[Metric]:
        """Nothing: names are known to be told apart, and registering must not read."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        metrics = self._read()
        found: dict[str, list[Sample]] = {}
        for sample in samples(metrics):
            found.setdefault(sample.spec.name, []).append(sample)
        for spec in specs(type(metrics)):
            if spec.name in found:
                yield _family(_PREFIXES[type(metrics)], spec, found[spec.name])


def _family(prefix: str, spec: MetricSpec, found: list[Sample]) -> Metric:
    kind = CounterMetricFamily if spec.kind is Kind.COUNTER else GaugeMetricFamily
    family = kind(f"{prefix}_{_name(spec)}", f"{spec.meaning} ({spec.unit})", labels=spec.labels)
    for sample in found:
        family.add_metric(sample.labels, sample.value)
    return family


def _name(spec: MetricSpec) -> str:
    name = spec.name.replace("-", "_")
    if spec.kind is Kind.COUNTER:
        for ending in _COUNTER_ENDINGS:
            name = name.removesuffix(ending)
    return name
