"""A worker whose spans continue the traces of the producers, written as lines of JSON.

Needs an SDK: pip install 'kafka-nextgen[opentelemetry]' opentelemetry-sdk

python examples/opentelemetry_worker.py --topic orders --group billing
"""

from __future__ import annotations

import json
import sys
from itertools import count

from arguments import parse_arguments
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

from kafka_nextgen import Consumer, Record, StopHandle
from kafka_nextgen.opentelemetry import instrument

arguments = parse_arguments(__doc__)
stop = StopHandle()
numbers = count(1)


def as_json(span: ReadableSpan) -> str:
    """Format a span as a line; in production an OTLPSpanExporter sends them to a collector instead."""
    assert span.context is not None
    parent = None if span.parent is None else f"{span.parent.span_id:016x}"
    line = {"span": span.name, "trace": f"{span.context.trace_id:032x}", "parent": parent}
    return json.dumps({**line, **dict(span.attributes or {})}) + "\n"


provider = TracerProvider(resource=Resource.create({"service.name": "billing"}))
provider.add_span_processor(BatchSpanProcessor(ConsoleSpanExporter(out=sys.stdout, formatter=as_json)))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("billing")


def handle(record: Record[bytes | None, bytes | None]) -> None:
    """Run inside the span ``process orders``, so that spans of its own are its children."""
    order = json.loads(record.value or b"")
    with tracer.start_as_current_span("charge", attributes={"order": order["id"]}):
        pass  # calls of other services
    if next(numbers) >= arguments.max_messages:
        stop.stop()


try:
    with Consumer(
        bootstrap_servers=arguments.bootstrap_servers,
        group_id=arguments.group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    ) as consumer:
        instrument(consumer)
        consumer.run(handle, [arguments.topic], stop=stop)
finally:
    provider.shutdown()  # sends the last spans: after close, whose commit has a span, too
