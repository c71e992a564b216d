#!/usr/bin/env bash
# confluent-kafka 2.16.1, Kafka 4.4.0: describe_consumer_groups() of a share group that has a member answers without an
# error that it is a classic group, dead, with no members: the same as of a group that does not exist.
# list_consumer_groups() leaves it out without a word.
. "$(dirname "$0")/support/common.sh"
python_with confluent-kafka==2.16.1 kafka-python==3.0.12
kafka 4.4.0 share.coordinator.state.topic.replication.factor=1 share.coordinator.state.topic.min.isr=1
export BOOTSTRAP
python_says "shared: DEAD CLASSIC 0 members
nothing: DEAD CLASSIC 0 members
listed: []
listed by kafka-python: ['shared']" <<'PY'
import os

from confluent_kafka import ShareConsumer
from confluent_kafka.admin import AdminClient, NewTopic
from kafka.admin import KafkaAdminClient

servers = {"bootstrap.servers": os.environ["BOOTSTRAP"], "log_level": 0}
admin = AdminClient(servers)
admin.create_topics([NewTopic("t", 1, 1)])["t"].result()
consumer = ShareConsumer({**servers, "group.id": "shared"})
consumer.subscribe(["t"])
for _ in range(20):
    consumer.poll(0.5)
for name, future in admin.describe_consumer_groups(["shared", "nothing"]).items():
    group = future.result()
    print(f"{name}: {group.state.name} {group.type.name} {len(group.members)} members")
print("listed:", [group.group_id for group in admin.list_consumer_groups().result().valid])
print("listed by kafka-python:", [each["group_id"] for each in KafkaAdminClient(bootstrap_servers=servers["bootstrap.servers"]).list_groups()])
consumer.close()
PY
