"""The JSON of Spark's built-in Kafka source, both ways: options and checkpoints.

Offsets and timestamps are written by topic and partition, partitions to assign by topic:

    {"topicA":{"0":23,"1":-1},"topicB":{"0":-2}}      startingOffsets, endingOffsets, checkpoints
    {"topicA":{"0":1700000000000}}                    startingOffsetsByTimestamp, endingOffsetsByTimestamp
    {"topicA":[0,1],"topicB":[4]}                     assign

The rules:

- An offset of an option is a number from 0 up, or -1 for the latest, or -2 for the earliest. A checkpoint has neither.
- A timestamp is in milliseconds from 0 up: Kafka takes negative ones for other questions.
- Some of what the built-in source happens to accept is refused: numbers in quotes, fractions, names that appear twice
  (it takes the last), text after the end.
- What is written is what the built-in source writes (JsonUtils.scala), in the order of topic and partition. Its own
  order is that of a hash map, and means nothing.

Malformed text raises ``OffsetsFormatError``, which names the option and what is wrong, and shows the form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from attrs import frozen

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

#: An offset in an option that stands for the end of the partition.
LATEST = -1
#: An offset in an option that stands for the partition's first record.
EARLIEST = -2

_GREATEST = 2**63 - 1
_GREATEST_PARTITION = 2**31 - 1
_NUMBER = re.compile(r"0|[1-9][0-9]{0,9}")
_SHOWN = 200


@frozen
class _Form:
    """What the numbers of a document are, the least of them, and an example of the whole."""

    what: str
    least: int
    example: str


_OFFSETS = _Form("offset", EARLIEST, '{"topicA":{"0":23,"1":-1},"topicB":{"0":-2}}')
_CHECKPOINT = _Form("offset", 0, '{"topicA":{"0":23,"1":42}}')
_TIMESTAMPS = _Form("timestamp", 0, '{"topicA":{"0":1700000000000,"1":1700000000000}}')
_PARTITIONS = _Form("partition", 0, '{"topicA":[0,1],"topicB":[0,1]}')


class _MalformedError(Exception):
    """What is wrong with a document; the public error adds the option and the form."""


def parse_offsets(text: str, option: str = "startingOffsets") -> dict[TopicPartition, int]:
    """Read offsets by partition, with ``LATEST`` and ``EARLIEST`` as they stand.

    ``option`` is the option's name, for the error. Raises ``OffsetsFormatError``.
    """
    return _parsed(text, option, _OFFSETS)


def parse_timestamps(text: str, option: str = "startingOffsetsByTimestamp") -> dict[TopicPartition, int]:
    """Read timestamps by partition, in milliseconds since the epoch. Raises ``OffsetsFormatError``."""
    return _parsed(text, option, _TIMESTAMPS)


def parse_partitions(text: str, option: str = "assign") -> tuple[TopicPartition, ...]:
    """Read a list of partitions, sorted; at least one. Raises ``OffsetsFormatError``."""
    try:
        partitions = [tp for topic, numbers in _topics(_loaded(text)) for tp in _listed(topic, numbers)]
        if not partitions:
            raise _MalformedError("no partition is named")
    except _MalformedError as error:
        raise _format_error(option, str(error), _PARTITIONS, text) from None
    return tuple(sorted(partitions))


def read_checkpoint(offset: str | Mapping[str, object]) -> dict[TopicPartition, int]:
    """Read an offset of a checkpoint, as text or as the document that pyspark already made of it.

    Raises ``OffsetsFormatError`` with no ``key``, for instance if another kind of source wrote the checkpoint.
    """
    try:
        return _numbers(_loaded(offset) if isinstance(offset, str) else offset, _CHECKPOINT)
    except _MalformedError as error:
        shown = offset if isinstance(offset, str) else json.dumps(offset, default=repr)
        raise _format_error(None, str(error), _CHECKPOINT, shown) from None


def offsets_document(offsets: Mapping[TopicPartition, int]) -> dict[str, dict[str, int]]:
    """Return offsets by topic and partition, for pyspark to write.

    pyspark calls ``json.dumps`` itself and so adds spaces. Both sources read either.
    """
    document: dict[str, dict[str, int]] = {}
    for tp in sorted(offsets):
        document.setdefault(tp.topic, {})[str(tp.partition)] = offsets[tp]
    return document


def _parsed(text: str, option: str, form: _Form) -> dict[TopicPartition, int]:
    try:
        return _numbers(_loaded(text), form)
    except _MalformedError as error:
        raise _format_error(option, str(error), form, text) from None


def _format_error(option: str | None, wrong: str, form: _Form, text: str) -> OffsetsFormatError:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"
    place = option or "the checkpoint's offset"
    return OffsetsFormatError(f"{place}: {wrong}; expected e.g. {form.example}, got {shown}", option)


def _loaded(text: str) -> object:
    try:
        loaded: object = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refused_constant)
    except json.JSONDecodeError as error:
        raise _MalformedError(f"this is not JSON ({error.msg} at character {error.pos})") from None
    except ValueError:  # Python refuses integers of thousands of digits
        raise _MalformedError("a number is far too great") from None
    except RecursionError:
        raise _MalformedError("this is nested far too deep") from None
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


def _numbers(document: object, form: _Form) -> dict[TopicPartition, int]:
    numbers: dict[TopicPartition, int] = {}
    for topic, by_partition in _topics(document):
        if not isinstance(by_partition, Mapping):
            raise _MalformedError(f'topic "{topic}" has no JSON object of {form.what}s by partition')
        for name, number in by_partition.items():
            if not _NUMBER.fullmatch(name) or int(name) > _GREATEST_PARTITION:
                raise _MalformedError(f'topic "{topic}" has "{name}" for a partition, which is no partition\'s number')
            if type(number) is not int or not form.least <= number <= _GREATEST:
                raise _MalformedError(f"{topic}[{name}] has {_shown(number)}, which is not {_wanted(form)}")
            numbers[TopicPartition(topic, int(name))] = number
    return numbers


def _listed(topic: str, numbers: object) -> list[TopicPartition]:
    if not isinstance(numbers, list):
        raise _MalformedError(f'topic "{topic}" has no JSON list of partitions')
    listed: dict[TopicPartition, None] = {}
    for number in numbers:
        if type(number) is not int or not 0 <= number <= _GREATEST_PARTITION:
            raise _MalformedError(f'topic "{topic}" lists {_shown(number)}, which is no partition\'s number')
        if TopicPartition(topic, number) in listed:
            raise _MalformedError(f"{topic}[{number}] appears twice")
        listed[TopicPartition(topic, number)] = None
    return list(listed)


def _wanted(form: _Form) -> str:
    if form.least == EARLIEST:
        return "an offset from 0 up, -1 (latest) or -2 (earliest)"
    return f"{'a timestamp in milliseconds' if form.what == 'timestamp' else 'an offset'} from 0 up"


def _shown(value: object) -> str:
    written = json.dumps(value, default=repr)
    return written if len(written) <= 40 else written[:40] + "..."
