"""What administrators ask of groups and topics."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.wire import apis
from tests.differential.drawing.session import GROUPS, NOWHERE, TOPICS, Session
from tests.differential.steps import Step
from tests.differential.symbols import Group, Topic, TopicIdOf

__all__ = ["describe_consumer_groups", "describe_groups", "list_groups", "metadata"]

_STATES = ("Stable", "empty", "Dead", "PreparingRebalance", "reconciling", "none")
_NAMES = [*sorted(GROUPS), "nowhere"]


def describe_consumer_groups(session: Session) -> list[Step]:
    fields = {
        "group_ids": [Group(name) for name in session.some(_NAMES)],
        "include_authorized_operations": session.chance(0.2),
    }
    return [Step(apis.CONSUMER_GROUP_DESCRIBE, session.version(apis.CONSUMER_GROUP_DESCRIBE), fields)]


def describe_groups(session: Session) -> list[Step]:
    version = session.version(apis.DESCRIBE_GROUPS)
    fields: dict[str, Any] = {"groups": [Group(name) for name in session.some(_NAMES)]}
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
