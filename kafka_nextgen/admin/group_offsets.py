"""List, alter and delete the committed offsets of a group.

The list has all partitions with a committed offset, and those that members own without one. The end of a partition is
its high watermark, as in Kafka's own tools, so that an open transaction does not hide lag. Unlike Kafka's tools, this
also uses the partition's beginning: records that retention or DeleteRecords removed can't be read, so they do not count
as lag. A partition whose beginning and end are unavailable (deleted topic, no leader) is listed with an error.

To alter or delete offsets, the group must have no members that read these partitions: their next commits would undo the
change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, TypeVar

from kafka_nextgen.admin.requests import AdminCall, broker_error
from kafka_nextgen.admin.share_offsets import ShareOffsets, fetch_share_offsets
from kafka_nextgen.admin.values import GroupDescription, GroupOffset, GroupType, Results
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.partition_results import PartitionResults
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests import offset_commit, offset_delete, offset_fetch
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST
from kafka_nextgen.transport.cluster import Coordinator
from kafka_nextgen.transport.offset_lookup import offsets_of
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.apis import OFFSET_COMMIT, OFFSET_DELETE, OFFSET_FETCH
from kafka_nextgen.wire.topics import by_name

if TYPE_CHECKING:
    from kafka_nextgen.errors import KafkaNextgenError

__all__ = ["alter_offsets", "delete_offsets", "fetch_committed", "find_offsets", "list_offsets"]

V = TypeVar("V")

#: For OffsetCommit and OffsetFetch. Later versions use topic ids, and a deleted topic's id can't be resolved to a name.
_LAST_VERSION_BY_NAME = 9

_TIMESTAMPS = {OffsetReset.EARLIEST: EARLIEST, OffsetReset.LATEST: LATEST}

_COORDINATOR_ERRORS = frozenset(
    {ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}
)


async def list_offsets(call: AdminCall, group: GroupDescription) -> dict[TopicPartition, GroupOffset]:
    """Return the offsets of all partitions that have a committed offset or an owner."""
    is_share = group.type is GroupType.SHARE
    fetched = await (fetch_share_offsets if is_share else fetch_committed)(call, group.group_id)
    lags = fetched.lags if isinstance(fetched, ShareOffsets) else {}
    owners = {} if is_share else _owners_in(group)
    partitions = sorted({*fetched.offsets, *fetched.errors, *owners})
    await _refresh_metadata(call, partitions)
    starts, ends = await asyncio.gather(
        find_offsets(call, dict.fromkeys(partitions, EARLIEST)),
        find_offsets(call, dict.fromkeys(partitions, LATEST)),
    )
    listed = {}
    for tp in partitions:
        error = ends.failed.get(tp) or starts.failed.get(tp)
        if tp in fetched.errors:
            error = broker_error(f"group {group.group_id}: {tp}", fetched.errors[tp], None, group.group_id)
        listed[tp] = GroupOffset(
            fetched.offsets.get(tp), ends.get(tp), owners.get(tp), error, starts.get(tp), lags.get(tp)
        )
    return listed


def _owners_in(group: GroupDescription) -> dict[TopicPartition, str]:
    """Return the owner of each partition; members of share groups own none, since they share them."""
    return {tp: member.member_id for member in group.members for tp in member.assignment or ()}


async def fetch_committed(call: AdminCall, group_id: str) -> offset_fetch.FetchedOffsets:
    """Return all committed offsets of the group, none if it does not exist."""
    return await call.send(
        f"group {group_id}: listing its offsets",
        Coordinator(group_id),
        OFFSET_FETCH.up_to(_LAST_VERSION_BY_NAME),
        build=lambda version: offset_fetch.listing(group_id, version),
        read=lambda response: offset_fetch.from_response(response, group_id, {}),
        error_in=lambda fetched: (fetched.error, None),
    )


async def _refresh_metadata(call: AdminCall, partitions: Collection[TopicPartition]) -> None:
    if partitions:
        await call.cluster.refresh_metadata(topics=by_name(partitions), timeout_s=call.deadline.left_s())


async def find_offsets(call: AdminCall, timestamps: Mapping[TopicPartition, int]) -> PartitionResults[int]:
    """Return where each partition begins or ends, using the latest metadata; one failure does not affect the others."""
    errors = {tp: error for tp in timestamps if (error := _metadata_error(call, tp))}
    wanted = {tp: at for tp, at in timestamps.items() if tp not in errors}
    found = offsets_of(await call.queries.find_offsets(wanted, call.attempt_timeout_s()))
    return PartitionResults(found, {**errors, **found.failed})


def _metadata_error(call: AdminCall, tp: TopicPartition) -> KafkaNextgenError | None:
    """Return the reason if the metadata has no leader to query for the partition's offsets."""
    image = call.cluster.metadata
    topic, partition = image.topics_by_name.get(tp.topic), image.partition(tp)
    if topic is not None and topic.error not in (ErrorCode.NONE, ErrorCode.LEADER_NOT_AVAILABLE):
        return broker_error(f"offsets of {tp}", topic.error)
    if partition is None:
        return broker_error(f"offsets of {tp}", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if image.leader_of(tp) is None:
        return broker_error(f"offsets of {tp}", ErrorCode.LEADER_NOT_AVAILABLE)
    return None


async def alter_offsets(
    call: AdminCall, group_id: str, specs: Mapping[TopicPartition, OffsetAndMetadata | OffsetReset]
) -> Results[TopicPartition, OffsetAndMetadata]:
    """Commit for a group without being a member; creates the group if it does not exist."""
    offsets = {tp: spec for tp, spec in specs.items() if isinstance(spec, OffsetAndMetadata)}
    at_ends = {tp: _TIMESTAMPS[spec] for tp, spec in specs.items() if isinstance(spec, OffsetReset)}
    await _refresh_metadata(call, at_ends)
    found = await find_offsets(call, at_ends)
    offsets.update({tp: OffsetAndMetadata(offset) for tp, offset in found.items()})
    if not offsets:
        return Results({}, found.failed)
    committed = await _commit(call, group_id, offsets)
    return Results(committed.done, {**committed.failed, **found.failed})


async def _commit(
    call: AdminCall, group_id: str, offsets: Mapping[TopicPartition, OffsetAndMetadata]
) -> Results[TopicPartition, OffsetAndMetadata]:
    codes = await call.send(
        f"group {group_id}: altering its offsets",
        Coordinator(group_id),
        OFFSET_COMMIT.up_to(_LAST_VERSION_BY_NAME),
        build=lambda version: offset_commit.alteration(group_id, offsets),
        read=lambda response: offset_commit.from_response(response, offsets.keys(), {}),
        error_in=lambda codes: (next((code for code in codes.values() if code in _COORDINATOR_ERRORS), 0), None),
    )
    return _results(group_id, codes, offsets)


async def delete_offsets(
    call: AdminCall, group_id: str, partitions: Collection[TopicPartition]
) -> Results[TopicPartition, None]:
    """Delete the committed offsets of these partitions."""
    deleted = await call.send(
        f"group {group_id}: deleting offsets",
        Coordinator(group_id),
        OFFSET_DELETE,
        build=lambda version: offset_delete.to_request(group_id, partitions),
        read=lambda response: offset_delete.from_response(response, partitions),
        error_in=lambda deleted: (deleted.error, None),
    )
    return _results(group_id, deleted.errors, dict.fromkeys(partitions))


def _results(
    group_id: str, codes: Mapping[TopicPartition, int], values: Mapping[TopicPartition, V]
) -> Results[TopicPartition, V]:
    """Split partitions by whether they have an error code."""
    done, failed = {}, {}
    for tp in sorted(codes):
        if codes[tp]:
            failed[tp] = _partition_error(group_id, tp, codes[tp])
        else:
            done[tp] = values[tp]
    return Results(done, failed)


def _partition_error(group_id: str, tp: TopicPartition, code: int) -> KafkaNextgenError:
    if code == ErrorCode.UNKNOWN_MEMBER_ID:  # the coordinator's code for a commit to a group with members
        code = ErrorCode.NON_EMPTY_GROUP
    error = broker_error(f"group {group_id}: {tp}", code, None, group_id)
    error.partition = tp
    return error
