"""Each order becomes one invoice, exactly once, however often this process dies or is too slow.

The invoices and the offsets of their orders are one transaction. An order that makes no sense goes to another topic in
the same transaction, so it stops nobody and is rejected once.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from confluent_kafka import KafkaException, Producer
from confluent_kafka import TopicPartition as Position

from kafka_nextgen import Consumer, MisuseError, Record, Records, StopHandle

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
        self._producer = Producer(
            {"bootstrap.servers": bootstrap_servers, "transactional.id": transactional_id, "log_level": 0}
        )
        self._producer.init_transactions()  # what a predecessor of this name left open is aborted

    def run(self, stop: StopHandle) -> None:
        """Work until somebody calls ``stop.stop()``."""
        while not stop.is_stopped:
            self.step(timeout_s=0.1)

    def step(self, timeout_s: float = 1.0) -> int:
        """Poll once, and return how many orders are done with."""
        orders = self._consumer.poll(timeout_s)
        return len(orders) if orders and self._handle(orders) else 0

    def _handle(self, orders: Records[bytes, bytes]) -> bool:
        """Handle what one poll returned in one transaction; return whether it was committed."""
        self._producer.begin_transaction()
        try:
            for order in orders:
                self._write(order)
            positions = [Position(tp.topic, tp.partition, self._consumer.position(tp)) for tp in orders.partitions()]
            self._producer.send_offsets_to_transaction(positions, self._consumer.group_metadata())
            self._producer.commit_transaction()
            return True
        except MisuseError:  # this member was too slow, and has lost the partition
            pass
        except KafkaException as refused:
            if not refused.args[0].txn_requires_abort():
                raise  # another worker of this name has taken over
        self._producer.abort_transaction()
        self._go_back(orders)
        return False

    def _write(self, order: Order) -> None:
        try:
            self._producer.produce(self._invoices, self._invoice_of(order), order.key)
        except (ValueError, KeyError, TypeError) as error:
            self._producer.produce(self._rejected, order.value, order.key, headers={"error": repr(error)})

    def _go_back(self, orders: Records[bytes, bytes]) -> None:
        """Read these orders again, unless another worker has handled them meanwhile."""
        for tp in orders.partitions():
            try:
                committed = self._consumer.committed([tp])[tp]
                self._consumer.seek(tp, next(iter(orders.of(tp))).offset if committed is None else committed)
            except MisuseError:  # not assigned any more
                continue
