"""Work on partitions or keys side by side: the method ``run`` of both consumers.

``progress``, ``dispatch``, ``retries`` and ``throttle`` decide, ``work`` is the machine made of them; none of these
does any I/O. ``runner`` and ``crew`` drive it with threads for ``Consumer``, ``aio_runner`` with tasks for
``AsyncConsumer``.
"""

from __future__ import annotations

from kafka_nextgen.processing.aio_crew import AsyncDeadLetter, AsyncHandler
from kafka_nextgen.processing.crew import DeadLetter, Handler
from kafka_nextgen.processing.dispatch import Order
from kafka_nextgen.processing.running import AwaitsHandlers, RunsHandlers
from kafka_nextgen.processing.stopping import StopHandle

__all__ = [
    "AsyncDeadLetter",
    "AsyncHandler",
    "AwaitsHandlers",
    "DeadLetter",
    "Handler",
    "Order",
    "RunsHandlers",
    "StopHandle",
]
