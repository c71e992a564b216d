"""ConsumerGroupHeartbeat (KIP-848): members that join, acknowledge, change their minds, leave and contradict."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.wire import apis
from tests.verification.differential.drawing.session import GROUPS, INSTANCES, NOWHERE, Session
from tests.verification.differential.steps import Step
from tests.verification.differential.symbols import EpochOf, Group, MemberIdOf, Owned, Topic, TopicIdOf
from tests.verification.differential.told import Member

_TIMEOUT_MS = 300_000
_LEAVE, _LEAVE_FOR_A_WHILE = -1, -2


def consumer_heartbeat(session: Session) -> list[Step]:
    """One heartbeat of a member, most of them as a member would send it."""
    group, who = session.member(session.group(consumer=True))
    if session.joined.get((group, who)) != "consumer":
        return [_join(session, (group, who)) if session.chance(0.85) else _odd(session, (group, who))]
    draw = session.random.choices(
        (_acknowledge, _idle, _resubscribe, _join, _leave, _odd), weights=(40, 20, 8, 6, 12, 14)
    )[0]
    return [draw(session, (group, who))]


def _heartbeat(session: Session, member: Member, version: int | None = None, **fields: Any) -> Step:
    spoken = session.version(apis.CONSUMER_GROUP_HEARTBEAT) if version is None else version
    named = {
        "group_id": Group(member[0]),
        "member_id": MemberIdOf(*member),
        "member_epoch": EpochOf(*member),
        "instance_id": INSTANCES.get(member[1]),
    }
    return Step(apis.CONSUMER_GROUP_HEARTBEAT, spoken, {**named, **fields}, who=member)


def _join(session: Session, member: Member) -> Step:
    session.joined[member] = "consumer"
    fields = {"member_epoch": 0, "topic_partitions": [], **_everything(session, member)}
    if member[0] == "lone" and session.chance(0.2):
        return _heartbeat(session, member, 0, **{**fields, "member_id": ""})
    return _heartbeat(session, member, **fields)


def _everything(session: Session, member: Member) -> dict[str, Any]:
    return {
        "rebalance_timeout_ms": _TIMEOUT_MS,
        "rack_id": session.one((None, None, "r1")),
        "subscribed_topic_names": _names(session),
        "server_assignor": session.one(GROUPS[member[0]].assignors),
    }


def _names(session: Session) -> list[Topic]:
    return [Topic(name) for name in session.some([*sorted(session.topics), NOWHERE], 3)]


def _acknowledge(session: Session, member: Member) -> Step:
    full = _everything(session, member) if session.chance(0.1) else {}
    return _heartbeat(session, member, **full, topic_partitions=Owned(*member))


def _idle(session: Session, member: Member) -> Step:
    return _heartbeat(session, member)


def _resubscribe(session: Session, member: Member) -> Step:
    return _heartbeat(session, member, subscribed_topic_names=_names(session))


def _leave(session: Session, member: Member) -> Step:
    session.joined.pop(member, None)
    is_static = member[1] in INSTANCES
    return _heartbeat(session, member, member_epoch=_LEAVE_FOR_A_WHILE if is_static and session.chance(0.5) else _LEAVE)


def _odd(session: Session, member: Member) -> Step:
    """A heartbeat that contradicts the state or itself."""
    join = {"member_epoch": 0, "topic_partitions": [], **_everything(session, member)}
    owned_wrongly = [{"topic_id": TopicIdOf(session.topic()), "partitions": [session.one((0, 1, 7))]}]
    fields = session.one(
        (
            {"member_epoch": EpochOf(*member, session.one((-1, 1, 5)))},
            {"member_epoch": EpochOf(*member, -1), "topic_partitions": Owned(*member)},
            {"member_epoch": session.one((-3, -2, -1))},
            {"topic_partitions": owned_wrongly},
            {"member_id": "stranger", "member_epoch": 1},
            {"group_id": ""},
            {"instance_id": ""},
            {"instance_id": "i3"},
            {"rack_id": ""},
            {**join, "member_id": ""},
            {**join, "rebalance_timeout_ms": session.one((-1, 0, -5))},
            {**join, "subscribed_topic_names": session.one((None, []))},
            {**join, "topic_partitions": session.one((None, owned_wrongly))},
            {**join, "server_assignor": session.one(("", "nonsense"))},
            {"subscribed_topic_names": []},
            {"subscribed_topic_regex": session.one(("[", "(?<a", ""))},
        )
    )
    return _heartbeat(session, member, 1, **fields)
