"""OpenTelemetry traces and metrics of consumers. Requires the ``kafka-nextgen[opentelemetry]`` extra.

    from kafka_nextgen.opentelemetry import instrument, process_span, traced

    instrument(consumer)
    for record in traced(consumer):  # each iteration is a span that continues the producer's trace
        ...

Names follow the semantic conventions for messaging (of 2026, status "development"). Other metrics have the prefix
``kafka.consumer.`` and Kafka's own name, as for Java's consumers.
"""

from __future__ import annotations

try:
    import opentelemetry.trace  # noqa: F401  (imported here for the message)
except ModuleNotFoundError as missing:
    raise ImportError(
        "kafka_nextgen.opentelemetry needs opentelemetry-api: pip install 'kafka-nextgen[opentelemetry]'"
    ) from missing

from kafka_nextgen.opentelemetry.instrumentation import Instrumentation, instrument, process_span, traced

__all__ = ["Instrumentation", "instrument", "process_span", "traced"]
