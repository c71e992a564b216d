#!/usr/bin/env bash
# faststream 0.7.8 decodes a value without a content type, as other clients write them, as JSON if it can, and only then
# looks at the handler's annotation. A handler of bytes gets b'a' for the value "a" in quotes, and never sees 123 or
# null, which fail as no bytes; a handler of str gets the postal code 00123, which is no JSON, and fails with 12345. A
# Decimal is made from a float: digits beyond the sixteenth or seventeenth are lost, and so is the zero of 1.10. Seen
# with its TestKafkaBroker, which parses and decodes as KafkaBroker does, and pydantic 2.14.4.
. "$(dirname "$0")/support/common.sh"
python_with "faststream[confluent]==0.7.8" pydantic==2.14.4
python_says "$(cat <<'SEEN'
bytes, value b'abc': [b'abc']
bytes, value b'"a"': [b'a']
bytes, value b'123': ValidationError
bytes, value b'null': ValidationError
str, value b'00123': ['00123']
str, value b'123': ValidationError
Decimal, value b'1.10': [Decimal('1.1')]
Decimal, value b'12345678901234567890.123456789': [Decimal('1.2345678901234567E+19')]
SEEN
)" <<'PY'
import asyncio
from decimal import Decimal

from faststream.confluent import KafkaBroker, TestKafkaBroker

TRIED = [
    (bytes, b"abc"),
    (bytes, b'"a"'),
    (bytes, b"123"),
    (bytes, b"null"),
    (str, b"00123"),
    (str, b"123"),
    (Decimal, b"1.10"),
    (Decimal, b"12345678901234567890.123456789"),
]


async def received(annotation, value):
    broker = KafkaBroker(logger=None)
    messages = []

    @broker.subscriber("t")
    async def handler(message: annotation):
        messages.append(message)

    async with TestKafkaBroker(broker) as tested:
        try:
            await tested.publish(value, "t")
        except Exception as error:
            return type(error).__name__
    return messages


async def main():
    for annotation, value in TRIED:
        print(f"{annotation.__name__}, value {value}: {await received(annotation, value)}")


asyncio.run(main())
PY
