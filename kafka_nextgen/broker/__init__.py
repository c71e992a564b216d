"""A real Kafka broker over TCP, in memory, for development and tests: ``Broker``.

Third-party clients work against it unchanged. It is not for production: nothing is written to disk, there is one
copy of everything, and nobody is asked who they are. It therefore listens on loopback unless told otherwise.
"""

from __future__ import annotations

from kafka_nextgen.broker.broker import Broker
from kafka_nextgen.broker.settings import BrokerSettings

__all__ = ["Broker", "BrokerSettings"]
