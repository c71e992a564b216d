"""Each invoice is mailed. What can't be mailed becomes a dead letter, and does not stop the others."""

from __future__ import annotations

import json
from collections.abc import Callable

from kafka_nextgen import Consumer, Record, StopHandle
from shop.writer import Writer

Invoice = Record[bytes, bytes]


class Mailing:
    """Mails invoices with ``send(customer, text)``, several at a time, but those of a customer in their order.

    ``send`` is called again if it raises: three times in all. The consumer is subscribed, and needs
    ``enable_auto_commit=False``.
    """

    def __init__(
        self, consumer: Consumer[bytes, bytes], send: Callable[[str, str], None], bootstrap_servers: str, dead: str
    ) -> None:
        self._consumer, self._send = consumer, send
        self._writer, self._dead = Writer(bootstrap_servers), dead

    def run(self, stop: StopHandle) -> None:
        """Work until somebody calls ``stop.stop()``; what was begun is finished and committed first."""
        self._consumer.run(self._mail, concurrency=4, order="key", dead_letter=self._bury, stop=stop)

    def _mail(self, record: Invoice) -> None:
        invoice = json.loads(record.value or b"")
        self._send(invoice["customer"], f"order {invoice['order']}: {invoice['cents'] / 100:.2f}")

    def _bury(self, record: Record[bytes | None, bytes | None], error: Exception) -> None:
        """Write the record as it was; it counts as handled when the brokers have it."""
        origin = f"{record.topic}[{record.partition}] {record.offset}"
        self._writer.write(self._dead, record.value, record.key, [("origin", origin), ("error", repr(error))])
