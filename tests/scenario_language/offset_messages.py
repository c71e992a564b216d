"""Commits and lookups on the virtual network: the machine's requests as questions, answers as its events."""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.coordinator.requests import OffsetCommit, OffsetFetch
from kafka_nextgen.coordinator.responses import OffsetsCommitted, OffsetsFetched
from kafka_nextgen.membership.offsets.effects import SendCommit, SendLookup
from kafka_nextgen.membership.offsets.events import (
    CommitAnswered,
    CommitLost,
    LookupAnswered,
    LookupLost,
    OffsetEvent,
)
from tests.scenario_language.network import Kind, Message
from tests.scenario_language.telling import tell_commit, tell_fetch
from tests.scenario_language.world import GROUP

__all__ = ["heard", "lost", "told", "under_way"]


def under_way(request: SendCommit | SendLookup, member_id: str) -> Message:
    """A request of a life of that member id, as it travels."""
    member = request.member_id, request.member_epoch
    if isinstance(request, SendLookup):
        wanted = tuple(sorted(request.partitions))
        return Message(Kind.FETCH_OFFSETS, member_id, request.number, OffsetFetch(GROUP, wanted, *member))
    question = OffsetCommit(
        GROUP, request.offsets, request.member_id, request.member_epoch, instance_id=request.instance_id
    )
    return Message(Kind.COMMIT, member_id, request.number, question)


def heard(number: int, answer: OffsetsCommitted | OffsetsFetched) -> OffsetEvent:
    """What a client learns of an answer."""
    if isinstance(answer, OffsetsCommitted):
        return CommitAnswered(number, answer.errors)
    return LookupAnswered(number, answer.offsets, code=answer.error)


def told(name: str, answer: OffsetsCommitted | OffsetsFetched) -> Iterable[str]:
    """How an answer is told."""
    return tell_commit(name, answer) if isinstance(answer, OffsetsCommitted) else [tell_fetch(name, answer)]


def lost(message: Message) -> OffsetEvent | None:
    """What a client learns when no answer to a message will come, if that is about offsets."""
    if message.kind is Kind.COMMIT:
        return CommitLost(message.number, "no answer")
    return LookupLost(message.number, "no answer") if message.kind is Kind.FETCH_OFFSETS else None
