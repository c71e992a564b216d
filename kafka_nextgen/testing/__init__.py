"""Test applications with ``Cluster``, a Kafka cluster in the test's own process, and a ``Clock`` that tests advance.

``SchemaRegistry`` is a schema registry in that process.

The cluster is a broker (``broker/``) in front of a reference coordinator (``coordinator/``). Outside this package only
the commands import it, so an application that only consumes never loads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from kafka_nextgen.testing.cluster import Cluster
    from kafka_nextgen.testing.registry import SchemaRegistry
    from kafka_nextgen.transport.turned_clock import Clock

__all__ = ["Clock", "Cluster", "SchemaRegistry"]

__getattr__ = lazy_getattr(
    __name__,
    {
        "Cluster": "kafka_nextgen.testing.cluster",
        "Clock": "kafka_nextgen.transport.turned_clock",
        "SchemaRegistry": "kafka_nextgen.testing.registry",
    },
)
