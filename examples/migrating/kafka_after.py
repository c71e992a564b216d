"""Checks orders, and writes those that can't be read to another topic: the worker of ``kafka_before.py``, ported.

``run`` polls, commits and stops on SIGTERM; the producer stays kafka-python's.

python examples/migrating/kafka_after.py --group checks --topic orders --dead-letters orders-dead
"""

from __future__ import annotations

import argparse
import json

from kafka import KafkaProducer

from kafka_nextgen import Consumer


class Worker:
    def __init__(self, servers, group, dead_letters):
        self.dead_letters = dead_letters
        self.producer = KafkaProducer(bootstrap_servers=servers)
        self.consumer = Consumer(
            bootstrap_servers=servers,
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            max_poll_records=5,
        )

    def run(self, topic):
        with self.consumer:
            self.consumer.run(self.check, [topic], attempts=1, dead_letter=self.bury)
        self.producer.close()

    def check(self, record):
        order = json.loads(record.value)
        print(f"order {record.offset} of {record.key.decode()}: {order['price']}", flush=True)

    def bury(self, record, error):
        headers = [("error", type(error).__name__.encode())]
        self.producer.send(self.dead_letters, record.value, record.key, headers).get(timeout=10)
        print(f"order {record.offset} is a dead letter", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--group", default="checks")
    parser.add_argument("--topic", default="orders")
    parser.add_argument("--dead-letters", default="orders-dead")
    options = parser.parse_args()
    Worker(options.bootstrap_servers, options.group, options.dead_letters).run(options.topic)


if __name__ == "__main__":
    main()
