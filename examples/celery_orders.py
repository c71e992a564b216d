"""Celery tasks for the orders of a topic: this program sends a task for each record, and Celery's workers do the work.

The settings come from the environment: BOOTSTRAP_SERVERS, TOPIC and GROUP. CELERY_CONFIG_MODULE names a module with
Celery's own, such as ``broker_url``.

celery --workdir examples -A celery_orders worker
python examples/celery_orders.py
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from celery import Celery

from kafka_nextgen import Consumer, Record

app = Celery("celery_orders")
app.config_from_envvar("CELERY_CONFIG_MODULE", silent=True)


@app.task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def charge(order: dict[str, Any]) -> None:
    """Do the work, in a worker of Celery. It must be repeatable: Kafka and Celery may both deliver an order again."""
    sys.stdout.write(f"order {order['id']} is charged\n")
    sys.stdout.flush()


def handle(record: Record[bytes | None, bytes | None]) -> None:
    """Send a task, and return when Celery's broker has it. An exception means: try again, three times in all."""
    order = json.loads(record.value or b"")
    charge.apply_async([order], task_id=f"{record.topic}-{record.partition}-{record.offset}")


def main() -> None:
    """Send a task for each record until SIGTERM or Ctrl-C; what was sent is committed first."""
    with Consumer(
        bootstrap_servers=os.environ.get("BOOTSTRAP_SERVERS", "localhost:9092"),
        group_id=os.environ.get("GROUP", "billing"),
        auto_offset_reset="earliest",
        enable_auto_commit=False,  # run commits what is handled
    ) as consumer:
        consumer.run(handle, [os.environ.get("TOPIC", "orders")])


if __name__ == "__main__":
    main()
