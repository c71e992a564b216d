"""Resolve topic ids to names: targets have topic ids, but the application uses topic names.

The name of a new topic may not be known yet, and the name of a deleted topic may never be known. The partitions of such
a topic stay in the target and do not count as given up, and the other partitions do not wait for them. The member
periodically requests missing names again.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership.effects import ResolveTopics
from kafka_nextgen.membership.events import TopicsResolved
from kafka_nextgen.membership.settings import MemberContext
from kafka_nextgen.membership.state import MemberState, Outcome, Target
from kafka_nextgen.membership.timers import Timer, armed, disarmed, is_due
from kafka_nextgen.types import TopicId

__all__ = ["ask_for_names", "forget_names", "latest_target", "remember_names", "within_reach"]


def latest_target(state: MemberState) -> Target:
    """The latest target assignment from the coordinator."""
    assert state.target is not None, "a member that was admitted has a target"
    return state.target


def within_reach(state: MemberState) -> Target:
    """The part of the latest target whose topic names are known."""
    target = latest_target(state)
    return evolve(target, partitions=frozenset(tip for tip in target.partitions if tip.topic_id in state.names))


def ask_for_names(state: MemberState, at: MemberContext) -> Outcome:
    """Request the missing topic names of the target, and repeat the request periodically until all are known."""
    missing = _without_names(state)
    if not missing:
        return evolve(state, deadlines=disarmed(state.deadlines, Timer.RESOLVE)), ()
    if Timer.RESOLVE in state.deadlines and not is_due(state.deadlines, Timer.RESOLVE, at.now):
        return state, ()
    again = armed(state.deadlines, Timer.RESOLVE, at.now + at.settings.retry_backoff_max_s)
    return evolve(state, deadlines=again), (ResolveTopics(missing),)


def _without_names(state: MemberState) -> frozenset[TopicId]:
    partitions = state.target.partitions if state.target is not None else ()
    return frozenset(tip.topic_id for tip in partitions if tip.topic_id not in state.names)


def remember_names(state: MemberState, event: TopicsResolved, _at: MemberContext) -> Outcome:
    """Store the names that the target is missing."""
    wanted = _without_names(state)
    names = {topic_id: name for topic_id, name in event.names.items() if topic_id in wanted}
    return evolve(state, names={**state.names, **names}), ()


def forget_names(state: MemberState) -> MemberState:
    """Drop the names of all topics that are neither owned nor in the target."""
    needed = {tip.topic_id for tip in state.owned | latest_target(state).partitions}
    return evolve(state, names={topic_id: name for topic_id, name in state.names.items() if topic_id in needed})
