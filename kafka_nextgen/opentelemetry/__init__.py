"""OpenTelemetry for consumers: traces and metrics. Needs the extra ``kafka-nextgen[opentelemetry]``.

    from kafka_nextgen.opentelemetry import instrument, process_span, traced

    instrument(consumer)
    for record in traced(consumer):  # each turn of the loop is a span that goes on from the producer's
        ...

Names are those of the semantic conventions for messaging (of 2026, status "development"). Where these have none,
metrics are called ``kafka.consumer.`` and Kafka's own name, as OpenTelemetry calls those of Java's consumers.
"""

from __future__ import annotations

try:
    import opentelemetry.trace  # noqa: F401  (asked for here, for the sake of the message)
except ModuleNotFoundError as missing:
    raise ImportError(
        "kafka_nextgen.opentelemetry needs opentelemetry-api: pip install 'kafka-nextgen[opentelemetry]'"
    ) from missing

from kafka_nextgen.opentelemetry.instrumentation import Instrumentation, instrument, process_span
from kafka_nextgen.opentelemetry.loops import traced

__all__ = ["Instrumentation", "instrument", "process_span", "traced"]
