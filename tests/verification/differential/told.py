"""What one broker told in one episode, and the names that its answers are compared by.

Topics and groups have the episode's prefix on both brokers. An id that a broker chose is shown as what it belongs to,
such as ``<t1's id>`` or ``<old/a>``; a second id of the same member has a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID, uuid5

from attrs import define, field

from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api

_NAMESPACE = UUID("6b6e7467-6469-6666-6572-656e74696174")

_AN_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Member = tuple[str, str]  # group and name


@define
class Told:
    """Ids and epochs by the names that requests use, and the other way round."""

    prefix: str
    topic_ids: dict[str, UUID] = field(factory=dict)
    member_ids: dict[Member, str] = field(factory=dict)
    epochs: dict[Member, int] = field(factory=dict)
    owned: dict[Member, list[dict[str, Any]]] = field(factory=dict)
    led: dict[Member, list[str]] = field(factory=dict)
    present: set[Member] = field(factory=set)
    _aliases: dict[str, str] = field(factory=dict)

    def real(self, name: str) -> str:
        """The name on the broker. The empty one and those that no topic can have stay as they are."""
        return self.prefix + name if name.isalnum() else name

    def topic_id(self, name: str) -> UUID:
        """A topic's id, or one that no topic has."""
        return self.topic_ids.get(name) or uuid5(_NAMESPACE, name)

    def alias(self, value: str) -> str:
        """A text of an answer without prefixes and ids."""
        for known, alias in self._aliases.items():
            value = value.replace(known, alias)
        return _AN_ID.sub("<an id>", value.replace(self.prefix, ""))

    def _learn_topics(self, answer: Mapping[str, Any]) -> None:
        for topic in answer.get("topics", ()):
            if not topic["error_code"] and topic.get("topic_id") is not None:
                self.learn_topic(self.alias(topic["name"]), topic["topic_id"])

    def learn_topic(self, name: str, topic_id: UUID) -> None:
        if self.topic_ids.get(name) != topic_id:
            self.topic_ids[name] = topic_id
            self._name(str(topic_id), f"{name}'s id")

    def learn(self, api: Api, who: Member | None, answer: Mapping[str, Any]) -> None:
        """Note what an answer says about the member that asked."""
        if api is apis.CREATE_TOPICS:
            self._learn_topics(answer)
        learn = _LEARN.get(api.key)
        if who is not None and learn is not None and "error_code" in answer:
            learn(self, who, answer)

    def learn_member(self, who: Member, member_id: str | None) -> None:
        if member_id and self.member_ids.get(who) != member_id:
            self.member_ids[who] = member_id
            if member_id != who[1]:
                self._name(member_id, "/".join(who))

    def note_presence(self, who: Member, is_present: bool) -> None:
        """Note whether a member is in its group, as far as the broker has told it to the member."""
        (self.present.add if is_present else self.present.discard)(who)

    def _name(self, value: str, name: str) -> None:
        number = sum(alias.startswith(f"<{name}") for alias in self._aliases.values())
        self._aliases[value] = f"<{name} #{number + 1}>" if number else f"<{name}>"


_ID_IS_REQUIRED = 79
_GONE = -1
_UNOWNED = (0, _GONE, -2)  # epochs of members that own nothing


def _heartbeat(told: Told, who: Member, answer: Mapping[str, Any]) -> None:
    if answer["error_code"]:
        return
    told.learn_member(who, answer["member_id"])
    told.epochs[who] = answer["member_epoch"]
    told.note_presence(who, answer["member_epoch"] != _GONE)
    if answer["member_epoch"] in _UNOWNED:
        told.owned.pop(who, None)
    if answer["assignment"] is not None:
        told.owned[who] = answer["assignment"]["topic_partitions"]


def _join(told: Told, who: Member, answer: Mapping[str, Any]) -> None:
    if answer["error_code"] in (0, _ID_IS_REQUIRED):
        told.learn_member(who, answer["member_id"])
    if not answer["error_code"]:
        told.epochs[who] = answer["generation_id"]
        told.note_presence(who, True)
        told.led[who] = [member["member_id"] for member in answer["members"]]


def _leave(told: Told, who: Member, answer: Mapping[str, Any]) -> None:
    if not answer["error_code"] and not any(member["error_code"] for member in answer.get("members", ())):
        told.note_presence(who, False)


_LEARN: Mapping[int, Callable[[Told, Member, Mapping[str, Any]], None]] = {
    apis.CONSUMER_GROUP_HEARTBEAT.key: _heartbeat,
    apis.JOIN_GROUP.key: _join,
    apis.LEAVE_GROUP.key: _leave,
}
