#!/usr/bin/env bash
# librdkafka 2.16.0 (confluent-kafka 2.16.1) checks a subscribed pattern with its own small regex engine also with
# group.protocol=consumer, where the broker resolves patterns by RE2/J. subscribe() fails at once, without a broker, for
# valid RE2 syntax: Unicode classes with a name in braces, hexadecimal and octal escapes, flags, groups without capture.
# RE2 syntax that the engine takes for something else passes.
. "$(dirname "$0")/support/common.sh"
python_with confluent-kafka==2.16.1
python_says '^A\p{Lu}+$ _INVALID_ARG
^A\x{2D}B$ _INVALID_ARG
^\101B$ _INVALID_ARG
^(?i)ab$ _INVALID_ARG
^(?:ab)$ _INVALID_ARG
^\pL+$ accepted
^[[:alpha:]]+$ accepted
^a.*?b$ accepted' <<'PY'
from confluent_kafka import Consumer, KafkaException

settings = {"bootstrap.servers": "127.0.0.1:1", "group.id": "g", "group.protocol": "consumer", "log_level": 0}
for pattern in r"^A\p{Lu}+$ ^A\x{2D}B$ ^\101B$ ^(?i)ab$ ^(?:ab)$ ^\pL+$ ^[[:alpha:]]+$ ^a.*?b$".split():
    consumer = Consumer(settings)
    try:
        consumer.subscribe([pattern])
        print(pattern, "accepted")
    except KafkaException as error:
        print(pattern, error.args[0].name())
    consumer.close()
PY
