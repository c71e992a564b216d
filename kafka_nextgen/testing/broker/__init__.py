"""A real Kafka broker over TCP, for development and tests: ``Broker``.

Third-party clients work against it unchanged. It is not for production: there is one copy of everything, by default in
memory, and clients are authenticated only if that is configured. It therefore listens on loopback by default.
"""

from __future__ import annotations

from kafka_nextgen.testing.broker.broker import Broker
from kafka_nextgen.testing.broker.settings import BrokerSettings

__all__ = ["Broker", "BrokerSettings"]
