"""A real Kafka broker over TCP, for development and tests: ``Broker``.

Third-party clients work against it unchanged. It is not for production: there is one copy of everything, in memory
unless it is given a directory, and it authenticates clients only if it is told to. It therefore listens on loopback
only, if nothing else is said.
"""

from __future__ import annotations

from kafka_nextgen.broker.broker import Broker
from kafka_nextgen.broker.settings import BrokerSettings

__all__ = ["Broker", "BrokerSettings"]
