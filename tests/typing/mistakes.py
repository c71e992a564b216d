"""What type checkers have to refuse, each line with the mark. Never run."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen import AsyncConsumer, Consumer, ConsumerConfig, ConsumerSettings, GroupAdmin, Record, read_arrow


def wrong(consumer: Consumer[str, bytes], record: Record[str, bytes]) -> None:
    for each in consumer:
        each.value.decode()  # REFUSED: it may be None
    number: int | None = record.value  # REFUSED
    Consumer(bootstrap_servers="localhost:9092", value_deserializer=3)  # REFUSED
    other: Consumer[int, bytes] = consumer  # REFUSED
    print(number, other)


def misspelled(config: Mapping[str, object], settings: dict[str, object]) -> None:
    Consumer(bootstrap_servers="localhost:9092", gruop_id="billing")  # REFUSED
    Consumer(bootstrap_servers="localhost:9092", max_poll_records="many")  # REFUSED
    Consumer(bootstrap_servers="localhost:9092", isolation_level="commited")  # REFUSED
    Consumer(config, error_cb=print)  # REFUSED: errors are raised, and health() has the rest
    Consumer(bootstrap_servers="localhost:9092", value_deserializer=int, group_instance_id=7)  # REFUSED
    AsyncConsumer(bootstrap_servers="localhost:9092", gruop_id="billing")  # REFUSED
    AsyncConsumer(bootstrap_servers="localhost:9092", max_poll_records="many")  # REFUSED
    ConsumerConfig.parse(bootstrap_servers="localhost:9092", gruop_id="billing")  # REFUSED
    GroupAdmin(bootstrap_server="localhost:9092")  # REFUSED
    read_arrow("orders", bootstrap_servers="localhost:9092", clientid="nightly")  # REFUSED
    Consumer(**settings)  # REFUSED: pass it as a mapping
    many: ConsumerSettings = {"max_poll_records": "many"}  # REFUSED
    wrong_key: ConsumerSettings = {"gruop_id": "billing"}  # REFUSED
    print(many, wrong_key)


def handle(record: Record[str, int]) -> None: ...


def handle_text(record: Record[str, str], error: Exception) -> None: ...


def handled(consumer: Consumer[str, bytes], of_any: Consumer, of_numbers: Consumer[str, int]) -> None:
    consumer.run(handle)  # REFUSED: its values are bytes
    of_any.run(handle)  # REFUSED: its values can have any type
    Consumer(bootstrap_servers="localhost:9092").run(handle)  # REFUSED: without deserializers, values are bytes
    of_numbers.run(handle, dead_letter=handle_text)  # REFUSED: a dead letter gets bytes
