"""JoinGroup, versions 0 to 9: a member joins and gets its generation.

A static member needs version 5 (KIP-345). An older version would treat it as a dynamic member, so the request is
refused here. Version 8 adds a reason (KIP-800). In version 9, the answer can instruct a leader to keep the assignment
(KIP-814). Fields that a version lacks get the schema's default.

If a member's subscription in the leader's answer can't be decoded, it counts as empty: that member is assigned nothing,
and the others are not affected.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError, UnsupportedProtocolError
from kafka_nextgen.groups.consumer_protocol import (
    PROTOCOL_TYPE,
    MemberSubscription,
    decode_subscription,
    encode_subscription,
)
from kafka_nextgen.membership.classic.effects import SendJoinGroup
from kafka_nextgen.membership.classic.events import JoinAnswered, JoinedMember, JoinRefused
from kafka_nextgen.wire.messages import JoinGroupRequest, JoinGroupResponse

__all__ = ["to_event", "to_request"]

_WITH_INSTANCE_ID = 5
_WITH_SKIP_ASSIGNMENT = 9

_Protocol = JoinGroupRequest.JoinGroupRequestProtocol
_Member = JoinGroupResponse.JoinGroupResponseMember


def to_request(effect: SendJoinGroup, group_id: str, version: int) -> JoinGroupRequest:
    """Write a JoinGroup. Raises ``UnsupportedProtocolError`` for a static member before version 5."""
    if effect.instance_id is not None and version < _WITH_INSTANCE_ID:
        raise UnsupportedProtocolError(
            "the broker does not support static members (JoinGroup version 5, Apache Kafka 2.3): "
            "unset group.instance.id",
            code=ErrorCode.UNSUPPORTED_VERSION,
            group=group_id,
            member=effect.member_id,
        )
    return JoinGroupRequest(
        group_id=group_id,
        session_timeout_ms=effect.session_timeout_ms,
        rebalance_timeout_ms=effect.rebalance_timeout_ms,
        member_id=effect.member_id,
        group_instance_id=effect.instance_id,
        protocol_type=PROTOCOL_TYPE,
        protocols=[
            _Protocol(
                name=offer.strategy,
                metadata=encode_subscription(evolve(effect.subscription, user_data=offer.user_data)),
            )
            for offer in effect.offers
        ],
        reason=effect.reason,
    )


def to_event(number: int, message: JoinGroupResponse, version: int) -> JoinAnswered | JoinRefused:
    """Read the answer to JoinGroup ``number`` in this version. Raises ``DecodeError`` for invalid answers."""
    if message.error_code != ErrorCode.NONE:
        return JoinRefused(number, message.error_code, message.member_id)
    if message.generation_id < 0 or not message.member_id:
        raise DecodeError(
            f"the JoinGroup response has the invalid generation {message.generation_id} for {message.member_id!r}"
        )
    return JoinAnswered(
        number=number,
        member_id=message.member_id,
        generation=message.generation_id,
        protocol_type=message.protocol_type,
        strategy=message.protocol_name or None,
        leader_id=message.leader,
        members=tuple(_joined(member) for member in message.members),
        skip_assignment=message.skip_assignment,
        tells_leader=version >= _WITH_SKIP_ASSIGNMENT,
    )


def _joined(member: _Member) -> JoinedMember:
    try:
        subscription = decode_subscription(bytes(member.metadata))
    except DecodeError:
        subscription = MemberSubscription()
    return JoinedMember(member.member_id, member.group_instance_id, subscription)
