"""The OpenTelemetry SDK with everything kept in memory, and producers that leave their context in headers."""

from __future__ import annotations

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from kafka_nextgen import AsyncConsumer, Consumer
from kafka_nextgen.opentelemetry import Instrumentation, instrument
from kafka_nextgen.opentelemetry import meters as meters_module
from kafka_nextgen.wire.records import Headers, NewRecord, encode_batch, read_batches
from tests.engine.stage import TOPIC, Stage

TRACE_ID = 0x4BF92F3577B34DA6A3CE929D0E0E4736


def traceparent(span_id: int) -> Headers:
    return (("traceparent", b"00-%032x-%016x-01" % (TRACE_ID, span_id)),)


def write_traced(stage: Stage, partition: int, *headers: Headers) -> None:
    """Append one record for each, whose value is its offset."""

    def append() -> None:
        log = stage._partition(partition).log
        records = [NewRecord(b"%d" % (log.end_offset + n), headers=one) for n, one in enumerate(headers)]
        log.append(read_batches(encode_batch(records))[0])

    stage.run(append)


class Telemetry:
    """Providers of its own; the global ones stay as they are."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.tracer_provider = TracerProvider()
        self.tracer_provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self._reader = InMemoryMetricReader()
        self.meter_provider = MeterProvider([self._reader])
        self.tracer = self.tracer_provider.get_tracer("tests")

    def instrument(self, consumer: Consumer | AsyncConsumer, max_links: int = 128) -> Instrumentation:
        return instrument(
            consumer,
            tracer_provider=self.tracer_provider,
            meter_provider=self.meter_provider,
            max_links=max_links,
        )

    def consumer(self, stage: Stage, max_links: int = 128, **config: object) -> Consumer:
        """A consumer of the stage's topic, instrumented."""
        consumer = stage.consumer(client_id="reader", **config)
        self.instrument(consumer, max_links)
        consumer.subscribe([TOPIC])
        return consumer

    def spans(self, name: str) -> list[ReadableSpan]:
        """The spans of this name that have ended, in the order they did."""
        return [span for span in self._exporter.get_finished_spans() if span.name == name]

    def points(self, name: str) -> list[NumberDataPoint | HistogramDataPoint]:
        """What a collection brings for a metric now."""
        for meters in [*meters_module._METERS.values(), *meters_module._GLOBAL]:
            meters._collected_at = float("-inf")  # a test asks more often than any exporter
        data = self._reader.get_metrics_data()
        found = [
            point
            for resource in (data.resource_metrics if data is not None else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]
        return [point for point in found if isinstance(point, NumberDataPoint | HistogramDataPoint)]

    def value(self, name: str, **attributes: object) -> float | None:
        """The one number of a metric with these attributes; an underscore stands for a dot, two for one."""
        dotted = {key.replace("__", "-").replace("_", ".").replace("-", "_"): key for key in attributes}
        wanted = {name: attributes[key] for name, key in dotted.items()}
        points = [p for p in self.points(name) if wanted.items() <= dict(p.attributes or {}).items()]
        assert len(points) < 2, points
        return points[0].value if points and isinstance(points[0], NumberDataPoint) else None

    def shut_down(self) -> None:
        self.tracer_provider.shutdown()
        self.meter_provider.shutdown()
