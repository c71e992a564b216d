"""OffsetFetch: read the committed offsets of groups; several groups from version 8 on, by topic id from 10 on.

With ``require_stable`` an offset that an open transaction may change is an error, UNSTABLE_OFFSET_COMMIT (KIP-447).
Topics that the client may not describe get an error each; they are left out if all offsets are asked for.
"""

from __future__ import annotations

from typing import TypeVar

from attrs import evolve

from kafka_nextgen.bridge.offset_fetch import from_request
from kafka_nextgen.bridge.offset_fetch_answers import to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DESCRIBE_GROUP, DESCRIBE_TOPIC
from kafka_nextgen.coordinator.requests import OffsetFetch
from kafka_nextgen.coordinator.responses import OffsetsFetched
from kafka_nextgen.wire.messages import OffsetFetchRequest, OffsetFetchResponse

__all__ = ["handle"]

_Topic = TypeVar(
    "_Topic",
    OffsetFetchResponse.OffsetFetchResponseTopic,
    OffsetFetchResponse.OffsetFetchResponseGroup.OffsetFetchResponseTopics,
)


async def handle(request: OffsetFetchRequest, context: Context) -> OffsetFetchResponse:
    """Read each group's offsets."""
    directory = context.cluster.directory()
    answers = [_answer(fetch, context) for fetch in from_request(request, directory)]
    return _hide(to_response(request, directory, answers), context)


def _answer(fetch: OffsetFetch, context: Context) -> OffsetsFetched:
    if error := context.group_error(DESCRIBE_GROUP, fetch.group_id):
        return OffsetsFetched(error=error)
    fetched = context.cluster.groups.ask(fetch, OffsetsFetched)
    return _visible(fetched, context) if fetch.partitions is None else fetched


def _visible(fetched: OffsetsFetched, context: Context) -> OffsetsFetched:
    seen = {tp: offset for tp, offset in fetched.offsets.items() if context.may(DESCRIBE_TOPIC, tp.topic)}
    unstable = frozenset(tp for tp in fetched.unstable if context.may(DESCRIBE_TOPIC, tp.topic))
    return evolve(fetched, offsets=seen, unstable=unstable)


def _hide(response: OffsetFetchResponse, context: Context) -> OffsetFetchResponse:
    groups = [group.replaced(topics=[_hidden(topic, context) for topic in group.topics]) for group in response.groups]
    return response.replaced(topics=[_hidden(topic, context) for topic in response.topics], groups=groups)


def _hidden(topic: _Topic, context: Context) -> _Topic:
    if not topic.name or context.may(DESCRIBE_TOPIC, topic.name):
        return topic
    nothing = {"committed_offset": -1, "committed_leader_epoch": -1, "metadata": ""}
    refused = [partition.replaced(error_code=DESCRIBE_TOPIC.error, **nothing) for partition in topic.partitions]
    return topic.replaced(partitions=refused)
