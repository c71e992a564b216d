"""AnnounceLeaving: announce that members leave, so that all of them cost the group one rebalance (the draft of batched
joins, "the same with scale down").

What must hold for the request:

| what must hold | else |
|---|---|
| this coordinator has extensions | UNSUPPORTED_VERSION |
| the group id is not empty | INVALID_GROUP_ID |
| the waiting time is not negative, and a member is named if it is above 0 | INVALID_REQUEST |
| the group exists | GROUP_ID_NOT_FOUND |

What must hold for each member, checked separately, from top to bottom:

| what must hold | else |
|---|---|
| it has an instance id or a member id | INVALID_REQUEST |
| it is in the group, or announced and has left | UNKNOWN_MEMBER_ID |
| if both ids are given, they are of one member | FENCED_INSTANCE_ID |

A static member is announced for its instance, even if it is named by its member id. A later request for the same member
replaces its time. A member that has left temporarily has left.

A waiting time of 0 cancels announcements: of the named members, or of all if none is named. Those that are present
stay members, and so do those that left temporarily; from the others, the group takes over immediately.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.extensions.leaving import AnnouncedMember, AnnounceLeaving, LeavingAnnounced, NamedMember
from kafka_nextgen.groups.extensions.records import Leaver
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.extensions.leaving.leavers import forget, keep_leavers, member_of
from kafka_nextgen.testing.coordinator.extensions.leaving.taking_over import settle, take_over
from kafka_nextgen.testing.coordinator.extensions.state import LEAVERS
from kafka_nextgen.testing.coordinator.group import Group

__all__ = ["announce_leaving"]

#: An error code, and what is wrong.
_Result = tuple[ErrorCode, str | None]

_FINE: _Result = (ErrorCode.NONE, None)
_UNKNOWN: _Result = (ErrorCode.UNKNOWN_MEMBER_ID, "it is not announced to leave")


def announce_leaving(draft: Draft, request: AnnounceLeaving) -> Outcome:
    """Announce these members, or cancel their announcement."""
    error, message = _refusal(draft, request)
    if error:
        return Outcome(LeavingAnnounced(error, message))
    serve = _announce if request.timeout_ms else _cancel
    return draft.outcome(LeavingAnnounced(members=serve(draft, request)))


def _refusal(draft: Draft, request: AnnounceLeaving) -> _Result:
    if not draft.settings.extensions:
        return ErrorCode.UNSUPPORTED_VERSION, "this coordinator waits for no members: its extensions are off"
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID, "GroupId is empty"
    if request.timeout_ms < 0:
        return ErrorCode.INVALID_REQUEST, "TimeoutMs is negative; 0 cancels an announcement"
    if request.timeout_ms > 0 and not request.members:
        return ErrorCode.INVALID_REQUEST, "Members is empty; name the members that will leave"
    if not draft.group.exists:
        return ErrorCode.GROUP_ID_NOT_FOUND, f"Group {request.group_id} not found."
    return _FINE


def _announce(draft: Draft, request: AnnounceLeaving) -> tuple[AnnouncedMember, ...]:
    group, leavers = draft.group, dict(LEAVERS.of(draft.group))
    results: list[AnnouncedMember] = []
    for who in request.members:
        leaver = _found(group, who, draft.now_ms + request.timeout_ms)
        error, message = _judge(group, who, leaver)
        results.append(AnnouncedMember(who.member_id, who.instance_id, error, message))
        if error is ErrorCode.NONE:
            leavers[leaver.key] = leaver
    keep_leavers(draft, leavers.values())
    settle(draft)
    return tuple(results)


def _found(group: Group, who: NamedMember, until_ms: int) -> Leaver:
    """The member to announce, for its instance if it is static."""
    instance_id, classic = who.instance_id, group.classic
    if instance_id is None and who.member_id in group.members:
        instance_id = group.members[who.member_id].instance_id
    elif instance_id is None and classic is not None and who.member_id in classic.members:
        instance_id = classic.members[who.member_id].instance_id
    return Leaver(who.member_id, instance_id, until_ms)


def _judge(group: Group, who: NamedMember, leaver: Leaver) -> _Result:
    if not who.member_id and not who.instance_id:
        return ErrorCode.INVALID_REQUEST, "InstanceId and MemberId are empty"
    member_id = member_of(group, leaver)
    if member_id is None:
        is_known = leaver.key in LEAVERS.of(group)
        return _FINE if is_known else (ErrorCode.UNKNOWN_MEMBER_ID, "it is not a member of the group")
    if who.member_id not in ("", member_id):
        return ErrorCode.FENCED_INSTANCE_ID, f"the instance is the member {member_id}"
    return _FINE


def _cancel(draft: Draft, request: AnnounceLeaving) -> tuple[AnnouncedMember, ...]:
    leavers = LEAVERS.of(draft.group)
    named = request.members or [_named(leaver) for leaver in leavers.values()]
    keys = [_found(draft.group, who, 0).key for who in named]
    gone = [leavers[key] for key in dict.fromkeys(keys) if key in leavers and not _is_member(draft, leavers[key])]
    forget(draft, keys)
    if gone:
        take_over(draft, gone)
    settle(draft)
    results = (_FINE if key in leavers else _UNKNOWN for key in keys)
    pairs = zip(named, results, strict=True)
    return tuple(AnnouncedMember(who.member_id, who.instance_id, error, message) for who, (error, message) in pairs)


def _named(leaver: Leaver) -> NamedMember:
    return NamedMember("" if leaver.instance_id else leaver.member_id, leaver.instance_id)


def _is_member(draft: Draft, leaver: Leaver) -> bool:
    return member_of(draft.group, leaver) is not None
