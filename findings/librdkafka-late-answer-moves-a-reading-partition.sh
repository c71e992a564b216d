#!/usr/bin/env bash
# librdkafka 2.16.0 (confluent-kafka 2.16.1), its own mock cluster: a partition that is assigned from the beginning, and
# then again at an offset while the ListOffsets request is on its way, is read from that offset; but the late answer
# makes librdkafka ask for the beginning once more, and 0.5 s later it goes back there. A group meets it when one
# rebalance follows another soon after the first: records that are committed are read again.
. "$(dirname "$0")/support/common.sh"
python_with confluent-kafka==2.16.1
python_says "read from 90 to 99, then from 0 to 99" <<'PY'
import itertools
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

producer = Producer({"test.mock.num.brokers": 1, "test.mock.broker.rtt": 300, "log_level": 0})
broker = producer.list_topics("t", timeout=30).brokers[1]
for number in range(100):
    producer.produce("t", str(number), partition=0)
producer.flush(60)


def runs_read(pause_s):
    """The offsets that were read, as runs, when the second assignment follows the first after a pause."""
    consumer = Consumer({"bootstrap.servers": f"{broker.host}:{broker.port}", "group.id": "g", "log_level": 0})
    consumer.assign([TopicPartition("t", 0, OFFSET_BEGINNING)])
    time.sleep(pause_s)
    consumer.assign([TopicPartition("t", 0, 90)])
    offsets, end = [], time.monotonic() + 5
    while time.monotonic() < end:
        message = consumer.poll(0.1)
        if message is not None and message.error() is None:
            offsets.append(message.offset())
    consumer.close()
    cuts = [0, *(at for at in range(1, len(offsets)) if offsets[at] != offsets[at - 1] + 1), len(offsets)]
    return [f"from {offsets[first]} to {offsets[last - 1]}" for first, last in itertools.pairwise(cuts) if first < last]


# The request leaves about a second after the first assignment; the pause that meets it differs with the machine.
for tenths in range(8, 30):
    if len(found := runs_read(tenths / 10)) > 1:
        break
print("read", ", then ".join(found))
PY
