"""Committed offsets of a group: listed with the lag, altered, deleted.

They are listed for all partitions that something is committed for, and for those that members own without having
committed yet. The end of a partition is its high watermark, as it is for Kafka's own tools, so that a transaction that
is open does not hide a lag. A partition whose end can't be learnt (its topic is gone, nobody leads it) is listed all
the same.

Altering and deleting take a group without members in these partitions: its members' next commits would undo it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import TypeVar

from kafka_nextgen.admin.asking import Asking, Question, Refusal, refused
from kafka_nextgen.admin.results import Results
from kafka_nextgen.admin.values import GroupDescription, GroupOffset
from kafka_nextgen.bridge import offset_commit, offset_delete, offset_fetch
from kafka_nextgen.bridge.list_offsets import EARLIEST, LATEST
from kafka_nextgen.bridge.topics import by_name
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import OffsetCommit, OffsetFetch
from kafka_nextgen.engine.reading.cluster_queries import ClusterQueries
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.offset_reset import OffsetReset
from kafka_nextgen.transport.cluster import Coordinator
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.apis import OFFSET_COMMIT, OFFSET_DELETE, OFFSET_FETCH
from kafka_nextgen.wire.messages import OffsetCommitResponse, OffsetDeleteResponse, OffsetFetchResponse

__all__ = ["alter_offsets", "delete_offsets", "list_offsets"]

V = TypeVar("V")

_BY_NAME = 9  # the last version of OffsetCommit and OffsetFetch that names topics; ids of deleted ones say nothing

_AT = {OffsetReset.EARLIEST: EARLIEST, OffsetReset.LATEST: LATEST}

_COORDINATION = frozenset(
    {ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}
)


async def list_offsets(
    asking: Asking, lookups: ClusterQueries, group: GroupDescription, deadline: Deadline
) -> dict[TopicPartition, GroupOffset]:
    """The offsets of every partition that the group has committed for or that a member owns."""
    fetched = await _fetch(asking, group.group_id, deadline)
    owners = {tp: member.member_id for member in group.members for tp in member.assignment or ()}
    partitions = sorted({*fetched.offsets, *fetched.errors, *owners})
    ends = await _places(asking, lookups, dict.fromkeys(partitions, LATEST), deadline)
    listed = {}
    for tp in partitions:
        end = ends.done.get(tp)
        error = ends.failed.get(tp)
        if tp in fetched.errors:
            error = refused(f"group {group.group_id}: {tp}", fetched.errors[tp], None, group.group_id)
        listed[tp] = GroupOffset(fetched.offsets.get(tp), end, owners.get(tp), error)
    return listed


async def _fetch(asking: Asking, group_id: str, deadline: Deadline) -> offset_fetch.FetchedOffsets:
    def refusal(answer: OffsetFetchResponse) -> Refusal:
        return offset_fetch.from_response(answer, group_id, {}).error, None

    request = OffsetFetch(group_id, None, require_stable=False)
    question = Question(
        about=f"group {group_id}: listing its offsets",
        target=Coordinator(group_id),
        api=OFFSET_FETCH.up_to(_BY_NAME),
        build=lambda version: offset_fetch.to_request(request, {}, version),
        answer=OffsetFetchResponse,
        refusal=refusal,
    )
    return offset_fetch.from_response(await asking.ask(question, deadline), group_id, {})


async def _places(
    asking: Asking, lookups: ClusterQueries, timestamps: Mapping[TopicPartition, int], deadline: Deadline
) -> Results[TopicPartition, int]:
    """Where each partition begins or ends; topic by topic, so that one that is away takes no other with it."""
    topics = by_name(timestamps)
    if topics:
        await asking.cluster.refresh_metadata(topics=topics, timeout_s=deadline.left_s())
    places: dict[TopicPartition, int] = {}
    failed: dict[TopicPartition, KafkaNextgenError] = {}
    shares = [{tp: at for tp, at in timestamps.items() if tp.topic == topic} for topic in topics]
    for found in await asyncio.gather(*(_places_in_topic(asking, lookups, share, deadline) for share in shares)):
        places.update(found.done)
        failed.update(found.failed)
    return Results(places, failed)


async def _places_in_topic(
    asking: Asking, lookups: ClusterQueries, timestamps: Mapping[TopicPartition, int], deadline: Deadline
) -> Results[TopicPartition, int]:
    errors = {tp: error for tp in timestamps if (error := _unreadable(asking, tp))}
    wanted = {tp: at for tp, at in timestamps.items() if tp not in errors}
    try:
        found = await lookups.list_offsets(wanted, min(deadline.left_s(), asking.request_timeout_s))
    except KafkaNextgenError as error:
        return Results({}, {**errors, **dict.fromkeys(wanted, error)})
    return Results({tp: at.offset for tp, at in found.items()}, errors)


def _unreadable(asking: Asking, tp: TopicPartition) -> KafkaNextgenError | None:
    """Why nobody can be asked where a partition begins or ends, as far as the metadata says."""
    image = asking.cluster.metadata
    topic, partition = image.topics_by_name.get(tp.topic), image.partition(tp)
    if topic is not None and topic.error not in (ErrorCode.NONE, ErrorCode.LEADER_NOT_AVAILABLE):
        return refused(f"offsets of {tp}", topic.error)
    if partition is None:
        return refused(f"offsets of {tp}", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if image.leader_of(tp) is None:
        return refused(f"offsets of {tp}", ErrorCode.LEADER_NOT_AVAILABLE)
    return None


async def alter_offsets(
    asking: Asking,
    lookups: ClusterQueries,
    group_id: str,
    places: Mapping[TopicPartition, OffsetAndMetadata | OffsetReset],
    deadline: Deadline,
) -> Results[TopicPartition, OffsetAndMetadata]:
    """Commit for a group without being in it; makes the group if there is none."""
    offsets = {tp: place for tp, place in places.items() if isinstance(place, OffsetAndMetadata)}
    at_ends = {tp: _AT[place] for tp, place in places.items() if isinstance(place, OffsetReset)}
    found = await _places(asking, lookups, at_ends, deadline)
    offsets.update({tp: OffsetAndMetadata(offset) for tp, offset in found.done.items()})
    if not offsets:
        return Results({}, found.failed)
    committed = await _commit(asking, group_id, offsets, deadline)
    return Results(committed.done, {**committed.failed, **found.failed})


async def _commit(
    asking: Asking, group_id: str, offsets: Mapping[TopicPartition, OffsetAndMetadata], deadline: Deadline
) -> Results[TopicPartition, OffsetAndMetadata]:

    def refusal(answer: OffsetCommitResponse) -> Refusal:
        codes = offset_commit.from_response(answer, offsets.keys(), {})
        return next((code for code in codes.values() if code in _COORDINATION), 0), None

    request = OffsetCommit(group_id=group_id, offsets=offsets)
    question = Question(
        about=f"group {group_id}: altering its offsets",
        target=Coordinator(group_id),
        api=OFFSET_COMMIT.up_to(_BY_NAME),
        build=lambda version: offset_commit.to_request(request, {}, version),
        answer=OffsetCommitResponse,
        refusal=refusal,
    )
    codes = offset_commit.from_response(await asking.ask(question, deadline), offsets.keys(), {})
    return _sorted_out(group_id, codes, offsets)


async def delete_offsets(
    asking: Asking, group_id: str, partitions: Collection[TopicPartition], deadline: Deadline
) -> Results[TopicPartition, None]:
    """Forget what the group has committed for these partitions."""

    def refusal(answer: OffsetDeleteResponse) -> Refusal:
        return offset_delete.from_response(answer, partitions).error, None

    question = Question(
        about=f"group {group_id}: deleting offsets",
        target=Coordinator(group_id),
        api=OFFSET_DELETE,
        build=lambda version: offset_delete.to_request(group_id, partitions),
        answer=OffsetDeleteResponse,
        refusal=refusal,
    )
    deleted = offset_delete.from_response(await asking.ask(question, deadline), partitions)
    return _sorted_out(group_id, deleted.errors, dict.fromkeys(partitions))


def _sorted_out(
    group_id: str, codes: Mapping[TopicPartition, int], values: Mapping[TopicPartition, V]
) -> Results[TopicPartition, V]:
    """Who has a code failed by it, everybody else has what was wanted."""
    done, failed = {}, {}
    for tp in sorted(codes):
        if codes[tp]:
            failed[tp] = _refused_partition(group_id, tp, codes[tp])
        else:
            done[tp] = values[tp]
    return Results(done, failed)


def _refused_partition(group_id: str, tp: TopicPartition, code: int) -> KafkaNextgenError:
    if code == ErrorCode.UNKNOWN_MEMBER_ID:  # what a coordinator says to whoever commits for a group with members
        code = ErrorCode.NON_EMPTY_GROUP
    error = refused(f"group {group_id}: {tp}", code, None, group_id)
    error.partition = tp
    return error
