"""JoinGroup, versions 0 to 9, on the broker.

A version 0 member's session timeout is also its rebalance timeout. If there is no type or protocol, version 7 and above
send null, and older versions the empty string (KIP-559).
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
    """Convert a JoinGroup to a request of the coordinator; its answer can be released by ``number``.

    ``client_id`` comes from the request's header, ``client_host`` from the connection; ``new_member_id`` is the id for
    a member that joins without one.
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
