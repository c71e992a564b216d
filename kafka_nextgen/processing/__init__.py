"""The methods ``run`` of both consumers and ``run_in_transactions`` of ``Consumer``.

``run`` handles the records of several partitions or keys concurrently, each at least once.

``work`` is a state machine without I/O, which consists of ``progress`` and ``lane_scheduler``; ``settings`` has its
policies. ``runner`` drives it with the threads of ``worker_pool`` for ``Consumer``, whose calls ``blocking`` makes
awaitable, or with the tasks of ``aio_worker_pool`` for ``AsyncConsumer``.

``run_in_transactions`` is in ``transactions``; it writes the results of a handler exactly once.
"""

from __future__ import annotations

from kafka_nextgen.processing.arguments import AsyncDeadLetter, AsyncHandler, DeadLetter, Handler, Order
from kafka_nextgen.processing.run_methods import AwaitsHandlers, RunsHandlers
from kafka_nextgen.processing.stopping import StopHandle
from kafka_nextgen.processing.transaction_methods import RunsTransactions
from kafka_nextgen.processing.transactions.output_record import OutputRecord, Outputs

__all__ = [
    "AsyncDeadLetter",
    "AsyncHandler",
    "AwaitsHandlers",
    "DeadLetter",
    "Handler",
    "Order",
    "OutputRecord",
    "Outputs",
    "RunsHandlers",
    "RunsTransactions",
    "StopHandle",
]
