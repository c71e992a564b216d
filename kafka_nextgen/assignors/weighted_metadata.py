"""The metadata of the weighted assignor: capacities and weights as JSON.

JSON is readable in ``kafka-nextgen groups describe`` and in logs. Version 1::

    {"capacity": 4, "weights": {"orders": {"3": 64}}}

*Capacity*, 1 to 100, is the share of the group's work that a member can do, relative to others. *Weight*, at least 1,
is how much work a partition causes; the weights of other partitions are unknown. The assignor answers with the weights
of the assigned partitions.

Version 0 is from members without metadata, -1 from classic members in an online migration with another assignor's user
data: both mean capacity 1 and no weights. Anything else invalid raises ``PartitionAssignorError``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from attrs import field

from kafka_nextgen.assignors.spec import Metadata, PartitionAssignorError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition

__all__ = ["HIGHEST_CAPACITY", "HIGHEST_WEIGHT", "VERSION", "Report", "decode_report", "encode_report"]

VERSION = 1
HIGHEST_CAPACITY = 100
HIGHEST_WEIGHT = 2**40


@frozen
class Report:
    """A member's capacity, and the weights of partitions."""

    capacity: int = 1
    weights: Mapping[TopicPartition, int] = field(factory=dict)


def encode_report(report: Report) -> Metadata:
    """Encode a report; equal reports have equal bytes."""
    weights: dict[str, dict[str, int]] = {}
    for partition, weight in sorted(report.weights.items()):
        weights.setdefault(partition.topic, {})[str(partition.partition)] = weight
    document = {"capacity": report.capacity, "weights": weights}
    return Metadata(VERSION, json.dumps(document, separators=(",", ":")).encode())


def decode_report(metadata: Metadata, whose: str) -> Report:
    """Decode a report; ``whose`` is for errors. Raises ``PartitionAssignorError`` if it is malformed."""
    if metadata.version < VERSION:
        return Report()
    if metadata.version > VERSION:
        text = f"{whose} has version {metadata.version}, but this member reads up to {VERSION}"
        raise PartitionAssignorError(f"{text}: upgrade this member")
    try:
        document = json.loads(metadata.payload)
        return Report(_capacity(document["capacity"]), _weights(document["weights"]))
    except KeyError as error:
        raise PartitionAssignorError(f"{whose} has no {error}") from None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise PartitionAssignorError(f"{whose} is not in the format of the weighted assignor: {error}") from None


def _capacity(value: object) -> int:
    return _whole("capacity", value, HIGHEST_CAPACITY)


def _weights(value: object) -> dict[TopicPartition, int]:
    by_topic = {topic: _object(topic, numbers) for topic, numbers in _object("weights", value).items()}
    return {
        TopicPartition(topic, _number(topic, number)): _whole(f"weight of {topic}[{number}]", weight, HIGHEST_WEIGHT)
        for topic, numbers in by_topic.items()
        for number, weight in numbers.items()
    }


def _object(what: str, value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} has to be an object, not {value!r}")
    return value


def _number(topic: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{topic} has no partition {text!r}")
    return int(text)


def _whole(what: str, value: object, highest: int) -> int:
    if type(value) is not int or not 1 <= value <= highest:
        raise ValueError(f"{what} has to be a whole number from 1 to {highest}, not {value!r}")
    return value
