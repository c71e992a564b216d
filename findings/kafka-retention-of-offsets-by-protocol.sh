#!/usr/bin/env bash
# Kafka 4.4.0: offsets.retention.minutes counts from another moment in each protocol. Two members, one of each, commit
# once, stay idle for 50 s and close together. With a retention of one minute the consumer protocol's offset is gone
# soon after, since it is counted from the commit; the classic protocol's, counted from when the group became empty,
# is still there.
. "$(dirname "$0")/support/common.sh"
python_with confluent-kafka==2.16.1
kafka 4.4.0 offsets.retention.minutes=1 offsets.retention.check.interval.ms=1000
export BOOTSTRAP
python_says "after the members left: consumer kept, classic kept
once one of them is gone: consumer gone, classic kept" <<'PY'
import os
import time

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

PROTOCOLS = ("consumer", "classic")
servers = {"bootstrap.servers": os.environ["BOOTSTRAP"], "log_level": 0}
admin = AdminClient(servers)
admin.create_topics([NewTopic("t", 1, 1)])["t"].result()
partition = TopicPartition("t", 0, 0)
members = {each: Consumer({**servers, "group.id": each, "group.protocol": each, "enable.auto.commit": False}) for each in PROTOCOLS}
assigned = set()
for name, member in members.items():
    member.subscribe(["t"], on_assign=lambda _, __, name=name: assigned.add(name))
while len(assigned) < len(members):
    for member in members.values():
        member.poll(0.1)
for member in members.values():
    member.commit(offsets=[partition], asynchronous=False)
idle_until = time.monotonic() + 50
while time.monotonic() < idle_until:
    for member in members.values():
        member.poll(0.5)
for member in members.values():
    member.close()
readers = {each: Consumer({**servers, "group.id": each}) for each in PROTOCOLS}


def kept():
    return {name: reader.committed([partition])[0].offset >= 0 for name, reader in readers.items()}


def told(found):
    return ", ".join(f"{name} {'kept' if found[name] else 'gone'}" for name in PROTOCOLS)


print("after the members left:", told(kept()))
while all((found := kept()).values()):
    time.sleep(0.5)
print("once one of them is gone:", told(found))
PY
