"""Instrument consumers: report their spans and metrics, and trace loops over their records."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager
from typing import Any, overload
from weakref import WeakKeyDictionary, ref

from opentelemetry.metrics import MeterProvider
from opentelemetry.trace import Span, TracerProvider, get_tracer_provider

from kafka_nextgen.aio import AsyncConsumer
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.consumer import Consumer
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.opentelemetry import attribute_names as names
from kafka_nextgen.opentelemetry.attribute_names import Attributes
from kafka_nextgen.opentelemetry.meters import Meters, meters_of
from kafka_nextgen.opentelemetry.spans import Spans
from kafka_nextgen.types import Record
from kafka_nextgen.version import VERSION

__all__ = ["MAX_LINKS", "Instrumentation", "instrument", "process_span", "traced"]

SCOPE = "kafka_nextgen"

#: The default limit of links per span, which is also the SDKs' limit.
MAX_LINKS = 128

_lock = threading.Lock()


def _make_lock() -> None:
    """Make a new lock: in a forked process, the old one can be held by a thread that exists only in the parent."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_make_lock)


class Instrumentation:
    """The traces and metrics of one consumer, until ``uninstrument``."""

    def __init__(self, consumer: Consumer | AsyncConsumer, client_id: str, spans: Spans, meters: Meters) -> None:
        self.client_id = client_id
        self.spans = spans
        self._meters = meters
        self._consumer = ref(consumer)
        consumer.hooks.add(spans)

    def uninstrument(self) -> None:
        """Stop reporting spans and metrics of this consumer."""
        consumer = self._consumer()
        if consumer is not None:
            consumer.hooks.remove(self.spans)
            self._meters.remove(consumer)
            _INSTRUMENTED.pop(consumer, None)


_INSTRUMENTED: WeakKeyDictionary[Consumer | AsyncConsumer, Instrumentation] = WeakKeyDictionary()


def instrument(
    consumer: Consumer | AsyncConsumer,
    *,
    tracer_provider: TracerProvider | None = None,
    meter_provider: MeterProvider | None = None,
    max_links: int = MAX_LINKS,
) -> Instrumentation:
    """Report spans and metrics of a consumer until it is closed; a second call has no effect.

    Spans: polls that returned records, records processed by handlers of ``run``, commits, rebalances. Your own
    loops use ``traced`` and ``process_span``. Metrics: ``messaging.client.consumed.messages``,
    ``messaging.client.operation.duration``, ``messaging.process.duration``, and all of ``consumer.metrics()`` under
    ``kafka.consumer.*``. Providers default to the global ones. A span links to at most ``max_links`` producers.

    Consumers of one process with the same ``client.id`` get numbers as suffixes.
    """
    with _lock:
        known = _INSTRUMENTED.get(consumer)
        if known is not None:
            return known
        meters = meters_of(meter_provider, SCOPE, VERSION)
        client_id = _client_id(consumer.config.client_id)
        common = _common_attributes(consumer.config, client_id)
        spans = _spans(tracer_provider, common, max_links, meters)
        instrumentation = _INSTRUMENTED[consumer] = Instrumentation(consumer, client_id, spans, meters)
        meters.add(consumer, common)
    return instrumentation


def process_span(
    what: Record | Records, consumer: Consumer | AsyncConsumer | None = None
) -> AbstractContextManager[Span]:
    """Process a record or a batch inside a span: ``with process_span(record, consumer): ...``.

    The span is current in the block, and fails if the block raises. It links to the producers' spans. For a single
    record without a current span, the producer's span is its parent. The providers are those that instrumented
    ``consumer``, otherwise the global ones.
    """
    return spans_of(consumer).process(what)


def spans_of(consumer: Consumer | AsyncConsumer | None) -> Spans:
    """Return the spans of an instrumented consumer, otherwise spans with the global providers."""
    known = None if consumer is None else _INSTRUMENTED.get(consumer)
    if known is not None:
        return known.spans
    common: Attributes = {names.SYSTEM: names.KAFKA}
    if consumer is not None:
        common = _common_attributes(consumer.config, consumer.config.client_id)
    return _spans(None, common, MAX_LINKS, meters_of(None, SCOPE, VERSION))


def _spans(provider: TracerProvider | None, common: Attributes, max_links: int, meters: Meters) -> Spans:
    tracer = (provider or get_tracer_provider()).get_tracer(SCOPE, VERSION)
    return Spans(tracer, common, max_links, meters.operation_duration, meters.process_duration)


def _common_attributes(config: ConsumerConfig, client_id: str) -> Attributes:
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


class _TracedLoop(Iterator[Record], AsyncIterator[Record]):
    """Manages the span of the current iteration, of either kind of consumer.

    A span begins when its record is returned, and ends when the next one is requested or the loop is left. Exceptions
    in the body of the loop are not raised through the iterator, so the span does not record them; ``process_span``
    does.
    """

    _span: AbstractContextManager[Span] | None = None

    def __init__(self, consumer: Any) -> None:
        self._records = consumer
        self._spans = spans_of(consumer)

    def __next__(self) -> Record:
        self._end()
        return self._begin(next(self._records))

    async def __anext__(self) -> Record:
        self._end()
        return self._begin(await anext(self._records))

    def _begin(self, record: Record) -> Record:
        self._span = self._spans.process(record)
        self._span.__enter__()
        return record

    def _end(self) -> None:
        span, self._span = self._span, None
        if span is not None:
            span.__exit__(None, None, None)

    def __del__(self) -> None:  # the loop ended
        self._end()


@overload
def traced(consumer: Consumer) -> Iterator[Record]: ...


@overload
def traced(consumer: AsyncConsumer) -> AsyncIterator[Record]: ...


def traced(consumer: Consumer | AsyncConsumer) -> Iterator[Record] | AsyncIterator[Record]:
    """Iterate over a consumer, with each iteration in a span, like ``process_span``.

    It is the current span in the body. Raises the errors of iterating over the consumer.
    """
    return _TracedLoop(consumer)
