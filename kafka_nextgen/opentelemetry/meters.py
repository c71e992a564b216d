"""The metrics of all consumers that report to one meter provider.

A meter allows each instrument name once, so an instrument is created once and observes all consumers. One collection
reads the metrics of each consumer once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from weakref import WeakKeyDictionary

from opentelemetry.metrics import CallbackOptions, Meter, MeterProvider, Observation, get_meter_provider

from kafka_nextgen import clocks
from kafka_nextgen.aio import AsyncConsumer
from kafka_nextgen.consumer import Consumer
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.metrics.consumer_metrics import Metrics
from kafka_nextgen.metrics.specs import MetricKind, MetricSpec, Sample, samples, specs
from kafka_nextgen.opentelemetry import attribute_names as names
from kafka_nextgen.opentelemetry.attribute_names import Attributes

__all__ = ["DURATION_BOUNDARIES_S", "Meters", "meters_of"]

#: The bucket boundaries of durations that the semantic conventions recommend.
DURATION_BOUNDARIES_S = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)

#: A collection reads all its instruments in sequence, within this time.
COLLECTION_S = 0.1

_LABELS = {"topic": names.TOPIC, "partition": names.PARTITION, "cause": names.CAUSE}
_CONSUMED = "topic-records-consumed-total"


class Meters:
    """The instruments of one meter, and the consumers they observe."""

    def __init__(self, meter: Meter) -> None:
        self._consumers: WeakKeyDictionary[Consumer | AsyncConsumer, Attributes] = WeakKeyDictionary()
        self._collected: Mapping[str, list[Observation]] = {}
        self._collected_at = 0.0
        for spec in specs(Metrics):
            create = (
                meter.create_observable_counter if spec.kind is MetricKind.COUNTER else meter.create_observable_gauge
            )
            create(instrument_name(spec), [partial(self._observe, spec.name)], spec.unit, spec.meaning)
        self.operation_duration = meter.create_histogram(
            "messaging.client.operation.duration",
            "s",
            "Duration of polls that returned records, and of commits",
            explicit_bucket_boundaries_advisory=DURATION_BOUNDARIES_S,
        )
        self.process_duration = meter.create_histogram(
            "messaging.process.duration",
            "s",
            "Duration of processing a record or a batch",
            explicit_bucket_boundaries_advisory=DURATION_BOUNDARIES_S,
        )

    def add(self, consumer: Consumer | AsyncConsumer, common: Attributes) -> None:
        """Observe this consumer while it lives; its ``common`` attributes identify it."""
        self._consumers[consumer] = common

    def remove(self, consumer: Consumer | AsyncConsumer) -> None:
        """Stop observing this consumer."""
        self._consumers.pop(consumer, None)

    def _observe(self, name: str, options: CallbackOptions) -> Iterable[Observation]:
        now = clocks.monotonic()
        if now - self._collected_at > COLLECTION_S:
            self._collected, self._collected_at = self._collect(), now
        return self._collected.get(name, ())

    def _collect(self) -> dict[str, list[Observation]]:
        collected: dict[str, list[Observation]] = {}
        for consumer, common in list(self._consumers.items()):
            try:
                metrics = consumer.metrics()
            except MisuseError:  # the consumer is unusable in a forked process
                continue
            for sample in samples(metrics):
                observation = Observation(sample.value, common | _attributes(sample))
                collected.setdefault(sample.spec.name, []).append(observation)
        return collected


def instrument_name(spec: MetricSpec) -> str:
    """Return the instrument's name by the conventions, or as OpenTelemetry names it for Java consumers."""
    if spec.name == _CONSUMED:
        return "messaging.client.consumed.messages"
    return f"kafka.consumer.{spec.name.replace('-', '_')}"


def _attributes(sample: Sample) -> Attributes:
    labels = zip(sample.spec.labels, sample.labels, strict=True)
    attributes: Attributes = {_LABELS[name]: value for name, value in labels}
    if sample.spec.name == _CONSUMED:
        attributes[names.OPERATION_NAME] = "poll"
    return attributes


_METERS: WeakKeyDictionary[MeterProvider, Meters] = WeakKeyDictionary()
_GLOBAL: list[Meters] = []


def meters_of(provider: MeterProvider | None, name: str, version: str) -> Meters:
    """Return the instruments of a provider, None for the global one, created on first use.

    Instruments of the global provider may be created before the application sets it; they then move to it.
    """
    if provider is None or provider is get_meter_provider():
        if not _GLOBAL:
            _GLOBAL.append(Meters(get_meter_provider().get_meter(name, version)))
        return _GLOBAL[0]
    meters = _METERS.get(provider)
    if meters is None:
        meters = _METERS[provider] = Meters(provider.get_meter(name, version))
    return meters
