"""Effects of a member of a classic group written as one line each, without numbers.

Partition sets use the notation of the whole project: ``orders[0-3] audit[0]``, ``-`` for none.
"""

from __future__ import annotations

from functools import singledispatch

from kafka_nextgen.membership.classic.effects import (
    AskForTopics,
    ClassicEffect,
    SendClassicHeartbeat,
    SendJoinGroup,
    SendLeaveGroup,
    SendSyncGroup,
)
from kafka_nextgen.membership.effects import ApplyAssignment
from kafka_nextgen.types import TopicPartition, format_partitions
from tests.membership import writing


def partitions(text: str) -> frozenset[TopicPartition]:
    """Read ``orders[0-3,7] audit[0]``; ``-`` is the empty set."""
    return frozenset(TopicPartition(writing.NAMES[tip.topic_id], tip.partition) for tip in writing.partitions(text))


@singledispatch
def written(effect: ClassicEffect) -> str:
    return writing.written(effect)  # type: ignore[arg-type]


@written.register
def _(effect: SendJoinGroup) -> str:
    said = effect.subscription
    fields = {
        "id": effect.member_id,
        "instance": effect.instance_id,
        "topics": ",".join(sorted(said.topics)),
        "owned": format_partitions(said.owned) if said.owned else None,
        "generation": None if said.generation < 0 else said.generation,
        "reason": f"'{effect.reason}'",
    }
    return " ".join(["join", *(f"{name}={value}" for name, value in fields.items() if value)])


@written.register
def _(effect: SendSyncGroup) -> str:
    parts = [f"{member_id}={format_partitions(part)}" for member_id, part in effect.assignments]
    return " ".join([f"sync generation={effect.generation}", *parts])


@written.register
def _(effect: SendClassicHeartbeat) -> str:
    return f"heartbeat id={effect.member_id} generation={effect.generation}"


@written.register
def _(effect: SendLeaveGroup) -> str:
    return f"leave id={effect.member_id} reason='{effect.reason}'"


@written.register
def _(effect: AskForTopics) -> str:
    pattern = f" pattern={effect.pattern}" if effect.pattern else ""
    return f"ask for {','.join(sorted(effect.topics)) or '-'}{pattern}"


@written.register
def _(effect: ApplyAssignment) -> str:
    return f"apply {format_partitions(effect.partitions)} added={format_partitions(effect.added)}"
