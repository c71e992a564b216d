"""SyncGroup of a classic member of a consumer group: it fetches the assignment from its JoinGroup (KIP-848, "Classic
Members").

There is no leader and no wait for other members: the member gets its current assignment, in the version of its own
embedded protocol. If there is a newer target, it is told to join again, unless it has partitions to revoke: then it
first needs the assignment without them.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.consumer_protocol import PROTOCOL_TYPE, encode_assignment, version_of
from kafka_nextgen.coordinator.classic.requests import SyncGroup
from kafka_nextgen.coordinator.classic.responses import SyncGroupAnswer
from kafka_nextgen.coordinator.draft import Draft, Outcome
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.migration.heartbeat import expect_join, is_behind, keep_session
from kafka_nextgen.coordinator.migration.identity import classic_member_error
from kafka_nextgen.coordinator.records import ClassicProtocols, MemberStatus
from kafka_nextgen.coordinator.timers import TimerKind

__all__ = ["member_sync"]


def member_sync(draft: Draft, request: SyncGroup) -> Outcome:
    """Handle a SyncGroup, without parking it."""
    group, member_id = draft.group, request.member_id
    error = classic_member_error(group, member_id, request.instance_id, request.generation)
    if error is not ErrorCode.NONE:
        return Outcome(SyncGroupAnswer(error))
    current, protocols = group.current(member_id), _protocols(group, member_id)
    if not _is_consistent(group, request, protocols):
        return Outcome(SyncGroupAnswer(ErrorCode.INCONSISTENT_GROUP_PROTOCOL))
    if is_behind(draft, current) and current.status is not MemberStatus.UNREVOKED_PARTITIONS:
        expect_join(draft, member_id)
        return draft.outcome(SyncGroupAnswer(ErrorCode.REBALANCE_IN_PROGRESS))
    draft.cancel(TimerKind.SYNC, member_id)
    keep_session(draft, member_id)
    assigned = draft.topics.with_names(partition for partition, _ in current.assigned)
    protocol = _protocol(group, request, protocols)
    user_data = draft.hooks.user_data(group, member_id, protocol, protocols.supported)
    assignment = encode_assignment(assigned, version_of(protocols.supported[0].metadata), user_data)
    return draft.outcome(
        SyncGroupAnswer(protocol_type=request.protocol_type, protocol_name=request.protocol_name, assignment=assignment)
    )


def _protocols(group: Group, member_id: str) -> ClassicProtocols:
    classic = group.members[member_id].classic
    assert classic is not None, "who speaks the consumer protocol was refused"
    return classic


def _protocol(group: Group, request: SyncGroup, protocols: ClassicProtocols) -> str:
    return request.protocol_name or group.hooks.protocol_for(group, protocols.supported)


def _is_consistent(group: Group, request: SyncGroup, protocols: ClassicProtocols) -> bool:
    """Whether the request's protocol, if it has one, is that of the JoinGroup answer."""
    told = group.hooks.protocols_told(group, [offered.name for offered in protocols.supported])
    return request.protocol_type in (None, PROTOCOL_TYPE) and request.protocol_name in (None, *told)
