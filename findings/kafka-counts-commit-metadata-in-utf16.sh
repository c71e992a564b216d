#!/usr/bin/env bash
# Kafka 4.4.0 limits the metadata of a committed offset (offset.metadata.max.bytes, 4096) in UTF-16 units, not in bytes:
# 4096 times U+00E9 (8192 bytes in UTF-8) is stored, 2049 times U+10400 (2049 characters, 8196 bytes) is too large.
. "$(dirname "$0")/support/common.sh"
python_with kafka-python==3.0.12
kafka 4.4.0
export BOOTSTRAP
python_says "U+00E9 x 4096, 8192 bytes: stored
U+00E9 x 4097, 8194 bytes: OffsetMetadataTooLargeError
U+10400 x 2048, 8192 bytes: stored
U+10400 x 2049, 8196 bytes: OffsetMetadataTooLargeError" <<'PY'
import os

from kafka import KafkaConsumer, OffsetAndMetadata, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic

servers = os.environ["BOOTSTRAP"]
admin = KafkaAdminClient(bootstrap_servers=servers)
admin.create_topics([NewTopic("t", 1, 1)])
consumer = KafkaConsumer(bootstrap_servers=servers, group_id="g")
partition = TopicPartition("t", 0)
consumer.assign([partition])
for character, count in (("\u00e9", 4096), ("\u00e9", 4097), ("\U00010400", 2048), ("\U00010400", 2049)):
    metadata = character * count
    try:
        consumer.commit({partition: OffsetAndMetadata(1, metadata, -1)})
        told = "stored"
    except Exception as error:
        told = type(error).__name__
    print(f"U+{ord(character):04X} x {count}, {len(metadata.encode())} bytes: {told}")
consumer.close()
PY
