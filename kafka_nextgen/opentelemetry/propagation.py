"""The contexts that producers left in the headers of their records.

What reads them is the propagator that the application configured, by default W3C Trace Context and Baggage
(headers ``traceparent``, ``tracestate`` and ``baggage``).
"""

from __future__ import annotations

from collections.abc import Iterable

from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.propagators.textmap import Getter
from opentelemetry.trace import Link, SpanContext

from kafka_nextgen.wire.records import Headers

__all__ = ["creation_context", "links_to", "producer_of"]


class _HeadersGetter(Getter[Headers]):
    """Headers may repeat a key; values that are no text are left out."""

    def get(self, carrier: Headers, key: str) -> list[str] | None:
        return [_text(value) for name, value in carrier if name == key and value is not None] or None

    def keys(self, carrier: Headers) -> list[str]:
        return [name for name, _ in carrier]


def _text(value: bytes) -> str:
    return value.decode("utf-8", errors="replace")


_GETTER = _HeadersGetter()


def creation_context(headers: Headers, current: Context | None = None) -> Context:
    """The current context with what the headers bring; the same if they bring nothing."""
    return propagate.extract(headers, current, _GETTER)


def producer_of(headers: Headers) -> SpanContext | None:
    """The span that the record was produced in, if its headers name one."""
    span = trace.get_current_span(creation_context(headers, Context())).get_span_context()
    return span if span.is_valid else None


def links_to(producers: Iterable[Headers], at_most: int) -> list[Link]:
    """A link to each span that these headers name, once; the first ``at_most`` of them."""
    found: dict[tuple[int, int], Link] = {}
    if at_most < 1:
        return []
    for headers in producers:
        span = producer_of(headers)
        if span is not None:
            found.setdefault((span.trace_id, span.span_id), Link(span))
            if len(found) == at_most:
                break
    return list(found.values())
