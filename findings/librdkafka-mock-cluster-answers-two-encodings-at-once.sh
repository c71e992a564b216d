#!/usr/bin/env bash
# librdkafka 2.16.0 (confluent-kafka 2.16.1): its mock cluster knows ApiVersions up to version 2. A newer version is to be
# answered in version 0's encoding (KIP-511), so that a client can ask again; the mock writes the list's length in one
# byte, as flexible versions do (and 1 for one element, where they write 2), and what follows as version 0 does. Clients
# that parse the answer can't connect: kafka-python 3.0.12 finds no broker. librdkafka itself connects.
. "$(dirname "$0")/support/common.sh"
python_with confluent-kafka==2.16.1 kafka-python==3.0.12
python_says "version 2: error 0, 00000018 for its list
version 3: error 35, 01001200 where version 0 has the length of its list
kafka-python: KafkaTimeoutError" <<'PY'
import logging
import socket
import struct

from confluent_kafka import Producer
from kafka import KafkaConsumer
from kafka.errors import KafkaError

logging.disable()
producer = Producer({"test.mock.num.brokers": 1, "log_level": 0})
broker = producer.list_topics("t", timeout=30).brokers[1]
END_OF_TAGS = b"\0"


def answer(version, header_end, body):
    request = struct.pack(">hhih", 18, version, 7, 1) + b"x" + header_end + body
    with socket.create_connection((broker.host, broker.port)) as connection, connection.makefile("rb") as arriving:
        connection.sendall(struct.pack(">i", len(request)) + request)
        return arriving.read(struct.unpack(">i", arriving.read(4))[0])[4:]


old, new = answer(2, b"", b""), answer(3, END_OF_TAGS, b"\x02a\x02b" + END_OF_TAGS)
print(f"version 2: error {old[1]}, {old[2:6].hex()} for its list")
print(f"version 3: error {new[1]}, {new[2:6].hex()} where version 0 has the length of its list")
try:
    KafkaConsumer(bootstrap_servers=f"{broker.host}:{broker.port}", bootstrap_timeout_ms=10_000)
except KafkaError as error:
    print("kafka-python:", type(error).__name__)
PY
