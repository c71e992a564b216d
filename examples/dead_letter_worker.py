"""A worker: handle each order, and write to another topic what keeps failing.

Stop it with Ctrl-C or SIGTERM: what was begun is finished and committed first.

python examples/dead_letter_worker.py --topic orders --to orders.dead --group billing
"""

from __future__ import annotations

import json
import sys
from itertools import count

from arguments import parse_arguments
from confluent_kafka import KafkaError, Message, Producer

from kafka_nextgen import Consumer, Record, StopHandle

arguments = parse_arguments(__doc__)
stop = StopHandle()
numbers = count(1)
producer = Producer({"bootstrap.servers": arguments.bootstrap_servers, "acks": "all", "enable.idempotence": True})


def handle(record: Record[bytes | None, bytes | None]) -> None:
    """Handle one record, on one of eight threads. An exception means: try again, three times in all."""
    order = json.loads(record.value or b"")
    sys.stdout.write(f"order {order['id']} is handled\n")
    sys.stdout.flush()
    if next(numbers) >= arguments.max_messages:
        stop.stop()


def bury(record: Record[bytes | None, bytes | None], error: Exception) -> None:
    """Write the record as it was, and return when the brokers have it: only then it counts as handled.

    If this raises, the worker ends with an error, and the record is not committed.
    """
    failures: list[KafkaError] = []

    def delivered(failure: KafkaError | None, _: Message) -> None:
        if failure is not None:
            failures.append(failure)

    origin = {"origin": f"{record.topic}[{record.partition}] {record.offset}", "error": f"{error!r}"}
    headers: list[tuple[str, str | bytes | None]] = [*record.headers, *origin.items()]
    producer.produce(arguments.to, record.value, record.key, headers=headers, on_delivery=delivered)
    if producer.flush(30) or failures:
        raise RuntimeError(f"{origin['origin']} was not written to {arguments.to}: {failures}")
    sys.stderr.write(f"{origin['origin']} went to {arguments.to}: {error!r}\n")


with Consumer(
    bootstrap_servers=arguments.bootstrap_servers,
    group_id=arguments.group,
    auto_offset_reset="earliest",
    enable_auto_commit=False,  # run commits what is handled
) as consumer:
    consumer.run(handle, [arguments.topic], concurrency=8, order="key", dead_letter=bury, stop=stop)
