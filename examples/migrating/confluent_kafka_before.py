"""Writes an invoice for each order, at least once: a service with confluent-kafka.

python examples/migrating/confluent_kafka_before.py --group invoices --topic orders
"""

from __future__ import annotations

import argparse
import json
import logging
import signal

from confluent_kafka import Consumer, KafkaError, KafkaException

logger = logging.getLogger("invoices")
running = True


def stop(_number, _frame):
    global running
    running = False


def on_error(error):
    logger.warning("Kafka: %s", error.str())


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
        "auto.offset.reset": "smallest",
        "enable.auto.offset.store": False,
        "enable.partition.eof": True,
        "session.timeout.ms": 10000,
        "error_cb": on_error,
    }
    consumer = Consumer(config, logger=logger)
    consumer.subscribe([options.topic], on_assign=on_assign, on_revoke=on_revoke)
    try:
        while running:
            msg = consumer.poll(0.5)
            if msg is None:
                continue
            if msg.error():
                if msg.error().code() == KafkaError._PARTITION_EOF:  # noqa: SLF001
                    continue
                raise KafkaException(msg.error())
            order = json.loads(msg.value())
            print(f"invoice {msg.offset()} for {msg.key().decode()}: {order['price']}", flush=True)
            consumer.store_offsets(message=msg)
    finally:
        consumer.close()


if __name__ == "__main__":
    main()
