#!/usr/bin/env bash
# librdkafka 2.16.0 (confluent-kafka 2.16.1), Kafka 4.4.0: in the on_revoke callback that close() calls, commit() and
# position() work as in any other, but committed() gets no answer and fails when its timeout is over. In the on_revoke
# that follows unsubscribe() it answers.
. "$(dirname "$0")/support/common.sh"
python_with confluent-kafka==2.16.1
kafka 4.4.0
export BOOTSTRAP
python_says "unsubscribe: commit answers, committed answers
close: commit answers, committed _TIMED_OUT" <<'PY'
import os

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

servers = os.environ["BOOTSTRAP"]
admin = AdminClient({"bootstrap.servers": servers})
admin.create_topics([NewTopic("t", 1, 1)])["t"].result()
consumer = Consumer({"bootstrap.servers": servers, "group.id": "g", "group.protocol": "consumer", "log_level": 0})
assigned = []


def answer(call):
    try:
        call()
        return "answers"
    except KafkaException as error:
        return error.args[0].name()


def on_revoke(_, partitions):
    committing = answer(lambda: consumer.commit(offsets=[TopicPartition("t", 0, 2)], asynchronous=False))
    print(f"{doing}: commit {committing}, committed {answer(lambda: consumer.committed(partitions, timeout=5))}")
    assigned.clear()


for doing, end in (("unsubscribe", consumer.unsubscribe), ("close", consumer.close)):
    consumer.subscribe(["t"], on_assign=lambda _, partitions: assigned.extend(partitions), on_revoke=on_revoke)
    while not assigned:
        consumer.poll(0.1)
    end()
    while assigned:  # unsubscribe() leaves the callback to the next poll
        consumer.poll(0.1)
PY
