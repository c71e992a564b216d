"""JoinGroup, SyncGroup, Heartbeat and LeaveGroup: members of the classic protocol, alone and in rounds."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.wire import apis
from tests.verification.differential.drawing.session import GROUPS, INSTANCES, Session
from tests.verification.differential.steps import Step
from tests.verification.differential.symbols import EpochOf, Group, MemberIdOf, Parts, Subscription
from tests.verification.differential.told import Member

_TIMEOUT_MS = 600_000
_ID_IS_REQUIRED_SINCE = 4
_INSTANCES_SINCE = {apis.JOIN_GROUP: 5, apis.SYNC_GROUP: 3, apis.HEARTBEAT: 3, apis.LEAVE_GROUP: 3}


def classic_request(session: Session) -> list[Step]:
    """One request of a member."""
    member = session.member(session.group(classic=True))
    if session.joined.get(member) != "classic":
        return [_join(session, member)]
    draw = session.random.choices((_join, _sync, _heartbeat, _leave, _odd), weights=(20, 25, 25, 14, 16))[0]
    return [draw(session, member)]


def classic_round(session: Session) -> list[Step]:
    """Everybody who is known joins again, and then asks for its part: what a rebalance is made of."""
    group = session.group(classic=True)
    members = [member for member, protocol in session.joined.items() if member[0] == group and protocol == "classic"]
    if not members:
        members = [(group, who) for who in session.some(GROUPS[group].members)]
    return [_join(session, member) for member in members] + [_sync(session, member) for member in members]


def _named(member: Member) -> dict[str, Any]:
    return {"group_id": Group(member[0]), "member_id": MemberIdOf(*member)}


def _static(step_api: Any, version: int, member: Member) -> dict[str, Any]:
    has_instance = version >= _INSTANCES_SINCE[step_api]
    return {"group_instance_id": INSTANCES.get(member[1])} if has_instance else {}


def _join(session: Session, member: Member, **fields: Any) -> Step:
    version = session.version(apis.JOIN_GROUP, 5 if member[1] in INSTANCES else 0)
    is_first = session.joined.get(member) != "classic"
    session.joined[member] = "classic"
    if is_first and (version < _ID_IS_REQUIRED_SINCE or member[1] in INSTANCES or session.chance(0.6)):
        fields = {"member_id": "", **fields}
    asked = {
        **_named(member),
        "session_timeout_ms": _TIMEOUT_MS,
        "rebalance_timeout_ms": _TIMEOUT_MS,
        "protocol_type": "consumer",
        "protocols": _protocols(session),
        "reason": session.one((None, "why not")),
        **_static(apis.JOIN_GROUP, version, member),
    }
    return Step(apis.JOIN_GROUP, version, {**asked, **fields}, who=member, waits=True)


def _protocols(session: Session) -> list[dict[str, Any]]:
    topics = tuple(session.some(sorted(session.topics) or ["t1"], 2))
    subscription = Subscription(topics, session.one((0, 1, 2, 3, 3)))
    names = session.one((["range"], ["range"], ["range", "roundrobin"], ["roundrobin", "range"]))
    return [{"name": name, "metadata": subscription} for name in names]


def _sync(session: Session, member: Member, **fields: Any) -> Step:
    version = session.version(apis.SYNC_GROUP, 3 if member[1] in INSTANCES else 0)
    asked = {
        **_named(member),
        "generation_id": EpochOf(*member),
        "protocol_type": session.one(("consumer", "consumer", None)),
        "protocol_name": session.one(("range", "range", None)),
        "assignments": Parts(*member, "t1"),
        **_static(apis.SYNC_GROUP, version, member),
    }
    return Step(apis.SYNC_GROUP, version, {**asked, **fields}, who=member, waits=True)


def _heartbeat(session: Session, member: Member, **fields: Any) -> Step:
    version = session.version(apis.HEARTBEAT, 3 if member[1] in INSTANCES else 0)
    asked = {**_named(member), "generation_id": EpochOf(*member), **_static(apis.HEARTBEAT, version, member)}
    return Step(apis.HEARTBEAT, version, {**asked, **fields}, who=member)


def _leave(session: Session, member: Member) -> Step:
    session.joined.pop(member, None)
    version = session.version(apis.LEAVE_GROUP, 3 if member[1] in INSTANCES else 0)
    identity = {"member_id": MemberIdOf(*member), **_static(apis.LEAVE_GROUP, version, member)}
    if version < _INSTANCES_SINCE[apis.LEAVE_GROUP]:
        return Step(apis.LEAVE_GROUP, version, _named(member), who=member)
    others: list[dict[str, Any]] = [{"member_id": "stranger"}] if session.chance(0.1) else []
    if member[1] in INSTANCES and session.chance(0.3):
        identity["member_id"] = ""
    return Step(apis.LEAVE_GROUP, version, {"group_id": Group(member[0]), "members": [identity, *others]}, who=member)


def _odd(session: Session, member: Member) -> Step:
    """A request that contradicts the state or itself."""
    generation = EpochOf(*member, session.one((-1, 1, 7)))
    draw, fields = session.one(
        (
            (_join, {"session_timeout_ms": 1}),
            (_join, {"group_id": ""}),
            (_join, {"member_id": "stranger"}),
            (_join, {"protocols": []}),
            (_join, {"protocol_type": session.one(("", "connect"))}),
            (_join, {"protocols": [{"name": "strange", "metadata": b"\0"}]}),
            (_sync, {"generation_id": generation}),
            (_sync, {"member_id": "stranger"}),
            (_sync, {"protocol_name": "strange"}),
            (_sync, {"group_id": ""}),
            (_heartbeat, {"generation_id": generation}),
            (_heartbeat, {"member_id": session.one(("stranger", ""))}),
            (_heartbeat, {"group_id": ""}),
        )
    )
    return draw(session, member, **fields)
