"""Adds up what each customer spends, in SQLite, together with the offsets: the service of
``aiokafka_before.py``, ported.

python examples/migrating/aiokafka_after.py --group totals --topic orders --database totals.db
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sqlite3

from kafka_nextgen import AsyncConsumer, AsyncRebalanceListener, TopicPartition


class Totals:
    def __init__(self, path):
        self.database = sqlite3.connect(path)
        self.database.execute("CREATE TABLE IF NOT EXISTS totals (customer TEXT PRIMARY KEY, spent INTEGER)")
        self.database.execute("CREATE TABLE IF NOT EXISTS offsets (topic TEXT, number INTEGER, next INTEGER)")
        self.database.execute("CREATE UNIQUE INDEX IF NOT EXISTS one ON offsets (topic, number)")

    def position(self, topic, number):
        found = self.database.execute("SELECT next FROM offsets WHERE topic = ? AND number = ?", (topic, number))
        return next(found, (0,))[0]

    def add(self, records):
        with self.database:
            for record in records:
                spent = (record.key.decode(), json.loads(record.value)["price"])
                add = "ON CONFLICT (customer) DO UPDATE SET spent = spent + excluded.spent"
                self.database.execute(f"INSERT INTO totals VALUES (?, ?) {add}", spent)
                done = (record.topic, record.partition, record.offset + 1)
                self.database.execute("INSERT OR REPLACE INTO offsets VALUES (?, ?, ?)", done)

    def lines(self):
        found = self.database.execute("SELECT customer, spent FROM totals ORDER BY customer")
        return [f"{customer} spent {spent}" for customer, spent in found]


class FromDatabase(AsyncRebalanceListener):
    def __init__(self, totals):
        self.totals = totals

    async def on_partitions_assigned(self, consumer, partitions):
        for partition in partitions:
            await consumer.seek(partition, self.totals.position(partition.topic, partition.partition))


async def serve(options):
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    totals = Totals(options.database)
    async with AsyncConsumer(
        bootstrap_servers=options.bootstrap_servers,
        group_id=options.group,
        enable_auto_commit=False,
        max_poll_records=5,
    ) as consumer:
        await consumer.subscribe([options.topic], FromDatabase(totals))
        while not stopping.is_set():
            records = await consumer.poll(timeout=0.5)
            for partition in records.partitions():
                totals.add(records.of(partition))
                print(f"added {records.next_offsets()[partition]}", flush=True)
        print(f"at {await consumer.position(TopicPartition(options.topic, 0))}")
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
