"""Read a topic, transform its records and write them to another one, each exactly once.

python examples/consume_transform_produce.py --topic orders --to invoices --group billing --transactional-id billing-1

What was read, written and committed in one transaction counts together or not at all. docs/use/transactions.md explains
it.
"""

from __future__ import annotations

from arguments import parse_arguments
from confluent_kafka import KafkaException, Producer
from confluent_kafka import TopicPartition as Position

from kafka_nextgen import Consumer, MisuseError, Record, Records

arguments = parse_arguments(__doc__)


def transform(record: Record) -> bytes:
    assert isinstance(record.value, bytes)
    return record.value.upper()


def process(consumer: Consumer, producer: Producer, records: Records) -> bool:
    """Handle what one poll gave in one transaction; return whether it counts."""
    producer.begin_transaction()
    try:
        for record in records:
            producer.produce(arguments.to, transform(record), record.key)
        positions = [Position(tp.topic, tp.partition, consumer.position(tp)) for tp in records.partitions()]
        producer.send_offsets_to_transaction(positions, consumer.group_metadata())
        producer.commit_transaction()
        return True
    except MisuseError as lost:  # the member was fenced after this poll: it has no position there any more
        print(f"aborted: {lost}", flush=True)
    except KafkaException as refused:
        if not refused.args[0].txn_requires_abort():
            raise  # fatal: another producer with this transactional id has taken over, for instance
        print(f"aborted: {refused}", flush=True)
    producer.abort_transaction()
    go_back(consumer, records)
    return False


def go_back(consumer: Consumer, records: Records) -> None:
    """Read these records again, unless another member has transformed them meanwhile."""
    for tp in records.partitions():
        try:
            committed = consumer.committed([tp])[tp]
            consumer.seek(tp, next(iter(records.of(tp))).offset if committed is None else committed)
        except MisuseError:  # not assigned any more: its next owner begins at what is committed
            continue


with Consumer(
    bootstrap_servers=arguments.bootstrap_servers,
    group_id=arguments.group,
    auto_offset_reset="earliest",
    enable_auto_commit=False,  # the transactions commit
    isolation_level="read_committed",
) as consumer:
    producer = Producer(
        {"bootstrap.servers": arguments.bootstrap_servers, "transactional.id": arguments.transactional_id}
    )
    producer.init_transactions()
    consumer.subscribe([arguments.topic])
    done = 0
    while done < arguments.max_messages:
        records = consumer.poll(timeout=1.0, max_records=min(500, arguments.max_messages - done))
        if records and process(consumer, producer, records):
            done += len(records)
            print(f"{done} records transformed", flush=True)
