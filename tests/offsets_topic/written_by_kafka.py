"""Records of ``__consumer_offsets`` as Kafka wrote them: 4.3.0, and 4.0.0 what no later release writes."""

from __future__ import annotations

from pathlib import Path

from kafka_nextgen.offsets_topic import KeyAndValue


def written_by_kafka() -> dict[str, KeyAndValue]:
    """What Kafka wrote, by what it is."""
    files = sorted(Path(__file__).with_name("data").glob("offsets_topic_*.txt"))
    rows = [block.split("\n") for file in files for block in file.read_text().split("\n\n")[1:]]
    return {
        name.removeprefix("# "): KeyAndValue(bytes.fromhex(key), None if value == "-" else bytes.fromhex(value))
        for name, key, value, *_ in rows
    }


KAFKAS = written_by_kafka()
