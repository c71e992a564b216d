"""The spans of one consumer, and the durations that the conventions want beside them.

- ``poll`` (type receive, kind CLIENT): one for each poll that brought records, with a link to each producer's span,
  of which there are at most ``max_links``. A poll without records leaves no span: most of them wait for nothing.
- ``process`` (kind CONSUMER): one record, or a batch, being worked on. It always links to the producer's span. Its
  parent is the span that is current; if there is none, the span of the single record's producer, whose trace it
  goes on with ("Message creation context as parent of Process span").
- ``commit`` (type settle, kind CLIENT), ``rebalance`` (kind INTERNAL): by when they began and how long they took.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.metrics import Histogram
from opentelemetry.trace import Link, Span, SpanKind, Status, StatusCode, Tracer

from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.observability.rebalance import Rebalance
from kafka_nextgen.opentelemetry import names
from kafka_nextgen.opentelemetry.names import Attributes, destination
from kafka_nextgen.opentelemetry.propagation import creation_context, links_to
from kafka_nextgen.types import Record, TopicPartition, format_partitions

__all__ = ["Spans"]


class Spans:
    """Makes spans with ``tracer``; ``common`` attributes are on all of them, ``durations`` get how long each took."""

    def __init__(
        self,
        tracer: Tracer,
        common: Attributes,
        max_links: int,
        operation_duration: Histogram,
        process_duration: Histogram,
    ) -> None:
        self._tracer = tracer
        self._common = common
        self._max_links = max_links
        self._operation_duration = operation_duration
        self._process_duration = process_duration

    # ---- what is over already

    def received(self, records: Records, began_at: float, took_s: float) -> None:
        """A poll brought these."""
        attributes = self._attributes("poll", "receive") | destination(records.partitions())
        links = links_to(records.headers(), self._max_links)
        self._past(attributes | {names.BATCH_COUNT: len(records)}, SpanKind.CLIENT, began_at, took_s, links=links)
        self._operation_duration.record(took_s, attributes)

    def committed(
        self,
        offsets: Collection[TopicPartition],
        began_at: float,
        took_s: float,
        error: BaseException | None,
    ) -> None:
        """A commit of these ended."""
        attributes = self._attributes("commit", "settle") | destination(offsets)
        if error is not None:
            attributes[names.ERROR_TYPE] = _type_of(error)
        failure = None if error is None else str(error)
        self._past(attributes, SpanKind.CLIENT, began_at, took_s, failure)
        self._operation_duration.record(took_s, attributes)

    def rebalanced(self, rebalance: Rebalance) -> None:
        """A rebalance is over."""
        attributes = self._common | _about(rebalance)
        took_s = rebalance.duration_ms / 1000
        self._past(attributes, SpanKind.INTERNAL, rebalance.began_at, took_s, rebalance.error, name="rebalance")

    def _past(
        self,
        attributes: Attributes,
        kind: SpanKind,
        began_at: float,
        took_s: float,
        failure: str | None = None,
        *,
        links: list[Link] | None = None,
        name: str = "",
    ) -> None:
        began_ns = int(began_at * 1e9)
        span = self._tracer.start_span(
            name or _name(attributes), kind=kind, attributes=attributes, links=links, start_time=began_ns
        )
        if failure is not None:
            span.set_status(Status(StatusCode.ERROR, failure))
        span.end(began_ns + int(took_s * 1e9))

    # ---- what is under way

    @contextmanager
    def process(self, what: Record | Records) -> Iterator[Span]:
        """Be in a span that is current as long as the block runs, and that fails if the block raises."""
        attributes, links, parent = self._batch(what) if isinstance(what, Records) else self._single(what)
        began = time.perf_counter()
        measured = {name: value for name, value in attributes.items() if name in _MEASURED}
        with self._tracer.start_as_current_span(
            _name(attributes), parent, SpanKind.CONSUMER, attributes, links
        ) as span:
            try:
                yield span
            except Exception as error:
                measured[names.ERROR_TYPE] = _type_of(error)
                span.set_attribute(names.ERROR_TYPE, _type_of(error))
                raise
            finally:
                self._process_duration.record(time.perf_counter() - began, measured)

    def _single(self, record: Record) -> tuple[Attributes, list[Link], Context | None]:
        where = TopicPartition(record.topic, record.partition)
        attributes = self._attributes("process", "process") | destination([where]) | {names.OFFSET: record.offset}
        if isinstance(record.key, str | int):  # bytes have no form of their own that could be shown
            attributes[names.KEY] = str(record.key)
        if record.value is None:
            attributes[names.TOMBSTONE] = True
        is_inside = trace.get_current_span().get_span_context().is_valid
        parent = None if is_inside else creation_context(record.headers, otel_context.get_current())
        return attributes, links_to([record.headers], 1), parent

    def _batch(self, records: Records) -> tuple[Attributes, list[Link], Context | None]:
        attributes = self._attributes("process", "process") | destination(records.partitions())
        links = links_to(records.headers(), self._max_links)
        return attributes | {names.BATCH_COUNT: len(records)}, links, None

    def _attributes(self, operation: str, kind: str) -> Attributes:
        return self._common | {names.OPERATION_NAME: operation, names.OPERATION_TYPE: kind}


#: What of a process span is also on its duration: nothing that is another for each record.
_MEASURED = frozenset(
    {
        names.SYSTEM,
        names.OPERATION_NAME,
        names.OPERATION_TYPE,
        names.GROUP,
        names.CLIENT_ID,
        names.TOPIC,
        names.PARTITION,
    }
)


def _name(attributes: Attributes) -> str:
    """The operation and, if there is one, the topic (semantic conventions, "Span name")."""
    topic = attributes.get(names.TOPIC)
    operation = str(attributes[names.OPERATION_NAME])
    return operation if topic is None else f"{operation} {topic}"


def _about(rebalance: Rebalance) -> Attributes:
    attributes: Attributes = {
        names.CAUSE: rebalance.cause.value,
        names.REASON: rebalance.reason,
        names.EPOCH_BEFORE: rebalance.epoch_before,
        names.EPOCH_AFTER: rebalance.epoch_after,
    }
    for what in ("assigned", "revoked", "lost", "kept"):
        attributes[f"{names.REBALANCE}.{what}"] = format_partitions(getattr(rebalance, what))
    for phase, spent_ms in rebalance.phases_ms.items():
        attributes[f"{names.REBALANCE}.phase.{phase}_ms"] = spent_ms
    return attributes


def _type_of(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
