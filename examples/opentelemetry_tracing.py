"""Report spans to OpenTelemetry, one for each turn of the loop, and say in the end what was counted.

Needs an SDK: pip install 'kafka-nextgen[opentelemetry]' opentelemetry-sdk

python examples/opentelemetry_tracing.py --bootstrap-servers localhost:9092 --topic orders --group billing
"""

from __future__ import annotations

from itertools import islice

from arguments import parse_arguments
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from kafka_nextgen import Consumer
from kafka_nextgen.opentelemetry import instrument, traced

arguments = parse_arguments(__doc__)

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(formatter=lambda span: f"{span.name}\n")))
trace.set_tracer_provider(provider)

with Consumer(
    bootstrap_servers=arguments.bootstrap_servers, group_id=arguments.group, auto_offset_reset="earliest"
) as consumer:
    instrument(consumer)
    consumer.subscribe([arguments.topic])
    for record in islice(traced(consumer), arguments.max_messages):
        span = trace.get_current_span().get_span_context()
        print(f"{span.trace_id:032x} {record.topic}[{record.partition}] {record.offset}: {record.value!r}")

print(f"{consumer.metrics().reading.records} records, {consumer.metrics().connections.bytes_in} bytes received")
