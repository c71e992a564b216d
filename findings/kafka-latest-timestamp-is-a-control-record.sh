#!/usr/bin/env bash
# Kafka 4.4.0: ListOffsets for the greatest timestamp (KIP-734) counts the markers that end transactions. After three
# records with timestamps 1000 to 1002 in a transaction it gives offset 3, the commit marker, and the marker's time,
# which is the broker's. No consumer ever gets a record from there.
. "$(dirname "$0")/support/common.sh"
python_with confluent-kafka==2.16.1
kafka 4.4.0
export BOOTSTRAP
python_says "end 4
offset of the greatest timestamp 3
its timestamp is one of the records: False
offset for timestamp 1002: 2" <<'PY'
import os

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

servers = {"bootstrap.servers": os.environ["BOOTSTRAP"], "log_level": 0}
admin = AdminClient(servers)
admin.create_topics([NewTopic("t", 1, 1)])["t"].result()
producer = Producer({**servers, "transactional.id": "x"})
producer.init_transactions()
producer.begin_transaction()
for number in range(3):
    producer.produce("t", b"value", timestamp=1000 + number)
producer.commit_transaction()
partition = TopicPartition("t", 0)
consumer = Consumer({**servers, "group.id": "g", "isolation.level": "read_committed"})
end = consumer.get_watermark_offsets(partition)[1]
while end < 4:  # the marker is written soon after commit_transaction() returned
    end = consumer.get_watermark_offsets(partition)[1]
print("end", end)
found = admin.list_offsets({partition: OffsetSpec.max_timestamp()})[partition].result()
print("offset of the greatest timestamp", found.offset)
print("its timestamp is one of the records:", found.timestamp in (1000, 1001, 1002))
print("offset for timestamp 1002:", consumer.offsets_for_times([TopicPartition("t", 0, 1002)])[0].offset)
consumer.close()
PY
