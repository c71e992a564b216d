"""The answers of a coordinator that is not there, or could not write: each request's own, with the error in its place.

| error | when |
|---|---|
| NOT_COORDINATOR | another node leads the partition, or has led it since; the log can't be read or written |
| COORDINATOR_LOAD_IN_PROGRESS | the log is being read |
| COORDINATOR_NOT_AVAILABLE | the partition has no leader, or too few replicas are in sync |
| UNKNOWN_SERVER_ERROR | what the request came to is larger than the topic takes |

A member of a classic group whose coordinator is being loaded is told that all is well: it would find out nothing by
asking again, and its session has not begun yet (as in Kafka).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator import requests as q
from kafka_nextgen.coordinator import responses as a
from kafka_nextgen.coordinator.classic import requests as cq
from kafka_nextgen.coordinator.classic import responses as ca
from kafka_nextgen.coordinator.hooks import ExtensionRequest

__all__ = ["group_of", "refuse"]


def group_of(request: q.Request) -> str:
    """The one group that a request is about."""
    if isinstance(request, q.ConsumerGroupDescribe | q.DeleteGroups | cq.DescribeGroups):
        (group_id,) = request.group_ids
        return group_id
    about_all = q.ListGroups | q.TopicsChanged | q.ConfigsChanged | q.EndTransaction
    assert not isinstance(request, about_all), f"{request} is about all groups of a coordinator"
    return request.group_id


def refuse(request: q.Request, error: ErrorCode) -> a.Response:
    """The answer to a request that a coordinator can't work on."""
    if isinstance(request, ExtensionRequest):
        return request.refused(error)
    return _REFUSALS[type(request)](request, error)


def _heartbeat(request: q.ConsumerGroupHeartbeat, error: ErrorCode) -> a.Response:
    return a.ConsumerGroupHeartbeatAnswer(error)


def _describe(request: q.ConsumerGroupDescribe, error: ErrorCode) -> a.Response:
    return a.ConsumerGroupDescribed(tuple(a.DescribedGroup(group_id, error) for group_id in request.group_ids))


def _list(request: q.ListGroups, error: ErrorCode) -> a.Response:
    return a.GroupsListed((), error)


def _delete(request: q.DeleteGroups, error: ErrorCode) -> a.Response:
    return a.GroupsDeleted(dict.fromkeys(request.group_ids, error))


def _commit(request: q.OffsetCommit | q.TxnOffsetCommit, error: ErrorCode) -> a.Response:
    return a.OffsetsCommitted(dict.fromkeys(request.offsets, error))


def _fetch(request: q.OffsetFetch, error: ErrorCode) -> a.Response:
    return a.OffsetsFetched(error=error)


def _delete_offsets(request: q.OffsetDelete, error: ErrorCode) -> a.Response:
    return a.OffsetsDeleted(error=error)


def _join(request: cq.JoinGroup, error: ErrorCode) -> a.Response:
    return ca.JoinGroupAnswer(error)


def _sync(request: cq.SyncGroup, error: ErrorCode) -> a.Response:
    return ca.SyncGroupAnswer(error)


def _session_heartbeat(request: cq.Heartbeat, error: ErrorCode) -> a.Response:
    return ca.HeartbeatAnswer(ErrorCode.NONE if error is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS else error)


def _leave(request: cq.LeaveGroup, error: ErrorCode) -> a.Response:
    return ca.LeaveGroupAnswer((), error)


def _describe_classic(request: cq.DescribeGroups, error: ErrorCode) -> a.Response:
    return ca.GroupsDescribed(
        tuple(ca.DescribedClassicGroup(group_id, error, state="") for group_id in request.group_ids)
    )


_REFUSALS: Mapping[type, Callable[[Any, ErrorCode], a.Response]] = {
    q.ConsumerGroupHeartbeat: _heartbeat,
    q.ConsumerGroupDescribe: _describe,
    q.ListGroups: _list,
    q.DeleteGroups: _delete,
    q.OffsetCommit: _commit,
    q.TxnOffsetCommit: _commit,
    q.OffsetFetch: _fetch,
    q.OffsetDelete: _delete_offsets,
    cq.JoinGroup: _join,
    cq.SyncGroup: _sync,
    cq.Heartbeat: _session_heartbeat,
    cq.LeaveGroup: _leave,
    cq.DescribeGroups: _describe_classic,
}
