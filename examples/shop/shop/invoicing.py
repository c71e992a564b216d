"""Each order becomes one invoice, exactly once, however often this process dies or is too slow.

The invoices and the offsets of their orders are one transaction. An order that makes no sense goes to another topic in
the same transaction, so it stops nobody and is rejected once.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from confluent_kafka import Producer

from kafka_nextgen import Consumer, OutputRecord, Record, StopHandle

Order = Record[bytes, bytes]


def invoice_of(order: Order) -> bytes:
    """Return the invoice of an order. Raises ValueError, KeyError or TypeError if the order makes no sense."""
    placed = json.loads(order.value or b"")
    tax = placed["cents"] * 19 // 100
    return json.dumps({"order": placed["id"], "customer": placed["customer"], "cents": placed["cents"] + tax}).encode()


class Invoicing:
    """One worker: ``transactional_id`` is its name, which no other worker has, and which it keeps when it is restarted.

    The consumer is subscribed, and needs ``enable_auto_commit=False`` and ``isolation_level="read_committed"``.
    """

    def __init__(
        self,
        consumer: Consumer[bytes, bytes],
        bootstrap_servers: str,
        transactional_id: str,
        *,
        invoices: str,
        rejected: str,
        invoice_of: Callable[[Order], bytes] = invoice_of,
    ) -> None:
        self._consumer = consumer
        self._invoices, self._rejected = invoices, rejected
        self._invoice_of = invoice_of
        self._bootstrap_servers, self.transactional_id = bootstrap_servers, transactional_id

    def run(self, stop: StopHandle) -> None:
        """Work until somebody calls ``stop.stop()``."""
        self._consumer.run_in_transactions(
            self._invoice, producer=self._make_producer, attempts=1, dead_letter=self._reject, stop=stop
        )

    def _make_producer(self) -> Producer:
        config = {"bootstrap.servers": self._bootstrap_servers, "transactional.id": self.transactional_id}
        return Producer({**config, "log_level": 0})

    def _invoice(self, order: Order) -> OutputRecord:
        return OutputRecord(self._invoices, self._invoice_of(order), order.key)

    def _reject(self, order: Order, error: Exception) -> OutputRecord:
        return OutputRecord(self._rejected, order.value, order.key, headers=[("error", repr(error).encode())])
