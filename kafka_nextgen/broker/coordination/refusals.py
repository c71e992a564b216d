"""The responses of a coordinator that is not there or could not write: those of the request, with the error.

| error | when |
|---|---|
| NOT_COORDINATOR | another node leads the partition, or has led it since; the log can't be read or written |
| COORDINATOR_LOAD_IN_PROGRESS | the log is being read |
| COORDINATOR_NOT_AVAILABLE | the partition has no leader, or too few replicas are in sync |
| UNKNOWN_SERVER_ERROR | the records of the request are larger than the topic allows |
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
    """The id of the group that a request is about."""
    if isinstance(request, q.ConsumerGroupDescribe | q.DeleteGroups | cq.DescribeGroups):
        (group_id,) = request.group_ids
        return group_id
    about_all = q.ListGroups | q.TopicsChanged | q.ConfigsChanged | q.EndTransaction
    assert not isinstance(request, about_all), f"{request} is about all groups of a coordinator"
    return request.group_id


def refuse(request: q.Request, error: ErrorCode) -> a.Response:
    """The response to a request that the coordinator can't handle."""
    if isinstance(request, ExtensionRequest):
        return request.refused(error)
    return _REFUSALS[type(request)](request, error)


def _offset_refusal(request: q.OffsetCommit | q.TxnOffsetCommit, error: ErrorCode) -> a.Response:
    return a.OffsetsCommitted(dict.fromkeys(request.offsets, error))


def _heartbeat_refusal(error: ErrorCode) -> a.Response:
    """Accept heartbeats while the log is read, as Kafka does: the session has not begun, so a retry would not help."""
    return ca.HeartbeatAnswer(ErrorCode.NONE if error is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS else error)


def _description_refusal(request: q.ConsumerGroupDescribe, error: ErrorCode) -> a.Response:
    return a.ConsumerGroupDescribed(tuple(a.DescribedGroup(group_id, error) for group_id in request.group_ids))


def _classic_description_refusal(request: cq.DescribeGroups, error: ErrorCode) -> a.Response:
    groups = (ca.DescribedClassicGroup(group_id, error, state="") for group_id in request.group_ids)
    return ca.GroupsDescribed(tuple(groups))


_REFUSALS: Mapping[type, Callable[[Any, ErrorCode], a.Response]] = {
    q.ConsumerGroupHeartbeat: lambda _, error: a.ConsumerGroupHeartbeatAnswer(error),
    q.ConsumerGroupDescribe: _description_refusal,
    q.ListGroups: lambda _, error: a.GroupsListed((), error),
    q.DeleteGroups: lambda request, error: a.GroupsDeleted(dict.fromkeys(request.group_ids, error)),
    q.OffsetCommit: _offset_refusal,
    q.TxnOffsetCommit: _offset_refusal,
    q.OffsetFetch: lambda _, error: a.OffsetsFetched(error=error),
    q.OffsetDelete: lambda _, error: a.OffsetsDeleted(error=error),
    cq.JoinGroup: lambda _, error: ca.JoinGroupAnswer(error),
    cq.SyncGroup: lambda _, error: ca.SyncGroupAnswer(error),
    cq.Heartbeat: lambda _, error: _heartbeat_refusal(error),
    cq.LeaveGroup: lambda _, error: ca.LeaveGroupAnswer((), error),
    cq.DescribeGroups: _classic_description_refusal,
}
