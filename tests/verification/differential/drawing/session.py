"""What an episode is about: a few topics, groups of each kind, and who has joined them as far as can be known.

Nothing that depends on an answer is kept here, so what is drawn depends on the seed only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, TypeVar

from attrs import define, field, frozen

from kafka_nextgen.wire.apis import Api
from tests.verification.differential.steps import Step
from tests.verification.differential.symbols import Topic, TopicIdOf
from tests.verification.differential.told import Member

T = TypeVar("T")

#: Topics by the partitions that they begin with; the others are made later, or not.
FIRST_TOPICS: Mapping[str, int] = {"t1": 2, "t2": 1, "t3": 3}
TOPICS = (*FIRST_TOPICS, "t4", "t5")
NOWHERE = "t9"


@frozen
class Kind:
    """A group's members by name, and which protocols they speak."""

    members: Sequence[str]
    consumer: bool = False
    classic: bool = False
    assignors: Sequence[str | None] = ("range",)


#: The result of ``uniform`` depends on the order of a Java hash map, unless the group has one member.
GROUPS: Mapping[str, Kind] = {
    "new": Kind("absrq", consumer=True),
    "old": Kind("absrq", classic=True),
    "mixed": Kind("asrq", consumer=True, classic=True),  # with one dynamic member: the ids of others have no order
    "lone": Kind("a", consumer=True, assignors=("uniform", None, "range")),
    "plain": Kind("a"),
}

#: Static members: s and r follow each other under one instance id.
INSTANCES = {"s": "i1", "r": "i1", "q": "i2"}


def by_name_and_id(topic: str) -> dict[str, Any]:
    """A topic as requests name it: a version has one of them or the other."""
    return {"name": Topic(topic), "topic_id": TopicIdOf(topic)}


@define
class Session:
    """The dice of an episode, and which members have asked to join by which protocol."""

    random: Random
    joined: dict[Member, str] = field(factory=dict)
    topics: set[str] = field(factory=lambda: set(FIRST_TOPICS))

    def version(self, api: Api, lowest: int = 0) -> int:
        """The highest version in half of all cases."""
        if self.random.random() < 0.5:
            return api.max_version
        return self.random.randint(max(lowest, api.min_version), api.max_version)

    def one(self, choices: Sequence[T]) -> T:
        return self.random.choice(choices)

    def some(self, choices: Sequence[T], most: int = 3) -> list[T]:
        return self.random.sample(list(choices), self.random.randint(1, min(most, len(choices))))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def topic(self) -> str:
        """A topic that is there, nearly always."""
        return NOWHERE if self.chance(0.05) else self.one(sorted(self.topics) or TOPICS)

    def group(self, *, consumer: bool = False, classic: bool = False) -> str:
        """A group whose members speak that protocol, or any group."""
        return self.one(
            [name for name, kind in GROUPS.items() if kind.consumer >= consumer and kind.classic >= classic]
        )

    def step(self, api: Api, **fields: Any) -> list[Step]:
        """One request in any version, for APIs whose fields are the same in all."""
        return [Step(api, self.version(api), fields)]

    def member(self, group: str) -> Member:
        return group, self.one(GROUPS[group].members)
