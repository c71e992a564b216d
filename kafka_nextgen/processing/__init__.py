"""Work on partitions or keys side by side: ``run`` and ``run_async``, above a consumer.

``progress``, ``dispatch``, ``retries`` and ``throttle`` decide, ``work`` is the machine made of them; none of these
does any I/O. ``runner`` and ``crew`` drive it with threads for ``Consumer``, ``aio_runner`` with tasks for
``AsyncConsumer``.
"""

from __future__ import annotations

from kafka_nextgen.processing.dispatch import Order
from kafka_nextgen.processing.running import run, run_async
from kafka_nextgen.processing.stopping import StopHandle

__all__ = ["Order", "StopHandle", "run", "run_async"]
