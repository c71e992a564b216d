"""Test applications with ``Cluster``, a Kafka cluster in the process of the test."""

from __future__ import annotations

from kafka_nextgen.testing.cluster import Cluster

__all__ = ["Cluster"]
