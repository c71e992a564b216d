"""SyncGroup, versions 0 to 5: the leader sends the assignments, and members get theirs.

The leader's request contains an entry for every member. From version 5 on, the request and the answer contain the
protocol's name (KIP-559); an empty name in an answer counts as none.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE, decode_assignment, encode_assignment, user_data_of
from kafka_nextgen.membership.classic.effects import SendSyncGroup
from kafka_nextgen.membership.classic.events import SyncAnswered, SyncRefused
from kafka_nextgen.wire.messages import SyncGroupRequest, SyncGroupResponse

__all__ = ["to_event", "to_request"]

_Assignment = SyncGroupRequest.SyncGroupRequestAssignment


def to_request(effect: SendSyncGroup, group_id: str) -> SyncGroupRequest:
    """Write a SyncGroup."""
    return SyncGroupRequest(
        group_id=group_id,
        generation_id=effect.generation,
        member_id=effect.member_id,
        group_instance_id=effect.instance_id,
        protocol_type=PROTOCOL_TYPE,
        protocol_name=effect.strategy,
        assignments=[
            _Assignment(
                member_id=part.member_id, assignment=encode_assignment(part.partitions, user_data=part.user_data)
            )
            for part in effect.assignments
        ],
    )


def to_event(number: int, message: SyncGroupResponse) -> SyncAnswered | SyncRefused:
    """Read the answer to SyncGroup ``number``. Raises ``DecodeError`` for an assignment that can't be read."""
    if message.error_code != ErrorCode.NONE:
        return SyncRefused(number, message.error_code)
    assignment = bytes(message.assignment)
    said = message.protocol_type or None, message.protocol_name or None
    return SyncAnswered(number, *said, decode_assignment(assignment), user_data_of(assignment))
