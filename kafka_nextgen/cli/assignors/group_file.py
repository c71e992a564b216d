"""Read a described group from a JSON file.

The file is the output of ``kafka-nextgen groups describe GROUP --members --json``: an object, or a list of one. A
member has a ``member_id`` and ``subscribed_topics``, a ``subscribed_pattern``, or both. Its partitions are in its
``target`` or, without one, in its ``assignment``: ``{"orders": [0, 1]}``, or as text ``orders[0-3] audit[0]``. These
may be added manually:

* ``client_assignors`` of a member: a ``name``, a ``reason``, and ``metadata`` with a ``version`` and a ``payload`` in
  hexadecimal, or ``text`` instead;
* ``topics`` of the group: the numbers of partitions, ``{"orders": 6}``, or the racks of each partition's replicas,
  ``{"orders": [["a"], ["b"]]}``. By default, topics have the partitions that members own.

Errors are ``ConfigError`` with their place in the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TypeVar

from kafka_nextgen.admin import GroupType, MemberDescription
from kafka_nextgen.assignors import ClientAssignor, Metadata, TopicMetadata
from kafka_nextgen.cli.partitions import NotationError, parse_partitions
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["GroupFile", "read_group"]


T = TypeVar("T")

_TYPE_NAMES: Mapping[type, str] = {str: "text", int: "a number", list: "a list"}


@frozen
class GroupFile:
    """A described group: its members, its topics if the file has them, and its assignor, empty if it has none."""

    members: tuple[MemberDescription, ...]
    topics: Mapping[TopicId, TopicMetadata] | None
    assignor: str


@frozen
class _Node:
    """A JSON object, and its place in the file."""

    where: str
    fields: Mapping[str, object]

    @classmethod
    def of(cls, where: str, value: object) -> _Node:
        if not isinstance(value, dict):
            raise ConfigError(f"{where}: must be an object, not {type(value).__name__}")
        return cls(where, value)

    def take(self, name: str, kind: type[T]) -> T | None:
        """Return a field; None if it is missing or null."""
        value = self.fields.get(name)
        if value is None:
            return None
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.error(f"{name} must be {_TYPE_NAMES[kind]}, not {value!r}")
        return value

    def error(self, text: str) -> ConfigError:
        return ConfigError(f"{self.where}: {text}")


def read_group(text: str, source: str) -> GroupFile:
    """Read a group; ``source`` is the file's name. Raises ``ConfigError``."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{source} is not JSON: {error}") from None
    if isinstance(document, list):
        if len(document) != 1:
            raise ConfigError(f"{source} has {len(document)} groups, but exactly one is expected")
        (document,) = document
    group = _Node.of(source, document)
    members = group.take("members", list)
    if members is None:
        raise group.error("members are missing; 'groups describe GROUP --members --json' prints them")
    read = tuple(_member(_Node.of(f"{source}: members[{at}]", each)) for at, each in enumerate(members))
    if len({member.member_id for member in read}) < len(read):
        raise group.error("two members have the same member_id")
    return GroupFile(read, _topics(group), group.take("assignor", str) or "")


def _member(node: _Node) -> MemberDescription:
    member_id = node.take("member_id", str)
    if not member_id:
        raise node.error("member_id is missing")
    topics = node.take("subscribed_topics", list) or []
    if not all(isinstance(topic, str) for topic in topics):
        raise node.error("subscribed_topics must be names")
    return MemberDescription(
        member_id=member_id,
        type=GroupType.UNKNOWN,
        instance_id=node.take("instance_id", str),
        rack_id=node.take("rack_id", str),
        client_id="",
        client_host="",
        member_epoch=None,
        subscribed_topics=tuple(topics),
        subscribed_pattern=node.take("subscribed_pattern", str),
        assignment=_partitions(node, "assignment"),
        target=_partitions(node, "target"),
        client_assignors=tuple(
            _assignor(_Node.of(f"{node.where}: client_assignors[{at}]", each))
            for at, each in enumerate(node.take("client_assignors", list) or [])
        ),
    )


def _partitions(node: _Node, name: str) -> frozenset[TopicPartition] | None:
    value = node.fields.get(name)
    if isinstance(value, dict):
        return frozenset(_numbered(node, name, value))
    text = node.take(name, str)
    try:
        return None if text is None else parse_partitions(text)
    except NotationError as error:
        raise node.error(f"{name}: {error}") from None


def _numbered(node: _Node, name: str, numbers: Mapping[str, object]) -> Iterator[TopicPartition]:
    for topic, found in numbers.items():
        if not isinstance(found, list) or not all(type(number) is int and number >= 0 for number in found):
            raise node.error(f"{name}: {topic} must have a list of partition numbers, not {found!r}")
        yield from (TopicPartition(topic, number) for number in found)


def _assignor(node: _Node) -> ClientAssignor:
    name, found = node.take("name", str), node.fields.get("metadata")
    if not name:
        raise node.error("name is missing")
    metadata = Metadata() if found is None else _metadata(_Node.of(f"{node.where}: metadata", found))
    return ClientAssignor(name, reason=node.take("reason", int) or 0, metadata=metadata)


def _metadata(node: _Node) -> Metadata:
    text, digits = node.take("text", str), node.take("payload", str) or ""
    try:
        payload = bytes.fromhex(digits) if text is None else text.encode()
    except ValueError:
        raise node.error(f"payload is not hexadecimal: {digits!r}") from None
    return Metadata(node.take("version", int) or 0, payload)


def _topics(group: _Node) -> dict[TopicId, TopicMetadata] | None:
    """Topics have no ids in the file, so each gets its position as its id."""
    if group.fields.get("topics") is None:
        return None
    topics = _Node.of(f"{group.where}: topics", group.fields["topics"])
    return {TopicId(int=at): _topic(topics, name) for at, name in enumerate(topics.fields, 1)}


def _topic(topics: _Node, name: str) -> TopicMetadata:
    value = topics.fields[name]
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return TopicMetadata(name, value)
    if isinstance(value, list) and all(isinstance(racks, list) for racks in value):
        return TopicMetadata(name, len(value), tuple(tuple(map(str, racks)) for racks in value))
    raise topics.error(f"{name}: a number of partitions is needed, or the racks of each, not {value!r}")
