"""What type checkers have to refuse, each line with the mark. Never run."""

from __future__ import annotations

from kafka_nextgen import Consumer, Record


def wrong(consumer: Consumer[str, bytes], record: Record[str, bytes]) -> None:
    for each in consumer:
        each.value.decode()  # REFUSED: it may be None
    number: int | None = record.value  # REFUSED
    Consumer(bootstrap_servers="localhost:9092", value_deserializer=3)  # REFUSED
    other: Consumer[int, bytes] = consumer  # REFUSED
    print(number, other)
