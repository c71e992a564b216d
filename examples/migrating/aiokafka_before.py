"""Adds up what each customer spends, in SQLite, together with the offsets: a service with aiokafka.

python examples/migrating/aiokafka_before.py --group totals --topic orders --database totals.db
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sqlite3

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition


class Totals:
    def __init__(self, path):
        self.database = sqlite3.connect(path)
        self.database.execute("CREATE TABLE IF NOT EXISTS totals (customer TEXT PRIMARY KEY, spent INTEGER)")
        self.database.execute("CREATE TABLE IF NOT EXISTS offsets (topic TEXT, number INTEGER, next INTEGER)")
        self.database.execute("CREATE UNIQUE INDEX IF NOT EXISTS one ON offsets (topic, number)")

    def position(self, topic, number):
        found = self.database.execute("SELECT next FROM offsets WHERE topic = ? AND number = ?", (topic, number))
        return next(found, (0,))[0]

    def add(self, messages):
        with self.database:
            for message in messages:
                spent = (message.key.decode(), json.loads(message.value)["price"])
                add = "ON CONFLICT (customer) DO UPDATE SET spent = spent + excluded.spent"
                self.database.execute(f"INSERT INTO totals VALUES (?, ?) {add}", spent)
                done = (message.topic, message.partition, message.offset + 1)
                self.database.execute("INSERT OR REPLACE INTO offsets VALUES (?, ?, ?)", done)

    def lines(self):
        found = self.database.execute("SELECT customer, spent FROM totals ORDER BY customer")
        return [f"{customer} spent {spent}" for customer, spent in found]


class FromDatabase(ConsumerRebalanceListener):
    def __init__(self, consumer, totals):
        self.consumer = consumer
        self.totals = totals

    async def on_partitions_revoked(self, revoked):
        pass

    async def on_partitions_assigned(self, assigned):
        for partition in assigned:
            self.consumer.seek(partition, self.totals.position(partition.topic, partition.partition))


async def serve(options):
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    totals = Totals(options.database)
    consumer = AIOKafkaConsumer(
        bootstrap_servers=options.bootstrap_servers,
        group_id=options.group,
        enable_auto_commit=False,
        max_poll_records=5,
        session_timeout_ms=10000,
    )
    consumer.subscribe([options.topic], listener=FromDatabase(consumer, totals))
    await consumer.start()
    try:
        while not stopping.is_set():
            batch = await consumer.getmany(timeout_ms=500)
            for messages in batch.values():
                totals.add(messages)
                print(f"added {messages[-1].offset + 1}", flush=True)
        print(f"at {await consumer.position(TopicPartition(options.topic, 0))}")
    finally:
        await consumer.stop()
    print("\n".join(totals.lines()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--group", default="totals")
    parser.add_argument("--topic", default="orders")
    parser.add_argument("--database", default="totals.db")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
