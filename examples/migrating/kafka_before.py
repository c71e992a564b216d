"""Checks orders, and writes those that can't be read to another topic: a worker with kafka-python.

python examples/migrating/kafka_before.py --group checks --topic orders --dead-letters orders-dead
"""

from __future__ import annotations

import argparse
import json
import signal

from kafka import KafkaConsumer, KafkaProducer
from kafka.structs import OffsetAndMetadata


class Worker:
    def __init__(self, servers, group, topic, dead_letters):
        self.running = True
        self.dead_letters = dead_letters
        self.producer = KafkaProducer(bootstrap_servers=servers)
        self.consumer = KafkaConsumer(
            topic,
            bootstrap_servers=servers,
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            max_poll_records=5,
            session_timeout_ms=10000,
        )

    def stop(self, _number, _frame):
        self.running = False

    def run(self):
        try:
            while self.running:
                batch = self.consumer.poll(timeout_ms=500)
                for partition, messages in batch.items():
                    for message in messages:
                        self.check(message)
                    self.consumer.commit({partition: OffsetAndMetadata(messages[-1].offset + 1, "", -1)})
        finally:
            self.consumer.close()
            self.producer.close()

    def check(self, message):
        try:
            order = json.loads(message.value)
            print(f"order {message.offset} of {message.key.decode()}: {order['price']}", flush=True)
        except ValueError as error:
            headers = [("error", type(error).__name__.encode())]
            self.producer.send(self.dead_letters, message.value, message.key, headers).get(timeout=10)
            print(f"order {message.offset} is a dead letter", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--group", default="checks")
    parser.add_argument("--topic", default="orders")
    parser.add_argument("--dead-letters", default="orders-dead")
    options = parser.parse_args()
    worker = Worker(options.bootstrap_servers, options.group, options.topic, options.dead_letters)
    signal.signal(signal.SIGTERM, worker.stop)
    worker.run()


if __name__ == "__main__":
    main()
