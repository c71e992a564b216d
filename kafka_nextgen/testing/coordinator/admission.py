"""Which heartbeats are accepted: tables, read from the top. The first broken rule gives the error, so the order is part
of the protocol. It is Kafka's.

``_MALFORMED`` has the rules for any group (KIP-848, "Request Validation"). Two differ from the KIP's text: a rebalance
timeout is only refused if it is missing, and names and pattern may be given together. Then, for this group:

| applies to | what must hold | else |
|---|---|---|
| all | the group exists and is not classic, or this join creates it | GROUP_ID_NOT_FOUND |
| all | the group has room, or already contains the member or (since Kafka 4.4) its instance | GROUP_MAX_SIZE_REACHED |
| static, joining | the instance is new, has left temporarily, or is held by a classic member | UNRELEASED_INSTANCE_ID |
| static, staying or leaving | the instance is known | UNKNOWN_MEMBER_ID |
| static, staying or leaving | the instance is this member's | FENCED_INSTANCE_ID |
| dynamic, staying or leaving | the member is known | UNKNOWN_MEMBER_ID |
| joining or staying | the member's epoch is the one that it received | FENCED_MEMBER_EPOCH |

A fenced member stays in the group until it joins again or its session ends, so that a delayed message does not cost it
its place. KIP-848, "Fencing", removes it immediately; no Kafka release does.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.records import CurrentMemberAssignment, MemberStatus
from kafka_nextgen.testing.coordinator.draft import Refusal
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings

__all__ = ["JOIN", "LEAVE", "LEAVE_TEMPORARILY", "refuse_entry", "refuse_leave", "refuse_malformed"]

#: Member epochs with a special meaning.
JOIN = 0
LEAVE = -1
LEAVE_TEMPORARILY = -2

_Rule = Callable[[ConsumerGroupHeartbeat, Group, CoordinatorSettings], Refusal | None]


def _lacks_member_id(request: ConsumerGroupHeartbeat) -> bool:
    """In version 0 the coordinator generates a joining member's id (changed by KIP-1082)."""
    must_have_one = request.version >= 1 or request.member_epoch > 0 or request.member_epoch == LEAVE
    return must_have_one and not request.member_id


def _joins(request: ConsumerGroupHeartbeat) -> bool:
    return request.member_epoch == JOIN


_MALFORMED: tuple[tuple[Callable[[ConsumerGroupHeartbeat], bool], str], ...] = (
    (_lacks_member_id, "MemberId is empty; a member generates its own id and keeps it"),
    (lambda request: not request.group_id, "GroupId is empty"),
    (lambda request: request.instance_id == "", "InstanceId is empty; leave it out for a dynamic member"),
    (lambda request: request.rack_id == "", "RackId is empty; omit it without a rack"),
    (
        lambda request: _joins(request) and request.rebalance_timeout_ms == -1,
        "RebalanceTimeoutMs is missing; a joining member must send it",
    ),
    (
        lambda request: _joins(request) and request.owned != frozenset(),
        "TopicPartitions is not the empty list; a joining member owns nothing and must send an empty list",
    ),
    (
        lambda request: _joins(request) and request.subscribed_topics is None and request.subscribed_pattern is None,
        "SubscribedTopicNames and SubscribedTopicRegex are both missing; a joining member must send one of them",
    ),
    (
        lambda request: request.member_epoch == LEAVE_TEMPORARILY and request.instance_id is None,
        "InstanceId is missing; only a static member can leave temporarily",
    ),
    (
        lambda request: request.member_epoch < LEAVE_TEMPORARILY,
        "MemberEpoch is below -2; 0 joins, -1 leaves, -2 leaves temporarily",
    ),
)


def refuse_malformed(request: ConsumerGroupHeartbeat, settings: CoordinatorSettings) -> Refusal | None:
    """Why this heartbeat is invalid, or None."""
    for is_broken, message in _MALFORMED:
        if is_broken(request):
            return Refusal(ErrorCode.INVALID_REQUEST, message)
    names = [assignor.name for assignor in settings.group_consumer_assignors]
    if request.server_assignor is not None and request.server_assignor not in names:
        return Refusal(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"assignor {request.server_assignor!r} is not available on this coordinator, which has: {', '.join(names)}",
        )
    return None


def refuse_entry(request: ConsumerGroupHeartbeat, group: Group, settings: CoordinatorSettings) -> Refusal | None:
    """Why a member may not join or stay, or None. A returning instance takes its former member's place."""
    return _first_objection(_ENTRY, request, group, settings)


def refuse_leave(request: ConsumerGroupHeartbeat, group: Group, settings: CoordinatorSettings) -> Refusal | None:
    """Why a member may not leave, or None. A request to leave is accepted at any epoch."""
    return _first_objection(_LEAVE, request, group, settings)


def _first_objection(
    rules: tuple[_Rule, ...], request: ConsumerGroupHeartbeat, group: Group, settings: CoordinatorSettings
) -> Refusal | None:
    for rule in rules:
        if refusal := rule(request, group, settings):
            return refusal
    return None


