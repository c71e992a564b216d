"""What members embed in their requests, with the names that topics have in another world."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import evolve

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.consumer_protocol import (
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
    user_data_of,
    version_of,
)
from kafka_nextgen.types import TopicPartition

#: The other name of a topic.
Rename = Callable[[str], str]


def renamed_subscription(data: bytes, rename: Rename) -> bytes:
    """Return the same for topics of other names; what can't be read is left as it is."""
    try:
        said = decode_subscription(data)
    except DecodeError:
        return data
    said = evolve(said, topics=frozenset(map(rename, said.topics)), owned=_renamed(said.owned, rename))
    return encode_subscription(said, version_of(data))


def renamed_assignment(data: bytes, rename: Rename) -> bytes:
    """Return the same for partitions of topics of other names; what can't be read is left as it is."""
    try:
        partitions, user_data = decode_assignment(data), user_data_of(data)
    except DecodeError:
        return data
    return encode_assignment(_renamed(partitions, rename), version_of(data), user_data) if data else data


def _renamed(partitions: Iterable[TopicPartition], rename: Rename) -> frozenset[TopicPartition]:
    return frozenset(partition._replace(topic=rename(partition.topic)) for partition in partitions)
