"""SyncGroup, versions 0 to 5, from both ends.

The leader's has an entry for every member. From version 5 on both sides name the protocol they mean (KIP-559); an
empty name in an answer counts as none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE, decode_assignment, encode_assignment, user_data_of
from kafka_nextgen.membership.classic.effects import SendSyncGroup
from kafka_nextgen.membership.classic.events import SyncAnswered, SyncRefused
from kafka_nextgen.wire.messages import SyncGroupRequest, SyncGroupResponse

if TYPE_CHECKING:  # the broker's half is imported where it is used: a consumer has no use for it
    from kafka_nextgen.testing.coordinator.classic.requests import SyncGroup
    from kafka_nextgen.testing.coordinator.classic.responses import SyncGroupAnswer

__all__ = ["from_request", "to_event", "to_request", "to_response"]

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


def from_request(message: SyncGroupRequest, number: int) -> SyncGroup:
    """Read a SyncGroup, under a number that its answer may be released by."""
    from kafka_nextgen.testing.coordinator.classic.requests import SyncGroup

    return SyncGroup(
        number=number,
        group_id=message.group_id,
        generation=message.generation_id,
        member_id=message.member_id,
        instance_id=message.group_instance_id,
        protocol_type=message.protocol_type,
        protocol_name=message.protocol_name,
        assignments=tuple((part.member_id, bytes(part.assignment)) for part in message.assignments),
    )


def to_response(answer: SyncGroupAnswer) -> SyncGroupResponse:
    """Write the coordinator's answer."""
    return SyncGroupResponse(
        error_code=answer.error,
        protocol_type=answer.protocol_type,
        protocol_name=answer.protocol_name,
        assignment=answer.assignment,
    )
