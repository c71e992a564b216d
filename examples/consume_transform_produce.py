"""Read a topic, transform its records and write them to another one, each exactly once.

python examples/consume_transform_produce.py --topic orders --to invoices --group billing --transactional-id billing-1

What was read, written and committed in one transaction counts together or not at all. docs/guides/transactions.md
explains it.
"""

from __future__ import annotations

from arguments import parse_arguments
from confluent_kafka import Producer

from kafka_nextgen import Consumer, OutputRecord, Record, StopHandle

arguments = parse_arguments(__doc__)
stop = StopHandle()
transformed = 0


def transform(record: Record) -> OutputRecord:
    global transformed
    assert isinstance(record.value, bytes)
    transformed += 1  # may count a record twice; only its result counts once
    if transformed >= arguments.max_messages:
        stop.stop()
    return OutputRecord(arguments.to, record.value.upper(), record.key)


def make_producer() -> Producer:
    """Make the first producer, and another one whenever that can't be used any more."""
    return Producer({"bootstrap.servers": arguments.bootstrap_servers, "transactional.id": arguments.transactional_id})


with Consumer(
    bootstrap_servers=arguments.bootstrap_servers,
    group_id=arguments.group,
    auto_offset_reset="earliest",
    enable_auto_commit=False,  # the transactions commit
    isolation_level="read_committed",
) as consumer:
    consumer.run_in_transactions(transform, [arguments.topic], producer=make_producer, stop=stop)
print(f"{transformed} records transformed", flush=True)
