"""Records of ``__consumer_offsets`` as Kafka 4.3.0 wrote them."""

from __future__ import annotations

from pathlib import Path

from kafka_nextgen.offsets_topic import KeyAndValue


def written_by_kafka() -> dict[str, KeyAndValue]:
    """What Kafka 4.3.0 wrote, by what it is."""
    blocks = Path(__file__).with_name("data").joinpath("offsets_topic_4_3_0.txt").read_text().split("\n\n")[1:]
    rows = [block.split("\n") for block in blocks]
    return {
        name.removeprefix("# "): KeyAndValue(bytes.fromhex(key), None if value == "-" else bytes.fromhex(value))
        for name, key, value, *_ in rows
    }


KAFKAS = written_by_kafka()
