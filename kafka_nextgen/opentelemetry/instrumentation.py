"""Putting it together: one ``Instrumentation`` for each consumer, and spans for consumers without one."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from weakref import WeakKeyDictionary, ref

from opentelemetry.metrics import MeterProvider
from opentelemetry.trace import Span, TracerProvider, get_tracer_provider

from kafka_nextgen.aio import AsyncConsumer
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.consumer import Consumer
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.observability.hooks import Hooks
from kafka_nextgen.engine.observability.rebalance import Rebalance
from kafka_nextgen.opentelemetry import names
from kafka_nextgen.opentelemetry.meters import Meters, meters_of
from kafka_nextgen.opentelemetry.names import Attributes
from kafka_nextgen.opentelemetry.spans import Spans
from kafka_nextgen.types import OffsetAndMetadata, Record, TopicPartition
from kafka_nextgen.version import VERSION

__all__ = ["MAX_LINKS", "Instrumentation", "instrument", "process_span"]

SCOPE = "kafka_nextgen"

#: How many links a span gets at most, unless told otherwise: as many as SDKs keep by default.
MAX_LINKS = 128


class _Watch(Hooks):
    """Makes a span of whatever it hears."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans

    def received(self, records: Records, began_at: float, took_s: float) -> None:
        self._spans.received(records, began_at, took_s)

    def processing(self, record: Record) -> AbstractContextManager[Span]:
        return self._spans.process(record)

    def committed(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        began_at: float,
        took_s: float,
        error: BaseException | None,
    ) -> None:
        self._spans.committed(offsets, began_at, took_s, error)

    def rebalanced(self, rebalance: Rebalance) -> None:
        self._spans.rebalanced(rebalance)


class Instrumentation:
    """One consumer's traces and metrics, until ``uninstrument``."""

    def __init__(self, consumer: Consumer | AsyncConsumer, client_id: str, spans: Spans, meters: Meters) -> None:
        self.client_id = client_id
        self.spans = spans
        self._meters = meters
        self._consumer = ref(consumer)
        self._watch = _Watch(spans)
        consumer.hooks.add(self._watch)

    def uninstrument(self) -> None:
        """Make no spans of this consumer any more, and report no metrics."""
        consumer = self._consumer()
        if consumer is not None:
            consumer.hooks.remove(self._watch)
            self._meters.remove(consumer)
            _INSTRUMENTED.pop(consumer, None)


_INSTRUMENTED: WeakKeyDictionary[Consumer | AsyncConsumer, Instrumentation] = WeakKeyDictionary()
_LOCK = threading.Lock()


def instrument(
    consumer: Consumer | AsyncConsumer,
    *,
    tracer_provider: TracerProvider | None = None,
    meter_provider: MeterProvider | None = None,
    max_links: int = MAX_LINKS,
) -> Instrumentation:
    """Report spans and metrics of a consumer, as long as it lives; a second call changes nothing.

    Spans: each poll that brought records, each record that ``run`` has a handler at work on, commits, rebalances.
    For a loop of your own there are ``traced`` and ``process_span``. Metrics: ``messaging.client.consumed.messages``,
    ``messaging.client.operation.duration``, ``messaging.process.duration``, and all of ``consumer.metrics()`` under
    ``kafka.consumer.*``. Providers default to the global ones. A span links to at most ``max_links`` producers.

    Consumers of one process with the same ``client.id`` are told apart by a number behind it.
    """
    with _LOCK:
        known = _INSTRUMENTED.get(consumer)
        if known is not None:
            return known
        meters = meters_of(meter_provider, SCOPE, VERSION)
        client_id = _client_id(consumer.config.client_id)
        common = _common(consumer.config, client_id)
        spans = _spans(tracer_provider, common, max_links, meters)
        instrumentation = _INSTRUMENTED[consumer] = Instrumentation(consumer, client_id, spans, meters)
        meters.add(consumer, common)
    return instrumentation


def process_span(
    what: Record | Records, consumer: Consumer | AsyncConsumer | None = None
) -> AbstractContextManager[Span]:
    """Process a record, or a batch, inside of a span: ``with process_span(record, consumer): ...``.

    The span is the current one in the block, so what is called there becomes part of it. It fails if the block
    raises. It links to the producers' spans; for a single record, and no other span around it, the producer's is its
    parent. ``consumer`` says how it was instrumented; without, or if it was not, the global providers are used.
    """
    return spans_of(consumer).process(what)


def spans_of(consumer: Consumer | AsyncConsumer | None) -> Spans:
    """The spans of an instrumented consumer, or of one that nobody instrumented."""
    known = None if consumer is None else _INSTRUMENTED.get(consumer)
    if known is not None:
        return known.spans
    common: Attributes = {names.SYSTEM: names.KAFKA}
    if consumer is not None:
        common = _common(consumer.config, consumer.config.client_id)
    return _spans(None, common, MAX_LINKS, meters_of(None, SCOPE, VERSION))


def _spans(provider: TracerProvider | None, common: Attributes, max_links: int, meters: Meters) -> Spans:
    tracer = (provider or get_tracer_provider()).get_tracer(SCOPE, VERSION)
    return Spans(tracer, common, max_links, meters.operation_duration, meters.process_duration)


def _common(config: ConsumerConfig, client_id: str) -> Attributes:
    common: Attributes = {names.SYSTEM: names.KAFKA, names.CLIENT_ID: client_id}
    if config.group_id:
        common[names.GROUP] = config.group_id
    return common


def _client_id(configured: str) -> str:
    taken = {known.client_id for known in list(_INSTRUMENTED.values())}
    number, name = 1, configured
    while name in taken:
        number += 1
        name = f"{configured}-{number}"
    return name
