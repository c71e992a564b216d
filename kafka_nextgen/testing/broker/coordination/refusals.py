"""The answers for a coordinator that is on another node, is still loading, or could not write its log.

| error | when |
|---|---|
| NOT_COORDINATOR | another node leads the partition or has led it since, or the log can't be read or written |
| COORDINATOR_LOAD_IN_PROGRESS | the coordinator is reading its log |
| COORDINATOR_NOT_AVAILABLE | the partition has no leader, or too few replicas are in sync |
| UNKNOWN_SERVER_ERROR | the request's records are larger than the topic allows |

As in Kafka, a heartbeat to a classic group is answered without an error while its coordinator loads: an error would
only make the member send another heartbeat, and its session has not begun yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.described import DescribedClassicGroup, DescribedGroup
from kafka_nextgen.groups.extension_requests import ExtensionRequest
from kafka_nextgen.testing.coordinator import requests as q
from kafka_nextgen.testing.coordinator import responses as a
from kafka_nextgen.testing.coordinator.classic import requests as cq
from kafka_nextgen.testing.coordinator.classic import responses as ca

__all__ = ["group_of", "refuse"]


def group_of(request: q.Request) -> str:
    """The id of the one group that a request concerns."""
    if isinstance(request, q.ConsumerGroupDescribe | q.DeleteGroups | cq.DescribeGroups):
        (group_id,) = request.group_ids
        return group_id
    about_all = q.ListGroups | q.TopicsChanged | q.ConfigsChanged | q.EndTransaction
    assert not isinstance(request, about_all), f"{request} is about all groups of a coordinator"
    return request.group_id


def refuse(request: q.Request, error: ErrorCode) -> a.Response:
    """The answer to a request that a coordinator can't handle."""
    match request:
        case ExtensionRequest():
            return request.refused(error)
        case q.ConsumerGroupDescribe():
            return a.ConsumerGroupDescribed(tuple(DescribedGroup(group_id, error) for group_id in request.group_ids))
        case q.DeleteGroups():
            return a.GroupsDeleted(dict.fromkeys(request.group_ids, error))
        case q.OffsetCommit() | q.TxnOffsetCommit():
            return a.OffsetsCommitted(dict.fromkeys(request.offsets, error))
        case cq.DescribeGroups():
            groups = (DescribedClassicGroup(group_id, error, state="") for group_id in request.group_ids)
            return ca.GroupsDescribed(tuple(groups))
        case cq.Heartbeat() if error is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
            return ca.HeartbeatAnswer()
        case _:
            return _RESPONSES[type(request)](error=error)


#: The responses with one error for the whole request.
_RESPONSES: Mapping[type, Callable[..., a.Response]] = {
    q.ConsumerGroupHeartbeat: a.ConsumerGroupHeartbeatAnswer,
    q.ListGroups: a.GroupsListed,
    q.OffsetFetch: a.OffsetsFetched,
    q.OffsetDelete: a.OffsetsDeleted,
    cq.JoinGroup: ca.JoinGroupAnswer,
    cq.SyncGroup: ca.SyncGroupAnswer,
    cq.Heartbeat: ca.HeartbeatAnswer,
    cq.LeaveGroup: ca.LeaveGroupAnswer,
}
