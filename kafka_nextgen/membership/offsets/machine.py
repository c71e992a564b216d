"""The offsets of a member: the one place where their state changes.

The rules in prose (KIP-848, "OffsetCommit API" and "OffsetFetch API"; the codes are in ``rules``):

1.  The application asks for commits, synchronous or asynchronous. Auto-commit asks for them on an interval and before
    partitions are given up. A consumer that starts to read looks up committed offsets. Each ask ends exactly once.
2.  Transient errors are retried with growing pauses until the ask's deadline. After a stale epoch the request is
    repeated, for what is still owned, when a heartbeat has brought another epoch.
3.  A commit does not outlive the membership it was made in, and is not repeated for partitions given up since.
4.  An earlier commit of a partition, or its retry, never overtakes a later one (``order``).
5.  Auto-commit has at most one interval commit in flight. The commit before a revocation replaces it.
6.  No error of a lookup means that there is no offset.

The driver hands in events, the time and a random number, and carries out the effects in order. The machine does no I/O,
reads no clock, draws no random numbers and never blocks. Both protocols use it; their tables are an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast, get_args

from attrs import evolve

from kafka_nextgen.membership.offsets import asking, auto_commit, commits, ending, lookups, sending, standing
from kafka_nextgen.membership.offsets.agenda import Agenda
from kafka_nextgen.membership.offsets.effects import OffsetEffect
from kafka_nextgen.membership.offsets.events import (
    AssignmentApplied,
    CommitAnswered,
    CommitAsked,
    CommitBeforeRevokingAsked,
    CommitLost,
    ConsumedRead,
    EpochPublished,
    GroupEntered,
    GroupQuit,
    LookupAnswered,
    LookupAsked,
    LookupLost,
    OffsetEvent,
    PartitionsStopped,
    ProtocolChosen,
    Sought,
    TimePassed,
    Withdrawn,
)
from kafka_nextgen.membership.offsets.rules import OffsetRules
from kafka_nextgen.membership.offsets.settings import Moment, OffsetSettings
from kafka_nextgen.membership.offsets.state import NO_ASKS, OffsetState, Outcome

__all__ = ["RULES", "OffsetMachine", "is_late"]

Rule = Callable[[OffsetState, OffsetEvent, Moment], Outcome]
E = TypeVar("E")


def _row(event: type[E], rule: Callable[[OffsetState, E, Moment], Outcome]) -> tuple[type, Rule]:
    """One row of RULES; mypy checks that the rule takes this event."""
    return event, cast(Rule, rule)


def _nothing(state: OffsetState, _event: TimePassed, _at: Moment) -> Outcome:
    """``handle`` does what is due after every rule."""
    return state, ()


RULES: Mapping[type, Rule] = dict(
    (
        # Asks.
        _row(CommitAsked, asking.ask_commit),
        _row(CommitBeforeRevokingAsked, auto_commit.commit_before_revoking),
        _row(LookupAsked, asking.ask_lookup),
        _row(Withdrawn, asking.withdraw),
        _row(ConsumedRead, auto_commit.take_consumed),
        _row(Sought, standing.seek),
        # Responses.
        _row(CommitAnswered, commits.answered),
        _row(CommitLost, commits.lost),
        _row(LookupAnswered, lookups.answered),
        _row(LookupLost, lookups.lost),
        # Membership.
        _row(ProtocolChosen, standing.choose_protocol),
        _row(GroupEntered, standing.enter_group),
        _row(GroupQuit, standing.quit_group),
        _row(EpochPublished, standing.publish_epoch),
        _row(PartitionsStopped, standing.stop_partitions),
        _row(AssignmentApplied, standing.apply_assignment),
        _row(TimePassed, _nothing),
    )
)

assert RULES.keys() == set(get_args(OffsetEvent)), "every event has a rule"


class OffsetMachine:
    """The offsets of one consumer for its lifetime, across memberships and protocols."""

    def __init__(self, settings: OffsetSettings, rules: OffsetRules, now: float) -> None:
        self.settings = settings
        interval_s = settings.auto_commit_interval_s
        self._agenda = Agenda()
        self._queue = Agenda()  # commits that only wait for a free place, by the time they began to wait
        self.state = OffsetState(rules, interval_at=None if interval_s is None else now + interval_s)

    def handle(self, event: OffsetEvent, now: float, chance: float) -> tuple[OffsetEffect, ...]:
        """Apply ``event`` at ``now`` (seconds, monotonic) and return the effects, in order.

        ``chance`` in [0, 1) is the jitter of retries. A response to a request that is not in flight changes nothing.
        """
        if is_late(self.state, event):
            return ()
        at = Moment(now, chance, self.settings)
        due = self._agenda.due(now)
        state = evolve(self.state, stirred=due) if due else self.state
        state, effects = RULES[type(event)](state, event, at)
        for step in (ending.end_what_is_over, auto_commit.look_if_due, self._send_commits, sending.send_lookups):
            state, more = step(state, at)
            effects += more
        if asks := state.looked_at | state.stirred:
            for ask in asks:
                self._agenda.set(ask, sending.commit_wakes_at(state, ask, at))
            state = evolve(state, stirred=NO_ASKS, looked_at=NO_ASKS)
        self.state = state
        return effects

    def _send_commits(self, state: OffsetState, at: Moment) -> Outcome:
        """Send commits while there is a free place, those that have waited longest first."""
        for ask in state.looked_at:
            self._queue.set(ask, sending.waits_since(state, ask, at))
        effects: list[OffsetEffect] = []
        while (since := self._queue.first()) is not None and sending.has_place(state, since, at):
            state, request = sending.send_commit(state, self._queue.pop(), at)
            effects.append(request)
        return state, tuple(effects)

    def deadline(self) -> float | None:
        """When to hand in TimePassed (seconds, monotonic) if nothing else happens; None for never."""
        first = self._agenda.first()
        return min((*sending.deadlines(self.state), *(() if first is None else (first,))), default=None)


def is_late(state: OffsetState, event: OffsetEvent) -> bool:
    """Whether ``event`` responds to a request that is not in flight (any more)."""
    if isinstance(event, CommitAnswered | CommitLost):
        return event.number not in state.commit_requests
    if isinstance(event, LookupAnswered | LookupLost):
        return event.number not in state.lookup_requests
    return isinstance(event, ConsumedRead) and event.number != state.reading
