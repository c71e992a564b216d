"""Commits, what is asked of them, their deletion, and what administrators ask of groups and topics."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.wire import apis
from tests.verification.differential.drawing.session import GROUPS, INSTANCES, NOWHERE, TOPICS, Session, by_name_and_id
from tests.verification.differential.steps import Step
from tests.verification.differential.symbols import EpochOf, Group, MemberIdOf, Topic, TopicIdOf

_GROUPS_SINCE = 8


def commit(session: Session) -> list[Step]:
    """Commit as a member or from outside."""
    version = session.version(apis.OFFSET_COMMIT)
    group, who = session.member(session.group())
    fields: dict[str, Any] = {
        "group_id": Group(group),
        "topics": [_committed(session, name) for name in _topics(session)],
    }
    if session.chance(0.6) and GROUPS[group] is not GROUPS["plain"]:
        more = session.one((0, 0, 0, 0, -1, 1))
        fields |= {"member_id": MemberIdOf(group, who), "generation_id_or_member_epoch": EpochOf(group, who, more)}
        if version >= 7:
            fields["group_instance_id"] = INSTANCES.get(who)
    elif session.chance(0.2):
        fields |= {"member_id": session.one(("", "stranger")), "generation_id_or_member_epoch": session.one((-1, 0, 1))}
    return [Step(apis.OFFSET_COMMIT, version, fields, who=(group, who))]


def _topics(session: Session) -> list[str]:
    return sorted({session.topic() for _ in range(session.one((1, 1, 2)))})


def _committed(session: Session, topic: str) -> dict[str, Any]:
    partitions = [
        {
            "partition_index": index,
            "committed_offset": session.one((0, 1, 5, 17, -1)),
            "committed_leader_epoch": session.one((-1, 0, 3)),
            "committed_metadata": session.one(("", "words", None, "x" * 5_000)),
        }
        for index in session.some((0, 1, 2, 7), 2)
    ]
    return {**by_name_and_id(topic), "partitions": partitions}


def fetch_offsets(session: Session) -> list[Step]:
    """Ask for some or all offsets of a group, or of several."""
    version = session.version(apis.OFFSET_FETCH)
    if version < _GROUPS_SINCE:
        fields: dict[str, Any] = {"group_id": Group(session.group()), "topics": _asked(session, version)}
    else:
        fields = {"groups": [_of_group(session, name, version) for name in session.some(sorted(GROUPS), 2)]}
    if version >= 7:
        fields["require_stable"] = session.chance(0.3)
    return [Step(apis.OFFSET_FETCH, version, fields)]


def _of_group(session: Session, group: str, version: int) -> dict[str, Any]:
    fields: dict[str, Any] = {"group_id": Group(group), "topics": _asked(session, version)}
    if version >= 9 and session.chance(0.5) and group != "plain":
        member = session.member(group)
        more = session.one((0, 0, 0, 1, -1))
        fields |= {"member_id": MemberIdOf(*member), "member_epoch": EpochOf(*member, more)}
    elif version >= 9 and session.chance(0.2):
        fields |= {"member_id": session.one(("", "stranger")), "member_epoch": session.one((-1, 0, 3))}
    return fields


def _asked(session: Session, version: int) -> list[dict[str, Any]] | None:
    if version >= 2 and session.chance(0.4):
        return None
    return [
        {
            **(by_name_and_id(name) if version >= _GROUPS_SINCE else {"name": Topic(name)}),
            "partition_indexes": session.some((0, 1, 2, 7)),
        }
        for name in _topics(session)
    ]


def delete_offsets(session: Session) -> list[Step]:
    topics = [
        {"name": Topic(name), "partitions": [{"partition_index": index} for index in session.some((0, 1, 7))]}
        for name in _topics(session)
    ]
    group: Any = "" if session.chance(0.05) else Group(session.group())
    return [Step(apis.OFFSET_DELETE, 0, {"group_id": group, "topics": topics})]


def delete_groups(session: Session) -> list[Step]:
    names = [Group(name) for name in session.some([*sorted(GROUPS), "nowhere"], 2)]
    return session.step(apis.DELETE_GROUPS, groups_names=names)


# ---- what administrators ask

_STATES = ("Stable", "empty", "Dead", "PreparingRebalance", "reconciling", "none")
_GROUP_NAMES = [*sorted(GROUPS), "nowhere"]


def describe_consumer_groups(session: Session) -> list[Step]:
    names, more = [Group(name) for name in session.some(_GROUP_NAMES)], session.chance(0.2)
    return session.step(apis.CONSUMER_GROUP_DESCRIBE, group_ids=names, include_authorized_operations=more)


def describe_groups(session: Session) -> list[Step]:
    version = session.version(apis.DESCRIBE_GROUPS)
    fields: dict[str, Any] = {"groups": [Group(name) for name in session.some(_GROUP_NAMES)]}
    if version >= 3:
        fields["include_authorized_operations"] = session.chance(0.2)
    return [Step(apis.DESCRIBE_GROUPS, version, fields)]


def list_groups(session: Session) -> list[Step]:
    """List groups by their states and types, in any spelling."""
    version = session.version(apis.LIST_GROUPS)
    fields: dict[str, Any] = {}
    if version >= 4 and session.chance(0.6):
        fields["states_filter"] = session.some(_STATES, 2)
    if version >= 5 and session.chance(0.6):
        fields["types_filter"] = session.some(("classic", "Consumer", "share", "nonsense"), 2)
    return [Step(apis.LIST_GROUPS, version, fields)]


def metadata(session: Session) -> list[Step]:
    """Ask for topics by name or id."""
    version = session.version(apis.METADATA, 4)
    names = session.some([*TOPICS, NOWHERE])
    if version >= 12 and session.chance(0.5):
        topics: list[dict[str, Any]] = [{"name": None, "topic_id": TopicIdOf(name)} for name in names]
    else:
        topics = [{"name": Topic(name)} for name in names]
    return [Step(apis.METADATA, version, {"topics": topics, "allow_auto_topic_creation": False})]
