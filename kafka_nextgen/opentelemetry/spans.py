"""The spans of one consumer, with the duration metrics that the conventions require, and trace contexts in headers.

- ``poll`` (type receive, kind CLIENT): a poll that returned records, with links to at most ``max_links`` producers'
  spans. Polls without records have no spans, because most of them only wait.
- ``process`` (kind CONSUMER): the processing of a record or a batch. It always links to the producer's span. Its parent
  is the current span or, for a single record without one, the producer's span ("Message creation context as parent of
  Process span").
- ``commit`` (type settle, kind CLIENT) and ``rebalance`` (kind INTERNAL), with their beginnings and durations.

The application's propagator reads the headers, by default W3C Trace Context and Baggage (headers ``traceparent``,
``tracestate`` and ``baggage``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from opentelemetry import context as otel_context
from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.metrics import Histogram
from opentelemetry.propagators.textmap import Getter
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, StatusCode, Tracer

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.observability.hooks import Hooks
from kafka_nextgen.engine.observability.rebalance import Rebalance
from kafka_nextgen.opentelemetry import attribute_names as names
from kafka_nextgen.opentelemetry.attribute_names import Attributes, destination
from kafka_nextgen.types import OffsetAndMetadata, Record, TopicPartition, format_partitions
from kafka_nextgen.wire.records import Headers

__all__ = ["Spans"]

#: The attributes of a process span that vary by record; its duration metric omits them.
_OF_SINGLE_RECORDS = frozenset({names.OFFSET, names.KEY, names.TOMBSTONE, names.BATCH_COUNT})


class Spans(Hooks):
    """Creates spans with ``tracer``, with ``common`` attributes on all of them, and records durations."""

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

    def received(self, records: Records, began_at: float, took_s: float) -> None:
        """A poll returned these records."""
        attributes = self._attributes("poll", "receive") | destination(records.partitions())
        links = _links_to(records.headers(), self._max_links)
        self._emit_span(attributes | {names.BATCH_COUNT: len(records)}, SpanKind.CLIENT, began_at, took_s, links=links)
        self._operation_duration.record(took_s, attributes)

    def committed(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        began_at: float,
        took_s: float,
        error: BaseException | None,
    ) -> None:
        """A commit of these offsets ended."""
        attributes = self._attributes("commit", "settle") | destination(offsets.keys())
        if error is not None:
            attributes[names.ERROR_TYPE] = _type_of(error)
        failure = None if error is None else str(error)
        self._emit_span(attributes, SpanKind.CLIENT, began_at, took_s, failure)
        self._operation_duration.record(took_s, attributes)

    def rebalanced(self, rebalance: Rebalance) -> None:
        """A rebalance ended."""
        attributes = self._common | _rebalance_attributes(rebalance)
        took_s = rebalance.duration_ms / 1000
        self._emit_span(attributes, SpanKind.INTERNAL, rebalance.began_at, took_s, rebalance.error, name="rebalance")

    def _emit_span(
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

    def processing(self, record: Record) -> AbstractContextManager[Span]:
        """A handler of ``run`` processes this record."""
        return self.process(record)

    @contextmanager
    def process(self, what: Record | Records) -> Iterator[Span]:
        """Run the block in a current span, which fails if the block raises."""
        attributes, links, parent = self._batch(what) if isinstance(what, Records) else self._single(what)
        began = clocks.perf_counter()
        measured = {name: value for name, value in attributes.items() if name not in _OF_SINGLE_RECORDS}
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
                self._process_duration.record(clocks.perf_counter() - began, measured)

    def _single(self, record: Record) -> tuple[Attributes, list[Link], Context | None]:
        where = TopicPartition(record.topic, record.partition)
        attributes = self._attributes("process", "process") | destination([where]) | {names.OFFSET: record.offset}
        if isinstance(record.key, str | int):  # bytes have no readable form
            attributes[names.KEY] = str(record.key)
        if record.value is None:
            attributes[names.TOMBSTONE] = True
        is_inside = trace.get_current_span().get_span_context().is_valid
        parent = None if is_inside else _creation_context(record.headers, otel_context.get_current())
        return attributes, _links_to([record.headers], 1), parent

    def _batch(self, records: Records) -> tuple[Attributes, list[Link], Context | None]:
        attributes = self._attributes("process", "process") | destination(records.partitions())
        links = _links_to(records.headers(), self._max_links)
        return attributes | {names.BATCH_COUNT: len(records)}, links, None

    def _attributes(self, operation: str, kind: str) -> Attributes:
        return self._common | {names.OPERATION_NAME: operation, names.OPERATION_TYPE: kind}


def _name(attributes: Attributes) -> str:
    """Return the operation and the topic, if any (semantic conventions, "Span name")."""
    topic = attributes.get(names.TOPIC)
    operation = str(attributes[names.OPERATION_NAME])
    return operation if topic is None else f"{operation} {topic}"


def _rebalance_attributes(rebalance: Rebalance) -> Attributes:
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


class _HeadersGetter(Getter[Headers]):
    """Reads headers, which may repeat a key."""

    def get(self, carrier: Headers, key: str) -> list[str] | None:
        values = [value for name, value in carrier if name == key and value is not None]
        return [value.decode("utf-8", errors="replace") for value in values] or None

    def keys(self, carrier: Headers) -> list[str]:
        return [name for name, _ in carrier]


_GETTER = _HeadersGetter()


def _creation_context(headers: Headers, current: Context | None = None) -> Context:
    """Return the current context extended by the headers."""
    return propagate.extract(headers, current, _GETTER)


def _producer_of(headers: Headers) -> SpanContext | None:
    """Return the span in which the record was produced, if its headers name one."""
    span = trace.get_current_span(_creation_context(headers, Context())).get_span_context()
    return span if span.is_valid else None


def _links_to(producers: Iterable[Headers], limit: int) -> list[Link]:
    """Return links to the first ``limit`` distinct spans that these headers name."""
    found: dict[tuple[int, int], Link] = {}
    if limit < 1:
        return []
    for headers in producers:
        span = _producer_of(headers)
        if span is not None:
            found.setdefault((span.trace_id, span.span_id), Link(span))
            if len(found) == limit:
                break
    return list(found.values())
