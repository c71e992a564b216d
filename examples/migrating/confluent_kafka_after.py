"""Writes an invoice for each order, at least once: the service of ``confluent_kafka_before.py``, ported.

python examples/migrating/confluent_kafka_after.py --group invoices --topic orders
"""

from __future__ import annotations

import argparse
import json
import logging
import signal

from kafka_nextgen import Consumer

logger = logging.getLogger("invoices")
running = True


def stop(_number, _frame):
    global running
    running = False


def on_assign(consumer, partitions):
    logger.info("assigned %s", [partition.partition for partition in partitions])


def on_revoke(consumer, partitions):
    logger.info("revoked %s", [partition.partition for partition in partitions])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--group", default="invoices")
    parser.add_argument("--topic", default="orders")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, stop)
    config = {
        "bootstrap.servers": options.bootstrap_servers,
        "group.id": options.group,
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
        "allow.auto.create.topics": False,
    }
    with Consumer(config) as consumer:
        consumer.subscribe([options.topic], on_assign=on_assign, on_revoke=on_revoke)
        while running:
            for record in consumer.poll(timeout=0.5):
                order = json.loads(record.value)
                print(f"invoice {record.offset} for {record.key.decode()}: {order['price']}", flush=True)


if __name__ == "__main__":
    main()
