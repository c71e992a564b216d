#!/usr/bin/env bash
# kafka-python 3.0.12, its transactional producer: offsets that the group refuses (CommitFailedError, after a rebalance)
# stay in the producer although the transaction is aborted, and go with the offsets of the next transaction. If that one
# is committed, the group has an offset behind records whose results were aborted: no one transforms them. Java's
# producer forgets refused offsets.
. "$(dirname "$0")/support/common.sh"
kafka 4.4.0
python_with kafka-python==3.0.12
cat >"$WORK/program.py" <<'PY'
import sys

import kafka
import kafka.errors

SOURCE, TARGET, GROUP = "orders", "invoices", "billing"
servers = sys.argv[1]
kafka.KafkaAdminClient(bootstrap_servers=servers).create_topics({SOURCE: {"num_partitions": 2}, TARGET: {"num_partitions": 1}})
consumer = kafka.KafkaConsumer(bootstrap_servers=servers, group_id=GROUP, enable_auto_commit=False)


def metadata_of_a_member():
    """Join the group, again if the consumer is in it already, and return the metadata of this membership."""
    consumer.unsubscribe()
    consumer.subscribe([SOURCE])
    while not consumer.assignment():
        consumer.poll(timeout_ms=100)
    return consumer.group_metadata()


def send(partition, offset, member):
    producer.begin_transaction()
    producer.send(TARGET, b"an invoice").get(60)
    position = {kafka.TopicPartition(SOURCE, partition): kafka.OffsetAndMetadata(offset, "", -1)}
    producer.send_offsets_to_transaction(position, member)


before, now = metadata_of_a_member(), metadata_of_a_member()
producer = kafka.KafkaProducer(bootstrap_servers=servers, transactional_id="billing-1")
producer.init_transactions()
try:
    send(0, 5, before)
except kafka.errors.CommitFailedError:
    producer.abort_transaction()
    print("aborted: partition 0 at 5")
send(1, 7, now)
producer.commit_transaction()
print("committed: partition 1 at 7")
for partition in 0, 1:
    print(f"the group has partition {partition} at {consumer.committed(kafka.TopicPartition(SOURCE, partition))}")
PY
says "aborted: partition 0 at 5
committed: partition 1 at 7
the group has partition 0 at 5
the group has partition 1 at 7" "$PYTHON" "$WORK/program.py" "$BOOTSTRAP"
