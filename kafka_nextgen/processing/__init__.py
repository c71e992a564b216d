"""Work on partitions or keys side by side: the method ``run`` of both consumers.

``progress``, ``dispatch``, ``retries`` and ``throttle`` decide, ``work`` is the machine made of them; none of these
does any I/O. ``runner`` and ``crew`` drive it with threads for ``Consumer``, ``aio_runner`` with tasks for
``AsyncConsumer``.
"""

from __future__ import annotations

from kafka_nextgen.processing.arguments import AsyncDeadLetter, AsyncHandler, DeadLetter, Handler, Order
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
