#!/usr/bin/env bash
# Kafka 4.4.0: LAG of kafka-consumer-groups.sh is the end of the log less the committed offset, though the log may begin
# behind it. A group that committed 10 has a lag of 90 in a log of 100 records also after DeleteRecords up to 90, where
# no more than 10 can be read; its columns have nothing about the log's start.
. "$(dirname "$0")/support/common.sh"
python_with kafka-python==3.0.12
kafka 4.4.0
jars_of org.apache.kafka:kafka-tools:4.4.0
export BOOTSTRAP
lag() {
    java -cp "$WORK/jars/*" org.apache.kafka.tools.consumer.group.ConsumerGroupCommand \
        --bootstrap-server "$BOOTSTRAP" --describe --group g | awk '$1 == "g" {print "committed", $4, "end", $5, "lag", $6}'
}
python_says "log 0 to 100" <<'PY'
import os

from kafka import KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic

servers = os.environ["BOOTSTRAP"]
KafkaAdminClient(bootstrap_servers=servers).create_topics([NewTopic("t", 1, 1)])
producer = KafkaProducer(bootstrap_servers=servers)
for number in range(100):
    producer.send("t", b"%d" % number)
producer.flush()
consumer = KafkaConsumer(bootstrap_servers=servers, group_id="g")
partition = TopicPartition("t", 0)
consumer.assign([partition])
consumer.commit({partition: OffsetAndMetadata(10, "", -1)})
print("log", *consumer.beginning_offsets([partition]).values(), "to", *consumer.end_offsets([partition]).values())
PY
says "committed 10 end 100 lag 90" lag
python_says "log 90 to 100" <<'PY'
import os

from kafka import KafkaConsumer, TopicPartition
from kafka.admin import KafkaAdminClient

servers, partition = os.environ["BOOTSTRAP"], TopicPartition("t", 0)
KafkaAdminClient(bootstrap_servers=servers).delete_records({partition: 90})
consumer = KafkaConsumer(bootstrap_servers=servers)
print("log", *consumer.beginning_offsets([partition]).values(), "to", *consumer.end_offsets([partition]).values())
PY
says "committed 10 end 100 lag 90" lag