def _group_must_exist(request: ConsumerGroupHeartbeat, group: Group, _: CoordinatorSettings) -> Refusal | None:
    if group.is_consumer_group or request.member_epoch == JOIN:
        return None
    return Refusal(ErrorCode.GROUP_ID_NOT_FOUND, f"there is no consumer group {group.group_id!r}; join with epoch 0")


def _group_must_have_room(
    request: ConsumerGroupHeartbeat, group: Group, settings: CoordinatorSettings
) -> Refusal | None:
    if request.member_id in group.members:
        return None
    if settings.behaviour.instance_returns_to_full_group and request.instance_id in group.instances:
        return None
    if len(group.members) + group.hooks.seats_kept(group, request.instance_id) < settings.group_consumer_max_size:
        return None
    return Refusal(
        ErrorCode.GROUP_MAX_SIZE_REACHED,
        f"group {group.group_id!r} is full, with {settings.group_consumer_max_size} members",
    )


def _instance_must_be_free(request: ConsumerGroupHeartbeat, group: Group, _: CoordinatorSettings) -> Refusal | None:
    """The rule also applies if the member id is the same, because only a heartbeat with epoch -2 from the old process,
    or its session timeout, shows that the process is gone. A classic static member sends no request to leave, so a new
    member with its instance id replaces it (KIP-345).
    """
    holder = group.instances.get(request.instance_id or "")
    if request.member_epoch != JOIN or holder is None:
        return None
    if group.current(holder).member_epoch == LEAVE_TEMPORARILY or group.is_classic_member(holder):
        return None
    return Refusal(
        ErrorCode.UNRELEASED_INSTANCE_ID,
        f"instance {request.instance_id!r} of group {group.group_id!r} is held by member {holder}, which has not "
        "left; try again when its session has ended",
    )


def _instance_must_be_known(request: ConsumerGroupHeartbeat, group: Group, _: CoordinatorSettings) -> Refusal | None:
    if request.member_epoch == JOIN or request.instance_id is None or request.instance_id in group.instances:
        return None
    return Refusal(
        ErrorCode.UNKNOWN_MEMBER_ID,
        f"group {group.group_id!r} has no instance {request.instance_id!r}; join with epoch 0",
    )


def _instance_must_be_its_own(request: ConsumerGroupHeartbeat, group: Group, _: CoordinatorSettings) -> Refusal | None:
    holder = group.instances.get(request.instance_id or "", request.member_id)
    if request.member_epoch == JOIN or holder == request.member_id:
        return None
    return Refusal(
        ErrorCode.FENCED_INSTANCE_ID,
        f"instance {request.instance_id!r} of group {group.group_id!r} is now held by member {holder}; stop this "
        "member",
    )


def _member_must_be_known(request: ConsumerGroupHeartbeat, group: Group, _: CoordinatorSettings) -> Refusal | None:
    if request.member_epoch == JOIN or request.member_id in group.members:
        return None
    return Refusal(
        ErrorCode.UNKNOWN_MEMBER_ID,
        f"group {group.group_id!r} has no member {request.member_id!r}; join with epoch 0",
    )


def _epoch_must_be_the_members(
    request: ConsumerGroupHeartbeat, group: Group, settings: CoordinatorSettings
) -> Refusal | None:
    """Early releases also check a dynamic member that joins again. A joining static member is checked by its instance
    instead.
    """
    joins_by_instance = request.member_epoch == JOIN and request.instance_id is not None
    if joins_by_instance or request.member_id not in group.members:
        return None
    current = group.current(request.member_id)
    if _is_at_its_epoch(request, current, settings) and _knows_its_status(request, current):
        return None
    return Refusal(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"member {request.member_id} of group {group.group_id!r} sent epoch {request.member_epoch} but is at "
        f"{current.member_epoch}; give up all partitions and join again with epoch 0",
    )


def _is_at_its_epoch(
    request: ConsumerGroupHeartbeat, current: CurrentMemberAssignment, settings: CoordinatorSettings
) -> bool:
    if request.member_epoch == current.member_epoch:
        return True
    if request.member_epoch == JOIN and settings.behaviour.known_member_may_join_again:
        return True
    return _missed_the_last_answer(request, current)


def _missed_the_last_answer(request: ConsumerGroupHeartbeat, current: CurrentMemberAssignment) -> bool:
    """The answer with the new epoch may be lost. It is repeated if the member owns no partition beyond its assignment,
    which shows that the heartbeat is not from an older incarnation.
    """
    if request.member_epoch != current.previous_member_epoch or request.member_epoch > current.member_epoch:
        return False
    return request.owned is not None and request.owned <= {partition for partition, _ in current.assigned}


def _knows_its_status(request: ConsumerGroupHeartbeat, current: CurrentMemberAssignment) -> bool:
    """A later release may have stored a status unknown here; only a member that owns nothing can continue from it."""
    return current.status is not MemberStatus.UNKNOWN or request.owned == frozenset()


_ENTRY: tuple[_Rule, ...] = (
    _group_must_exist,
    _group_must_have_room,
    _instance_must_be_free,
    _instance_must_be_known,
    _instance_must_be_its_own,
    _member_must_be_known,
    _epoch_must_be_the_members,
)

_LEAVE: tuple[_Rule, ...] = (
    _group_must_exist,
    _instance_must_be_known,
    _instance_must_be_its_own,
    _member_must_be_known,
)
