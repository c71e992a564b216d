"""Process heartbeat responses for client-side assignors, whether or not this member computes.

``on_assignment`` is called once per epoch with the final target (KIP-848, "Assignment"). That is the first assignment
of an epoch, since it includes the partitions that others have not released yet. The assignor that computed the target
is called; if the coordinator computed it, no assignor is called.

Each failure is reported to the application once: this member's when it happens, another member's when the coordinator
reports it. The next target clears the failure.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.assignors.spec import MemberAssignment
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.membership.assigning.effects import CallOnAssignment, TellFailure
from kafka_nextgen.membership.assigning.events import HeartbeatHeard, TargetShare
from kafka_nextgen.membership.assigning.settings import AssigningContext
from kafka_nextgen.membership.assigning.state import AssigningState, Outcome
from kafka_nextgen.types import TopicId, TopicIdPartition

__all__ = ["fail", "take_answer"]


def take_answer(state: AssigningState, event: HeartbeatHeard, at: AssigningContext) -> Outcome:
    """Process the epoch, the failure and the target of a heartbeat response."""
    state = evolve(state, member_id=event.member_id, member_epoch=event.member_epoch, awaits_heartbeat=False)
    state, told = _take_failure(state, event.failure)
    if event.share is None or event.member_epoch <= state.informed_epoch:
        return state, told
    state = evolve(state, informed_epoch=event.member_epoch, failure=None, is_reported=False)
    return state, (*told, *_call(event, event.share, at))


def _take_failure(state: AssigningState, failure: str | None) -> Outcome:
    if failure is None:
        return state, ()
    if state.is_reported:
        return evolve(state, is_reported=False), ()
    return evolve(state, failure=failure), (TellFailure(failure),)


def _call(event: HeartbeatHeard, share: TargetShare, at: AssigningContext) -> tuple[CallOnAssignment, ...]:
    if share.assignor not in at.settings.assignors:
        return ()
    group = ConsumerGroupMetadata(at.settings.group_id, event.member_epoch, event.member_id, at.settings.instance_id)
    assignment = MemberAssignment(_by_topic(share.partitions), share.metadata)
    return (CallOnAssignment(share.assignor, share.error, assignment, group),)


def _by_topic(partitions: frozenset[TopicIdPartition]) -> dict[TopicId, set[int]]:
    by_topic: dict[TopicId, set[int]] = {}
    for each in sorted(partitions):
        by_topic.setdefault(each.topic_id, set()).add(each.partition)
    return by_topic


def fail(state: AssigningState, why: str, computation: int | None) -> Outcome:
    """Report to the application that this member could not make the assignment."""
    state = evolve(state, failure=why, is_reported=True)
    return state, (TellFailure(why, state.assignor or None, computation),)
