"""Read and write the JSON of Spark's built-in Kafka source in options and checkpoints.

Offsets and timestamps are keyed by topic and partition, partitions to assign by topic:

    {"topicA":{"0":23,"1":-1},"topicB":"earliest"}    startingOffsets, endingOffsets
    {"topicA":{"0":23,"1":42}}                        checkpoints
    {"topicA":{"0":1700000000000}}                    startingOffsetsByTimestamp, endingOffsetsByTimestamp
    {"topicA":[0,1],"topicB":[4]}                     assign

The rules:

- An offset in an option is a non-negative number, -1 for the latest, or -2 for the earliest. Checkpoints have only
  non-negative numbers.
- In an option, ``"earliest"`` or ``"latest"`` may apply to all partitions of a topic (SPARK-58774; Spark 4.3 does not
  have it yet).
- A timestamp is a non-negative number of milliseconds, because negative ones have other meanings in Kafka.
- Some JSON that the built-in source happens to accept is refused: numbers in quotes, fractions, names that appear twice
  (it uses the last one), and text after the end.
- Offsets are written as by the built-in source (JsonUtils.scala), but ordered by topic and partition instead of by a
  hash map.

Malformed JSON raises ``OffsetsFormatError``, which names the option and the mistake, and shows an example.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.spark.errors import OffsetsFormatError
from kafka_nextgen.types import TopicPartition, topic_name_complaint

__all__ = [
    "EARLIEST",
    "LATEST",
    "offsets_document",
    "parse_offsets",
    "parse_partitions",
    "parse_timestamps",
    "read_checkpoint",
]

#: In an option, the end of a partition.
LATEST = -1
#: In an option, the first record of a partition.
EARLIEST = -2

_GREATEST = 2**63 - 1
_GREATEST_PARTITION = 2**31 - 1
_NUMBER = lazy_pattern(r"0|[1-9][0-9]{0,9}")
_SHOWN = 200

T = TypeVar("T")


@frozen
class _Form:
    """The meaning of the numbers in a document, their minimum, and an example of a document."""

    what: str
    least: int
    example: str


_OFFSETS = _Form("offset", EARLIEST, '{"topicA":{"0":23,"1":-1},"topicB":"earliest"}')
_EDGES = {"earliest": EARLIEST, "latest": LATEST}
_CHECKPOINT = _Form("offset", 0, '{"topicA":{"0":23,"1":42}}')
_TIMESTAMPS = _Form("timestamp", 0, '{"topicA":{"0":1700000000000,"1":1700000000000}}')
_PARTITIONS = _Form("partition", 0, '{"topicA":[0,1],"topicB":[0,1]}')


class _MalformedError(Exception):
    """The mistake in a document; the public error adds the option and an example."""


def parse_offsets(text: str, option: str = "startingOffsets") -> tuple[dict[TopicPartition, int], dict[str, int]]:
    """Read offsets by partition, which may be ``LATEST`` or ``EARLIEST``, and one of these by topic for whole topics.

    ``option`` is the option's name, for the error. Raises ``OffsetsFormatError``.
    """
    return _read(lambda: _by_partition_or_topic(_loaded(text)), text, option, _OFFSETS)


def parse_timestamps(text: str, option: str = "startingOffsetsByTimestamp") -> dict[TopicPartition, int]:
    """Read timestamps by partition, in milliseconds since the epoch. Raises ``OffsetsFormatError``."""
    return _read(lambda: _numbers(_loaded(text), _TIMESTAMPS), text, option, _TIMESTAMPS)


def parse_partitions(text: str) -> tuple[TopicPartition, ...]:
    """Read the partitions of ``assign``, sorted; at least one. Raises ``OffsetsFormatError``."""
    return _read(lambda: _partitions(_loaded(text)), text, "assign", _PARTITIONS)


def read_checkpoint(offset: object) -> dict[TopicPartition, int]:
    """Read an offset of a checkpoint, which pyspark has parsed.

    Raises ``OffsetsFormatError`` with no ``key``, for instance if another kind of source wrote the checkpoint.
    """
    return _read(lambda: _numbers(offset, _CHECKPOINT), offset, None, _CHECKPOINT)


def offsets_document(offsets: Mapping[TopicPartition, int]) -> dict[str, dict[str, int]]:
    """Return offsets by topic and partition, for pyspark to write with ``json.dumps``.

    The JSON then has spaces, but both sources read it with and without spaces.
    """
    document: dict[str, dict[str, int]] = {}
    for tp in sorted(offsets):
        document.setdefault(tp.topic, {})[str(tp.partition)] = offsets[tp]
    return document


def _read(read: Callable[[], T], document: object, option: str | None, form: _Form) -> T:
    try:
        return read()
    except _MalformedError as error:
        text = document if isinstance(document, str) else json.dumps(document, default=repr)
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"
        place = option or "the checkpoint's offset"
        raise OffsetsFormatError(f"{place}: {error}; expected e.g. {form.example}, got {shown}", option) from None


def _loaded(text: str) -> object:
    try:
        loaded: object = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refused_constant)
    except json.JSONDecodeError as error:
        raise _MalformedError(f"this is not JSON ({error.msg} at character {error.pos})") from None
    except ValueError:  # Python refuses integers with thousands of digits
        raise _MalformedError("a number is far too large") from None
    except RecursionError:
        raise _MalformedError("this is nested far too deeply") from None
    return loaded


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        raise _MalformedError(f'"{next(name for name in names if names.count(name) > 1)}" appears twice')
    return document


def _refused_constant(name: str) -> object:
    raise _MalformedError(f"{name} is not a whole number")


def _topics(document: object) -> Iterable[tuple[str, object]]:
    if not isinstance(document, Mapping):
        raise _MalformedError("this is not a JSON object of topics")
    for topic, content in document.items():
        complaint = topic_name_complaint(topic)
        if complaint:
            raise _MalformedError(complaint)
        yield topic, content


def _by_partition_or_topic(document: object) -> tuple[dict[TopicPartition, int], dict[str, int]]:
    contents = dict(_topics(document))
    whole = {topic: _edge(topic, word) for topic, word in contents.items() if isinstance(word, str)}
    rest = {topic: content for topic, content in contents.items() if topic not in whole}
    return _numbers(rest, _OFFSETS), whole


def _edge(topic: str, word: str) -> int:
    if word.lower() not in _EDGES:
        raise _MalformedError(f'topic "{topic}" has {_shown(word)}, which is not "earliest" or "latest"')
    return _EDGES[word.lower()]


def _numbers(document: object, form: _Form) -> dict[TopicPartition, int]:
    numbers: dict[TopicPartition, int] = {}
    for topic, by_partition in _topics(document):
        if not isinstance(by_partition, Mapping):
            raise _MalformedError(f'topic "{topic}" has no JSON object of {form.what}s by partition')
        for name, number in by_partition.items():
            if not _NUMBER.fullmatch(name) or int(name) > _GREATEST_PARTITION:
                raise _MalformedError(f'topic "{topic}" has "{name}" for a partition, which is not a partition number')
            if type(number) is not int or not form.least <= number <= _GREATEST:
                raise _MalformedError(f"{topic}[{name}] has {_shown(number)}, which is not {_wanted(form)}")
            numbers[TopicPartition(topic, int(name))] = number
    return numbers


def _partitions(document: object) -> tuple[TopicPartition, ...]:
    partitions: set[TopicPartition] = set()
    for topic, numbers in _topics(document):
        if not isinstance(numbers, list):
            raise _MalformedError(f'topic "{topic}" has no JSON list of partitions')
        for number in numbers:
            if type(number) is not int or not 0 <= number <= _GREATEST_PARTITION:
                raise _MalformedError(f'topic "{topic}" lists {_shown(number)}, which is not a partition number')
            if TopicPartition(topic, number) in partitions:
                raise _MalformedError(f"{topic}[{number}] appears twice")
            partitions.add(TopicPartition(topic, number))
    if not partitions:
        raise _MalformedError("no partition is named")
    return tuple(sorted(partitions))


def _wanted(form: _Form) -> str:
    if form.least == EARLIEST:
        return "an offset of 0 or more, -1 (latest) or -2 (earliest)"
    return f"{'a timestamp in milliseconds' if form.what == 'timestamp' else 'an offset'} from 0 up"


def _shown(value: object) -> str:
    written = json.dumps(value, default=repr)
    return written if len(written) <= 40 else written[:40] + "..."
