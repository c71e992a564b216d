"""For testing one's own application: a broker in the test's own process, ``Cluster``."""

from __future__ import annotations

from kafka_nextgen.testing.cluster import Cluster

__all__ = ["Cluster"]
