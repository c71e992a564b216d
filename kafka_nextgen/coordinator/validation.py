"""Which heartbeats are valid for any group: a table, read from the top (KIP-848, "Request Validation").

The first broken rule gives the error, so the order is part of the protocol. It is Kafka's. Two rules differ from the
KIP's text: a rebalance timeout is only refused if it is missing, and names and pattern may be given together.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.draft import Refusal
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.settings import CoordinatorSettings

__all__ = ["JOIN", "LEAVE", "LEAVE_FOR_A_WHILE", "refuse_malformed"]

#: Member epochs with a special meaning.
JOIN = 0
LEAVE = -1
LEAVE_FOR_A_WHILE = -2


def _lacks_member_id(request: ConsumerGroupHeartbeat) -> bool:
    """In version 0 the coordinator generates a joining member's id (changed by KIP-1082)."""
    must_have_one = request.version >= 1 or request.member_epoch > 0 or request.member_epoch == LEAVE
    return must_have_one and not request.member_id


def _joins(request: ConsumerGroupHeartbeat) -> bool:
    return request.member_epoch == JOIN


_RULES: tuple[tuple[Callable[[ConsumerGroupHeartbeat], bool], str], ...] = (
    (_lacks_member_id, "MemberId is empty; a member makes its own id and keeps it"),
    (lambda request: not request.group_id, "GroupId is empty"),
    (lambda request: request.instance_id == "", "InstanceId is empty; leave it out for a dynamic member"),
    (lambda request: request.rack_id == "", "RackId is empty; leave it out if there is none"),
    (
        lambda request: _joins(request) and request.rebalance_timeout_ms == -1,
        "RebalanceTimeoutMs is missing; a member that joins has to state it",
    ),
    (
        lambda request: _joins(request) and request.owned != frozenset(),
        "TopicPartitions is not the empty list; a member that joins owns nothing and has to say so",
    ),
    (
        lambda request: _joins(request) and request.subscribed_topics is None and request.subscribed_pattern is None,
        "SubscribedTopicNames and SubscribedTopicRegex are both missing; a member that joins has to give one",
    ),
    (
        lambda request: request.member_epoch == LEAVE_FOR_A_WHILE and request.instance_id is None,
        "InstanceId is missing; only a static member can leave for a while",
    ),
    (
        lambda request: request.member_epoch < LEAVE_FOR_A_WHILE,
        "MemberEpoch is below -2; 0 joins, -1 leaves, -2 leaves for a while",
    ),
)


def refuse_malformed(request: ConsumerGroupHeartbeat, settings: CoordinatorSettings) -> Refusal | None:
    """Why this heartbeat is invalid, or None."""
    for is_broken, message in _RULES:
        if is_broken(request):
            return Refusal(ErrorCode.INVALID_REQUEST, message)
    names = [assignor.name for assignor in settings.group_consumer_assignors]
    if request.server_assignor is not None and request.server_assignor not in names:
        return Refusal(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"assignor {request.server_assignor!r} is not one of this coordinator's: {', '.join(names)}",
        )
    return None
