"""JoinGroup, versions 0 to 9, on the broker.

A version 0 member has its session timeout for rebalances, too. Where there is no type or protocol to tell, version 7
tells null, and older ones the empty string (KIP-559).
"""

from __future__ import annotations

from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.classic.responses import JoinGroupAnswer
from kafka_nextgen.wire.messages import JoinGroupRequest, JoinGroupResponse

__all__ = ["from_request", "to_response"]

_WITH_NULL_NAMES = 7

_Member = JoinGroupResponse.JoinGroupResponseMember


def from_request(
    message: JoinGroupRequest,
    number: int,
    client_id: str,
    client_host: str,
    new_member_id: str,
) -> JoinGroup:
    """Read a JoinGroup as the coordinator wants it, under a number that its answer may be released by.

    ``client_id`` comes from the request's header, ``client_host`` from the connection; ``new_member_id`` is what a
    member that came without an id will be called.
    """
    timeout_ms = message.rebalance_timeout_ms if message.version > 0 else message.session_timeout_ms
    return JoinGroup(
        number=number,
        group_id=message.group_id,
        member_id=message.member_id,
        protocol_type=message.protocol_type,
        protocols=tuple(OfferedProtocol(offer.name, bytes(offer.metadata)) for offer in message.protocols),
        session_timeout_ms=message.session_timeout_ms,
        rebalance_timeout_ms=timeout_ms,
        instance_id=message.group_instance_id,
        reason=message.reason,
        client_id=client_id,
        client_host=client_host,
        version=message.version,
        new_member_id=new_member_id,
    )


def to_response(answer: JoinGroupAnswer, version: int) -> JoinGroupResponse:
    """Write the coordinator's answer."""
    nothing = None if version >= _WITH_NULL_NAMES else ""
    return JoinGroupResponse(
        error_code=answer.error,
        generation_id=answer.generation,
        protocol_type=answer.protocol_type,
        protocol_name=answer.protocol_name or nothing,
        leader=answer.leader_id,
        skip_assignment=answer.skip_assignment,
        member_id=answer.member_id,
        members=[
            _Member(member_id=member.member_id, group_instance_id=member.instance_id, metadata=member.metadata)
            for member in answer.members
        ],
    )
