"""How the soak numbers partitions and records.

The partition ``p`` of the topic number ``t`` is the place ``t * 1000 + p``. A topic that is deleted and created again
is another topic (KIP-516), its next incarnation: together with the place this is a key, ``incarnation * 1,000,000 +
place``. A record's value names its key and the offset that it has to get, so a worker sees at once whether a record
is where it belongs, and tells of keys and places by the numbers that ``tests.endtoend.report`` takes.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen import Record, TopicPartition
from tests.endtoend.report import Run

_PARTITIONS = 1_000
_PLACES = 1_000_000


def topic_of(prefix: str, number: int) -> str:
    return f"{prefix}-{number}"


def place_of(at: TopicPartition) -> int:
    return int(at.topic.rpartition("-")[2]) * _PARTITIONS + at.partition


def places_of(partitions: Iterable[TopicPartition]) -> tuple[int, ...]:
    return tuple(sorted(map(place_of, partitions)))


def partition_at(prefix: str, key: int) -> TopicPartition:
    topic, partition = divmod(key % _PLACES, _PARTITIONS)
    return TopicPartition(topic_of(prefix, topic), partition)


def key_at(place: int, incarnation: int) -> int:
    return incarnation * _PLACES + place % _PLACES


def name_of(key: int) -> str:
    incarnation, place = divmod(key, _PLACES)
    topic, partition = divmod(place, _PARTITIONS)
    return f"topic {topic}[{partition}]" + (f" (incarnation {incarnation})" if incarnation else "")


def value_of(key: int, offset: int) -> bytes:
    return b"%d/%d" % (key, offset)


def runs_of(records: Iterable[Record]) -> tuple[list[Run], list[Run]]:
    """Return the records as runs of their keys in the order in which they came, and those that belong elsewhere."""
    runs: list[Run] = []
    misplaced: list[Run] = []
    for record in records:
        place = place_of(TopicPartition(record.topic, record.partition))
        key, _, offset = bytes(record.value or b"0/-1").partition(b"/")  # type: ignore[call-overload]
        if int(key) % _PLACES != place or int(offset) != record.offset:
            misplaced.append(Run(place, record.offset, record.offset))
        elif runs and (runs[-1].partition, runs[-1].last + 1) == (int(key), record.offset):
            runs[-1] = Run(int(key), runs[-1].first, record.offset)
        else:
            runs.append(Run(int(key), record.offset, record.offset))
    return runs, misplaced
