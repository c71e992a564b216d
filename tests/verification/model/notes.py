"""What is noted of a run: its steps, and what is known of requests and members so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field

from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, OffsetCommit
from kafka_nextgen.types import OffsetAndMetadata, TopicIdPartition, TopicPartition
from tests.verification.model.seeing import PARTITIONS, Stage, partitions_of

Step = dict[str, Any]

#: In place of an offset: the commit does not name the partition.
_UNSAID = -1


@define(eq=False)
class Asked:
    what: Mapping[str, Any]
    number: int
    served: Step | None = None
    given_up: Step | None = None
    came_late: bool = False


@define(eq=False)
class Seen:
    """A member as the steps have it so far."""

    stage: Stage = field(factory=lambda: Stage("OUT"))
    heartbeat: Asked | None = None
    commits: list[Asked] = field(factory=list)
    before: list[Asked] = field(factory=list)  # requests that no one waits for any more
    look_ups: list[tuple[Mapping[str, int], Step]] = field(factory=list)
    last_commit: int = 0
    is_over: bool = False  # it does nothing any more
    told: Step | None = None  # what it was noted to be

    def under_way(self) -> list[Asked]:
        return [*self.commits, *filter(None, [self.heartbeat])]

    def let_go(self, asked: Asked) -> None:
        if self.heartbeat is asked:
            self.heartbeat = None
        elif asked in self.commits:
            self.commits.remove(asked)
        self.before.append(asked)


@define(eq=False)
class Notes:
    steps: list[Step] = field(factory=list)
    members: dict[str, Seen] = field(factory=dict)

    def note(self, action: str, **what: object) -> Step:
        """Note a step. What is known later is put into it then."""
        step = {"a": action, **what}
        self.steps.append(step)
        return step

    def seen(self, name: str) -> Seen:
        return self.members.setdefault(name, Seen())

    def told(self) -> Iterator[Step]:
        for step in self.steps:
            if step["a"] == "LookUps":
                for partition, offset in step["found"].items():
                    yield {"a": "LookUp", "m": step["m"], "p": partition, "offset": offset}
                continue
            if step.get("twice"):
                yield {**step, "a": "RepeatCommit" if step["commits"] else "RepeatHeartbeat"}
            yield step


def heartbeat_of(name: str, epoch: int, owned: frozenset[TopicIdPartition] | None, full: bool) -> Mapping[str, Any]:
    told = None if owned is None else [partitions_of(owned)]
    return {"m": name, "commits": False, "epoch": epoch, "owned": told, "full": full}


def commit_of(name: str, epoch: int, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> Mapping[str, Any]:
    told = {f"p{tp.partition}": each.offset for tp, each in offsets.items()}
    named = {partition: told.get(partition, _UNSAID) for partition in PARTITIONS}
    return {"m": name, "commits": True, "epoch": epoch, "offsets": named}


def content_of(request: ConsumerGroupHeartbeat | OffsetCommit) -> Mapping[str, Any]:
    """A request that has arrived in the model's words."""
    if isinstance(request, OffsetCommit):
        return commit_of(request.member_id, request.member_epoch, request.offsets)
    return heartbeat_of(request.member_id, request.member_epoch, request.owned, request.rebalance_timeout_ms != -1)
