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


def handle(record: Record[str, int]) -> None: ...


def handle_text(record: Record[str, str], error: Exception) -> None: ...


def handled(consumer: Consumer[str, bytes], of_any: Consumer, of_numbers: Consumer[str, int]) -> None:
    consumer.run(handle)  # REFUSED: its values are bytes
    of_any.run(handle)  # REFUSED: its values can have any type
    Consumer(bootstrap_servers="localhost:9092").run(handle)  # REFUSED: without deserializers, values are bytes
    of_numbers.run(handle, dead_letter=handle_text)  # REFUSED: a dead letter gets bytes
