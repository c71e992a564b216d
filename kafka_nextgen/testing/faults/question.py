"""A request to a node, with the groups, topics and partitions that it names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.handlers import fetch
from kafka_nextgen.testing.faults.place_kinds import Items, Names
from kafka_nextgen.testing.faults.places import places_of
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.apis import FIND_COORDINATOR, Api
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import (
    DescribeTopicPartitionsRequest,
    FetchRequest,
    FindCoordinatorRequest,
    MetadataRequest,
)
from kafka_nextgen.wire.schema import Message, Structure

__all__ = ["Named", "Question", "index_of", "name_of", "names_groups", "topic_name"]

#: The fields of requests that name a group, or groups.
_GROUP_FIELDS = ("group_id", "groups", "group_ids", "groups_names")

_GROUP = 0  # the type of a key in FindCoordinator

#: A topic that a request names, with one of its partitions; None if it names only the topic.
Named = tuple[str, int | None]


@frozen
class Question:
    """A request with its context. A fault may leave only a part of the request to the faults after it."""

    request: RequestFrame
    context: Context

    def named(self) -> Iterator[Named]:
        """The topics and partitions that the request names; those of a fetch session count as named."""
        message = self.spelled_out()
        if isinstance(message, FetchRequest):
            for asked in fetch.asked_of(message, self.context):
                yield topic_name(asked.topic, self.context), asked.index
        elif message is not None:
            for items in places_of(self.request.api).each:
                yield from _named(items, message, "", self.context)

    def groups(self) -> Iterator[str]:
        """The groups that the request names."""
        message = self.request.message
        if isinstance(message, FindCoordinatorRequest) and message.key_type == _GROUP:
            yield from message.coordinator_keys or (message.key,)
        for name in _GROUP_FIELDS:
            value = getattr(message, name, ())
            for each in (value,) if isinstance(value, str) else value:
                yield each if isinstance(each, str) else each.group_id

    def spelled_out(self) -> Message | None:
        """The message, with the names of all topics if it requests all; None if it could not be read."""
        message = self.request.message
        topic_of: Any
        if isinstance(message, MetadataRequest):
            asks_for_all = message.topics is None or (self.request.version == 0 and not message.topics)
            topic_of = MetadataRequest.MetadataRequestTopic
        elif isinstance(message, DescribeTopicPartitionsRequest):
            asks_for_all, topic_of = not message.topics, DescribeTopicPartitionsRequest.TopicRequest
        else:
            return message
        names = [topic.name for topic in self.context.cluster.topics.all()]
        return message.replaced(topics=[topic_of(name=name) for name in names]) if asks_for_all else message


def names_groups(api: Api) -> bool:
    """Whether requests of an API name groups."""
    return api is FIND_COORDINATOR or any(field.name in _GROUP_FIELDS for field in api.request.FIELDS)


def topic_name(topic: TopicId | str | None, context: Context) -> str:
    """The name of a topic that is given by id or name; empty if no topic has the id."""
    if isinstance(topic, str):
        return topic
    found = context.cluster.topics.with_id(topic)
    return "" if found is None else found.name


def _named(items: Items, holder: Structure, topic: str, context: Context) -> Iterator[Named]:
    for element in getattr(holder, items.asked) or ():
        if items.names is Names.TOPIC:
            topic = name_of(element, context)
        if items.below is not None:
            yield from _named(items.below, element, topic, context)
        elif items.names is Names.TOPIC:
            yield topic, None
        elif items.names is Names.PARTITION:
            yield topic, index_of(element)


def name_of(element: object, context: Context) -> str:
    """The name of the topic of an element of a request."""
    if isinstance(element, str):
        return element
    name = getattr(element, "name", "") or getattr(element, "topic", "")
    return name or topic_name(getattr(element, "topic_id", None), context)


def index_of(element: object) -> int:
    """The number of the partition of an element of a request."""
    if isinstance(element, int):
        return element
    fields = ("partition_index", "index", "partition")
    return int(next(getattr(element, name) for name in fields if hasattr(element, name)))
