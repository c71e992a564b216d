"""The metadata that ``HotStandby`` gives to members that stand by: their place, and the partitions they may get.

It is a JSON object in version 0, ``{"place": 1, "may_get": {"orders": [0, 1]}}``. Active members get no metadata. In a
classic group it is user data of the assignment, so other members and the coordinator pass over it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from kafka_nextgen.assignors.spec import Metadata
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition

__all__ = ["HOT_STANDBY", "StandbyWord", "read_standby_word", "write_standby_word"]

#: The name of the assignor ``HotStandby``. It is here so that members can read its metadata without the assignor.
HOT_STANDBY = "hot-standby"


@frozen
class StandbyWord:
    """``place`` is 1 for the member that takes over first; ``may_get`` are the partitions of the active members."""

    place: int
    may_get: frozenset[TopicPartition]


def write_standby_word(word: StandbyWord) -> Metadata:
    """Encode the information for a standby."""
    may_get: dict[str, list[int]] = {}
    for topic, partition in sorted(word.may_get):
        may_get.setdefault(topic, []).append(partition)
    return Metadata(payload=json.dumps({"place": word.place, "may_get": may_get}, separators=(",", ":")).encode())


def read_standby_word(metadata: Metadata | None) -> StandbyWord | None:
    """Decode it; None for an active member, and for metadata in another format."""
    if metadata is None or metadata.version != 0:
        return None
    try:
        said = json.loads(metadata.payload)
        return StandbyWord(_number(said["place"], lowest=1), frozenset(_partitions(said["may_get"].items())))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None


def _partitions(may_get: Iterable[tuple[str, list[object]]]) -> Iterable[TopicPartition]:
    return (TopicPartition(topic, _number(partition)) for topic, numbers in may_get for partition in numbers)


def _number(value: object, lowest: int = 0) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
        raise ValueError(f"{value!r} is not a number from {lowest} on")
    return value
