"""Test applications with ``Cluster``, a Kafka cluster in the process of the test, and a ``Clock`` that is turned."""

from __future__ import annotations

from kafka_nextgen.testing.cluster import Cluster
from kafka_nextgen.transport.turned_clock import Clock

__all__ = ["Clock", "Cluster"]
