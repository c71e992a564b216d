"""Topics as entries of the catalogue: what is written of one, and what is read from it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from attrs import frozen

from kafka_nextgen.broker.storage import Catalogue
from kafka_nextgen.types import TopicId

__all__ = ["TopicEntries", "TopicEntry"]

_KIND = "topic"


@frozen
class TopicEntry:
    """All of a topic but its records: the nodes of each partition, and the settings it was given."""

    topic_id: TopicId
    name: str
    replicas: tuple[tuple[int, ...], ...]
    overrides: Mapping[str, str]


@frozen
class TopicEntries:
    """The topics in a catalogue, by id. Each change is one entry, so none is half done after a crash."""

    _catalogue: Catalogue

    def all(self) -> Sequence[TopicEntry]:
        """The topics, in the order in which they were made."""
        return [_read(UUID(key), value) for key, value in self._catalogue.entries(_KIND).items()]

    def put(self, entry: TopicEntry) -> None:
        """Note a topic that is new or has changed; raises ``StorageError``."""
        value = {"name": entry.name, "replicas": entry.replicas, "settings": dict(entry.overrides)}
        self._catalogue.put(_KIND, str(entry.topic_id), value)

    def remove(self, topic_id: TopicId) -> None:
        """Forget a topic; raises ``StorageError``."""
        self._catalogue.remove(_KIND, str(topic_id))


def _read(topic_id: TopicId, value: object) -> TopicEntry:
    assert isinstance(value, dict)
    return TopicEntry(
        topic_id=topic_id,
        name=str(value["name"]),
        replicas=tuple(tuple(nodes) for nodes in value["replicas"]),
        overrides=dict(value["settings"]),
    )
