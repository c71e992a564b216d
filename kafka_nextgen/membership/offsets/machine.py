"""The offsets of a member: the one place where their state changes.

The rules in prose (KIP-848, "OffsetCommit API" and "OffsetFetch API"; the codes are in ``rules``):

1.  Commits are asked for by the application, whether it waits or not, on an interval, and before partitions are given
    up; lookups of committed offsets by whoever begins to read. Each is told, once, how it ended.
2.  What passes is tried again, with growing pauses, until the ask's deadline. A stale epoch is not: the same request
    is good when the next heartbeat has brought another one, and goes out then for what is still owned.
3.  A commit does not outlive the membership it was made in, and is not repeated for partitions given up since.
4.  A later commit of a partition is never overtaken by an earlier one, or by its repetition (``order``).
5.  Auto-commit has one commit on the interval under way, which the one before a revocation replaces.
6.  No error of a lookup means that there is no offset.

Whoever drives the machine hands in what happened, the time and a random number, and carries out the effects in the
order they come. It does no I/O, reads no clock, throws no dice, and waits for nothing. Both protocols use it; their
tables are an argument.
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
    """The rule for an event; it must be one for this very event."""
    return event, cast(Rule, rule)


def _nothing(state: OffsetState, _event: TimePassed, _at: Moment) -> Outcome:
    """What is due is done after every rule."""
    return state, ()


RULES: Mapping[type, Rule] = dict(
    (
        # What is wanted.
        _row(CommitAsked, asking.ask_commit),
        _row(CommitBeforeRevokingAsked, auto_commit.commit_before_revoking),
        _row(LookupAsked, asking.ask_lookup),
        _row(Withdrawn, asking.withdraw),
        _row(ConsumedRead, auto_commit.take_consumed),
        _row(Sought, standing.seek),
        # What the coordinator says.
        _row(CommitAnswered, commits.answered),
        _row(CommitLost, commits.lost),
        _row(LookupAnswered, lookups.answered),
        _row(LookupLost, lookups.lost),
        # Who asks.
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
    """The offsets of one consumer, for as long as it lives, whatever group or protocol it is in meanwhile."""

    def __init__(self, settings: OffsetSettings, rules: OffsetRules, now: float) -> None:
        self.settings = settings
        interval_s = settings.auto_commit_interval_s
        self._agenda = Agenda()
        self._queue = Agenda()  # commits that wait for nothing but a place, and since when
        self.state = OffsetState(rules, interval_at=None if interval_s is None else now + interval_s)

    def handle(self, event: OffsetEvent, now: float, chance: float) -> tuple[OffsetEffect, ...]:
        """Let ``event`` happen at ``now`` (seconds, monotonic) and return what is to be done, in order.

        ``chance`` in [0, 1) spreads retries. An answer to nothing that is under way is late and changes nothing.
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
        """Send the commits there is a place for, those first that have waited longest."""
        for ask in state.looked_at:
            self._queue.set(ask, sending.waits_since(state, ask, at))
        effects: list[OffsetEffect] = []
        while (since := self._queue.first()) is not None and sending.has_place(state, since, at):
            state, request = sending.send_commit(state, self._queue.pop(), at)
            effects.append(request)
        return state, tuple(effects)

    def deadline(self) -> float | None:
        """When TimePassed is to be handed in, if nothing else happens; None for never."""
        first = self._agenda.first()
        return min((*sending.deadlines(self.state), *(() if first is None else (first,))), default=None)


def is_late(state: OffsetState, event: OffsetEvent) -> bool:
    """Whether ``event`` answers something that is not under way (any more)."""
    if isinstance(event, CommitAnswered | CommitLost):
        return event.number not in state.commit_requests
    if isinstance(event, LookupAnswered | LookupLost):
        return event.number not in state.lookup_requests
    return isinstance(event, ConsumedRead) and event.number != state.reading
