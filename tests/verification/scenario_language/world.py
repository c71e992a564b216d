"""What every world has, whether it is a function call away or behind a socket: topics, and a coordinator to ask.

The group is always the same one; a scenario has no other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import JoinGroupAnswer, SyncGroupAnswer
from kafka_nextgen.testing.coordinator.requests import Request
from kafka_nextgen.testing.coordinator.responses import Response
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition, format_topic_ids
from tests.verification.scenario_language.notation import NotationError, parse_partitions
from tests.verification.scenario_language.raw_members import ClassicMembers, Epochs, RawMembers

GROUP = "g"

Question = Request
Answer = Response

#: Questions that may have to wait for other members, and what is answered to them.
PatientQuestion = JoinGroup | SyncGroup
LateAnswer = JoinGroupAnswer | SyncGroupAnswer


@frozen
class Heard:
    """An answer, and what could be seen inside the coordinator while it was made, in writing."""

    answer: Answer
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class World(ABC):
    """A coordinator and its topics."""

    def __init__(self, *, relative_epochs: bool) -> None:
        self.raw = RawMembers(Epochs(relative_epochs))
        self.classic = ClassicMembers()
        self.topic_ids: dict[str, TopicId] = {}  # of the topics there are
        self.topic_names: dict[TopicId, str] = {}  # also of those there were
        self.heartbeat_interval_ms: int | None = None  # that anybody was told last

    @abstractmethod
    def ask(self, question: Question) -> Heard:
        """Put a question to the coordinator."""

    @abstractmethod
    def put(self, name: str, question: PatientQuestion) -> None:
        """Put a question that may have to wait for others, in the name of a member."""

    @abstractmethod
    def arrived(self) -> dict[str, LateAnswer]:
        """The answers to such questions that have come since the last call, by whom they are for."""

    @abstractmethod
    def wait(self) -> Iterable[str]:
        """Let so much time pass that an answer may have come, and tell what else that brings."""

    @abstractmethod
    def configure(self, config: Mapping[str, str]) -> ErrorCode:
        """Give the group a configuration of its own; an empty value takes the key back."""

    @abstractmethod
    def make_topic(self, name: str, partitions: int) -> TopicId:
        """Create a topic; its id."""

    @abstractmethod
    def grow_topic(self, name: str, partitions: int) -> None:
        """Give a topic more partitions."""

    @abstractmethod
    def delete_topic(self, name: str) -> None:
        """Delete a topic."""

    @abstractmethod
    def pass_time(self, seconds: float) -> Iterable[str]:
        """Let time pass, and tell what it brings."""

    def broken(self) -> list[str]:
        """A sentence for each invariant that is broken; a world nobody can look into has none."""
        return []

    def with_ids(self, partitions: str) -> frozenset[TopicIdPartition]:
        """Read partitions of topics there are. Raises ``NotationError``."""
        return frozenset(TopicIdPartition(self.id_of(tp), tp.partition) for tp in parse_partitions(partitions))

    def id_of(self, partition: TopicPartition) -> TopicId:
        """The id of a partition's topic. Raises ``NotationError`` if there is no such topic."""
        if partition.topic not in self.topic_ids:
            raise NotationError(f"there is no topic {partition.topic}")
        return self.topic_ids[partition.topic]

    def write(self, partitions: Iterable[TopicIdPartition]) -> str:
        return format_topic_ids(partitions, self.topic_names)
