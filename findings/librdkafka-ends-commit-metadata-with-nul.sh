#!/usr/bin/env bash
# librdkafka 2.16.0 (confluent-kafka 2.16.1) sends the metadata of a committed offset with a NUL character behind it and
# takes it off again when it reads. So other clients (kafka-python 3.0.12 here, Kafka's own tools likewise) see the NUL,
# and of the 4096 characters that Kafka 4.4.0 allows by default, the last can't be used.
. "$(dirname "$0")/support/common.sh"
python_with confluent-kafka==2.16.1 kafka-python==3.0.12
kafka 4.4.0
export BOOTSTRAP
python_says "librdkafka reads 'abc'
kafka-python reads 'abc\\x00'
librdkafka, 4095 characters: stored
librdkafka, 4096 characters: OFFSET_METADATA_TOO_LARGE
kafka-python, 4096 characters: stored" <<'PY'
import os

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from kafka import KafkaConsumer, OffsetAndMetadata
from kafka import TopicPartition as Partition

servers = os.environ["BOOTSTRAP"]
admin = AdminClient({"bootstrap.servers": servers})
admin.create_topics([NewTopic("t", 1, 1)])["t"].result()


def commit(metadata: str) -> str:
    try:
        consumer.commit(offsets=[TopicPartition("t", 0, 1, metadata=metadata)], asynchronous=False)
        return "stored"
    except KafkaException as error:
        return error.args[0].name()


consumer = Consumer({"bootstrap.servers": servers, "group.id": "g", "log_level": 0})
commit("abc")
print("librdkafka reads", repr(consumer.committed([TopicPartition("t", 0)])[0].metadata))
other = KafkaConsumer(bootstrap_servers=servers, group_id="g")
print("kafka-python reads", repr(other.committed(Partition("t", 0), metadata=True).metadata))
for length in (4095, 4096):
    print(f"librdkafka, {length} characters:", commit("e" * length))
consumer.close()
other.assign([Partition("t", 0)])
other.commit({Partition("t", 0): OffsetAndMetadata(1, "e" * 4096, -1)})
print("kafka-python, 4096 characters: stored")
other.close()
PY
