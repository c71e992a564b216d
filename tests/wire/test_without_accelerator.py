"""What happens where the compiled decoder is missing, or not wanted."""

from __future__ import annotations

import os
import subprocess
import sys

DECODE = """
import kafka_nextgen
from kafka_nextgen.wire.records import NewRecord, RecordLimits, decode_partition, encode_batch

orders = kafka_nextgen.TopicPartition("orders", 0)
columns = decode_partition(encode_batch([NewRecord(b"paid")]), orders, 0, RecordLimits())
print(kafka_nextgen.accelerated, *columns.values)
"""
MISSING = "import sys; sys.modules['kafka_nextgen.compiled._accelerator'] = None"


def run(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_without_it_records_are_decoded_in_python() -> None:
    assert run(MISSING + DECODE) == "False b'paid'"


def test_it_can_be_switched_off() -> None:
    assert run(DECODE, KAFKA_NEXTGEN_PURE="1") == "False b'paid'"
