"""A described group in a file, as JSON.

It is what ``kafka-nextgen groups describe GROUP --members --json`` prints: an object, or a list with one. A member has
a ``member_id`` and ``subscribed_topics``, a ``subscribed_pattern``, or both. Its ``target``, or else ``assignment``, is
what it has, written as everywhere: ``orders[0-3] audit[0]``. More may be said by hand:

* ``client_assignors`` of a member, what it says to them: a ``name``, a ``reason``, and ``metadata`` of a ``version``
  with a ``payload`` in hexadecimal, or with ``text`` instead;
* ``topics`` of the group: how many partitions they have, ``{"orders": 6}``, or the racks of each one's replicas,
  ``{"orders": [["a"], ["b"]]}``. Without them topics are as large as the members know them to be.

Whatever is wrong is a ``ConfigError`` that says where.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeVar

from attrs import frozen

from kafka_nextgen.assignors import ClientAssignor, Metadata, TopicMetadata
from kafka_nextgen.cli.partitions import NotationError, parse_partitions
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["GroupRead", "MemberRead", "MembersRead", "read_group"]


T = TypeVar("T")

_CALLED: Mapping[type, str] = {str: "text", int: "a number", list: "a list"}


@frozen
class MemberRead:
    """A member."""

    member_id: str
    instance_id: str | None
    rack_id: str | None
    subscribed_topics: tuple[str, ...]
    subscribed_pattern: str | None
    assignment: frozenset[TopicPartition] | None
    target: frozenset[TopicPartition] | None
    client_assignors: tuple[ClientAssignor, ...]


@frozen
class MembersRead:
    """The members of a group."""

    members: tuple[MemberRead, ...]


@frozen
class GroupRead:
    """A group, its topics if the file tells of them, and the name of its assignor; empty if it has none."""

    group: MembersRead
    topics: Mapping[TopicId, TopicMetadata] | None
    assignor: str


@frozen
class _Place:
    """An object in the file, and where that is."""

    where: str
    fields: Mapping[str, object]

    @classmethod
    def of(cls, where: str, value: object) -> _Place:
        if not isinstance(value, dict):
            raise ConfigError(f"{where}: an object is needed, not {type(value).__name__}")
        return cls(where, value)

    def take(self, name: str, kind: type[T]) -> T | None:
        """A field, or None if it is not there or null."""
        value = self.fields.get(name)
        if value is None:
            return None
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.complaint(f"{name} has to be {_CALLED[kind]}, not {value!r}")
        return value

    def complaint(self, text: str) -> ConfigError:
        return ConfigError(f"{self.where}: {text}")


def read_group(text: str, source: str) -> GroupRead:
    """Read a group; ``source`` is the name of the file. Raises ``ConfigError``."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{source} is no JSON: {error}") from None
    if isinstance(document, list):
        if len(document) != 1:
            raise ConfigError(f"{source} has {len(document)} groups; one is needed")
        (document,) = document
    group = _Place.of(source, document)
    members = group.take("members", list)
    if members is None:
        raise group.complaint("members are missing; 'groups describe GROUP --members --json' prints them")
    read = MembersRead(tuple(_member(_Place.of(f"{source}: members[{at}]", each)) for at, each in enumerate(members)))
    if len({member.member_id for member in read.members}) < len(read.members):
        raise group.complaint("two members have the same member_id")
    return GroupRead(read, _topics(group), group.take("assignor", str) or "")


def _member(place: _Place) -> MemberRead:
    member_id = place.take("member_id", str)
    if not member_id:
        raise place.complaint("member_id is missing")
    topics = place.take("subscribed_topics", list) or []
    if not all(isinstance(topic, str) for topic in topics):
        raise place.complaint("subscribed_topics have to be names")
    return MemberRead(
        member_id=member_id,
        instance_id=place.take("instance_id", str),
        rack_id=place.take("rack_id", str),
        subscribed_topics=tuple(topics),
        subscribed_pattern=place.take("subscribed_pattern", str),
        assignment=_partitions(place, "assignment"),
        target=_partitions(place, "target"),
        client_assignors=tuple(
            _assignor(_Place.of(f"{place.where}: client_assignors[{at}]", each))
            for at, each in enumerate(place.take("client_assignors", list) or [])
        ),
    )


def _partitions(place: _Place, name: str) -> frozenset[TopicPartition] | None:
    text = place.take(name, str)
    try:
        return None if text is None else parse_partitions(text)
    except NotationError as error:
        raise place.complaint(f"{name}: {error}") from None


def _assignor(place: _Place) -> ClientAssignor:
    name, said = place.take("name", str), place.fields.get("metadata")
    if not name:
        raise place.complaint("name is missing")
    metadata = Metadata() if said is None else _metadata(_Place.of(f"{place.where}: metadata", said))
    return ClientAssignor(name, reason=place.take("reason", int) or 0, metadata=metadata)


def _metadata(place: _Place) -> Metadata:
    text, digits = place.take("text", str), place.take("payload", str) or ""
    try:
        payload = bytes.fromhex(digits) if text is None else text.encode()
    except ValueError:
        raise place.complaint(f"payload is no hexadecimal: {digits!r}") from None
    return Metadata(place.take("version", int) or 0, payload)


def _topics(group: _Place) -> dict[TopicId, TopicMetadata] | None:
    """Topics have no ids here, so each is known by its place in the file."""
    if group.fields.get("topics") is None:
        return None
    topics = _Place.of(f"{group.where}: topics", group.fields["topics"])
    return {TopicId(int=at): _topic(topics, name) for at, name in enumerate(topics.fields, 1)}


def _topic(topics: _Place, name: str) -> TopicMetadata:
    value = topics.fields[name]
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return TopicMetadata(name, value)
    if isinstance(value, list) and all(isinstance(racks, list) for racks in value):
        return TopicMetadata(name, len(value), tuple(tuple(map(str, racks)) for racks in value))
    raise topics.complaint(f"{name}: a number of partitions is needed, or the racks of each, not {value!r}")
