"""Topic lookups: for a pattern before joining, for the leader before assigning, and periodically afterwards.

The coordinator of a classic group does not know its topics. A member resolves its own pattern for each JoinGroup, and
the leader assigns from fresh metadata of all the group's topics. Both check again every ``metadata.max.age.ms``, and
join again when a topic's partitions or racks changed, or when the pattern matches different topics. A static member
that returned checks immediately whether its assignment, which can be older than its subscription, still fits
(``comparing``).
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from kafka_nextgen.assignors.spec import TopicMetadata
from kafka_nextgen.membership.classic import assigning, comparing, computing, requests
from kafka_nextgen.membership.classic.effects import AskForTopics
from kafka_nextgen.membership.classic.events import TopicsDescribed, TopicsNotDescribed
from kafka_nextgen.membership.classic.settings import ClassicContext
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.state_machine import numbered, retry_at
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.membership.timers import Timer, armed, disarmed, is_due
from kafka_nextgen.types import JoinReason, TopicId, TopicPartition

__all__ = [
    "ask_for_group",
    "ask_for_pattern",
    "ask_if_due",
    "assign_group",
    "begin_watching",
    "described_for_join",
    "described_for_leader",
    "described_when_stable",
    "needs_pattern",
    "not_described",
]


def needs_pattern(state: ClassicState) -> bool:
    """Whether the pattern has to be looked up before the member can join."""
    return state.subscription is not None and state.subscription.pattern is not None and state.matching is None


def ask_for_pattern(state: ClassicState) -> Outcome:
    """Request the topics that match the pattern; the member joins when they are known."""
    assert state.subscription is not None, "there is a pattern"
    return _ask(evolve(state, phase=Phase.RESOLVING), frozenset(), state.subscription.pattern)


def ask_for_group(state: ClassicState) -> Outcome:
    """Request all topics of the group as its leader, which then assigns."""
    return _ask(evolve(state, phase=Phase.RESOLVING), assigning.topics_of(state.roster), None)


def _ask(state: ClassicState, topics: frozenset[str], pattern: str | None, *, with_parts: bool = False) -> Outcome:
    state, number = numbered(state)
    deadlines = disarmed(state.deadlines, Timer.JOIN, Timer.TOPICS, Timer.WATCH)
    return evolve(state, asked=number, deadlines=deadlines), (AskForTopics(number, topics, pattern, with_parts),)


def not_described(state: ClassicState, _event: TopicsNotDescribed, at: ClassicContext) -> Outcome:
    """Repeat the lookup after a backoff."""
    failures = state.failures + 1
    deadlines = armed(state.deadlines, Timer.TOPICS, retry_at(failures, at))
    return evolve(state, asked=None, failures=failures, deadlines=deadlines), ()


def ask_if_due(state: ClassicState, at: ClassicContext) -> Outcome:
    """Repeat a lookup that failed, or check whether topics have changed."""
    if not (is_due(state.deadlines, Timer.TOPICS, at.now) or is_due(state.deadlines, Timer.WATCH, at.now)):
        return state, ()
    if state.status is Status.COMPLETING:
        return ask_for_group(state)
    if state.phase is Phase.RESOLVING:
        return ask_for_pattern(state)
    assert state.subscription is not None, "a member is subscribed"
    names = comparing.topics_in_doubt(state) if state.is_in_doubt else assigning.topics_of(state.roster)
    return _ask(state, names, state.subscription.pattern, with_parts=state.is_in_doubt)


def described_for_join(state: ClassicState, event: TopicsDescribed, at: ClassicContext) -> Outcome:
    """The topics of the pattern are known: join."""
    deadlines = armed(state.deadlines, Timer.JOIN, at.now)
    return evolve(state, asked=None, phase=Phase.IDLE, matching=event.matching, deadlines=deadlines), ()


def described_for_leader(state: ClassicState, event: TopicsDescribed, at: ClassicContext) -> Outcome:
    """The leader assigns, and stores the topics' metadata to notice changes."""
    return assign_group(evolve(state, asked=None, phase=Phase.IDLE), event.topics, event.ids, at)


def assign_group(
    state: ClassicState, topics: Mapping[str, TopicMetadata], ids: Mapping[str, TopicId], at: ClassicContext
) -> Outcome:
    """Assign and send each member's part to the coordinator, or start the application's assignor."""
    state = evolve(state, watched=topics, watched_in=state.generation)
    if state.strategy in at.settings.local_assignors:
        return computing.begin(state, topics, ids, at)
    return requests.send_sync(state, at, assigning.assign(state.strategy, state.roster, topics))


def begin_watching(state: ClassicState, assigned: frozenset[TopicPartition], at: ClassicContext) -> ClassicState:
    """Check topics from now on, and immediately if this assignment may not fit them."""
    is_in_doubt = comparing.doubts(state, assigned, is_cooperative=at.settings.is_cooperative)
    state = _watch_from_now(evolve(state, is_back=False, is_in_doubt=is_in_doubt), at)
    return evolve(state, deadlines=armed(state.deadlines, Timer.WATCH, at.now)) if is_in_doubt else state


def _watch_from_now(state: ClassicState, at: ClassicContext) -> ClassicState:
    """Check topics after ``metadata.max.age.ms``, if this member watches any."""
    assert state.subscription is not None, "a member is subscribed"
    if not state.is_leader and not state.is_in_doubt and state.subscription.pattern is None:
        return state
    return evolve(state, deadlines=armed(state.deadlines, Timer.WATCH, at.now + at.settings.metadata_max_age_s))


def described_when_stable(state: ClassicState, event: TopicsDescribed, at: ClassicContext) -> Outcome:
    """A lookup was answered: join again if topics have changed, or if the assignment does not fit them."""
    state = evolve(state, asked=None, deadlines=disarmed(state.deadlines, Timer.TOPICS))
    if state.phase is Phase.RESOLVING:
        return evolve(state, phase=Phase.IDLE, matching=event.matching), ()
    changed = _changes(state, event)
    if changed:
        reason = f"topics have changed: {', '.join(sorted(changed))}"
        join_reason = JoinReason.TOPIC_METADATA_CHANGE if state.is_leader else state.join_reason
        state = evolve(state, must_rejoin=True, reason=reason, join_reason=join_reason)
    elif state.failed_assignor is not None:
        state = evolve(state, must_rejoin=True, reason=f"retrying assignor {state.failed_assignor}, which failed")
    else:
        state = comparing.rejoin_if_unfit(state, event)
    if state.is_leader:
        state = evolve(state, watched=event.topics, watched_in=state.generation)
    return _watch_from_now(evolve(state, is_in_doubt=comparing.remains_in_doubt(state, event)), at), ()


def _changes(state: ClassicState, event: TopicsDescribed) -> set[str]:
    changed: set[str] = set()
    if state.is_leader and state.watched is not None:
        names = state.watched.keys() | (event.topics.keys() & assigning.topics_of(state.roster))
        changed |= {name for name in names if state.watched.get(name) != event.topics.get(name)}
    if state.subscription is not None and state.subscription.pattern is not None:
        changed |= (event.matching | state.subscription.topics) ^ state.joined_topics
    return changed
