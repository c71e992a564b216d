#!/usr/bin/env bash
# kafka-python 3.0.12, classic groups: the leader joins again because a topic has grown. If a poll is over after it has
# assigned the partitions, but before the answer to SyncGroup is there, the next poll no longer sees a reason to join, and
# takes no notice of the answer. The group is stable, the broker says that the member has all partitions, heartbeats go
# on, and the new partition is read by no one. A poll that lasts longer than the rebalance is not affected.
. "$(dirname "$0")/support/common.sh"
kafka 4.4.0
python_with kafka-python==3.0.12
cat >"$WORK/program.py" <<'PY'
import sys
import time

import kafka

servers, groups = sys.argv[1], 10
admin = kafka.KafkaAdminClient(bootstrap_servers=servers)


def poll_until(consumer, wait_ms, count):
    """Poll until the consumer has this many partitions, or five seconds are over; returns how many it has."""
    end = time.monotonic() + 5
    while len(consumer.assignment()) < count and time.monotonic() < end:
        consumer.poll(timeout_ms=wait_ms)
    return len(consumer.assignment())


def partitions_after_growth(name, wait_ms):
    admin.create_topics({name: {"num_partitions": 1}})
    consumer = kafka.KafkaConsumer(bootstrap_servers=servers, group_id=name, metadata_max_age_ms=500)
    consumer.subscribe([name])
    assert poll_until(consumer, 1000, 1) == 1
    admin.create_partitions({name: 2})
    own = poll_until(consumer, wait_ms, 2)
    consumer.close()
    return own


for wait_ms in 1, 1000:
    owned = [partitions_after_growth(f"orders-{wait_ms}-{number}", wait_ms) for number in range(groups)]
    lacking = owned.count(1)
    print(f"polls of {wait_ms} ms: {'some' if lacking else 'no'} consumers lack the new partition")
    print(f"{lacking} of {groups}", file=sys.stderr)
PY
says "polls of 1 ms: some consumers lack the new partition
polls of 1000 ms: no consumers lack the new partition" "$PYTHON" "$WORK/program.py" "$BOOTSTRAP"
