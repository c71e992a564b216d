"""The method ``run`` of both consumers, which handles the records of several partitions or keys concurrently.

``work`` is a state machine without I/O, which consists of ``progress`` and ``lane_scheduler``; ``settings`` has its
policies. ``runner`` drives it with the threads of ``worker_pool`` for ``Consumer``, whose calls ``blocking`` makes
awaitable, or with the tasks of ``aio_worker_pool`` for ``AsyncConsumer``.
"""

from __future__ import annotations

from kafka_nextgen.processing.arguments import AsyncDeadLetter, AsyncHandler, DeadLetter, Handler, Order
from kafka_nextgen.processing.run_methods import AwaitsHandlers, RunsHandlers
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
