"""The state machine for the offsets of a member.

An *operation* is one commit or lookup that a caller has requested. The rules in prose (KIP-848, "OffsetCommit API" and
"OffsetFetch API"; the error codes are in ``rules``):

1. The application requests commits, synchronous or asynchronous. Auto-commit requests them on an interval and before
   partitions are given up. A consumer that starts to read looks up committed offsets. Each operation ends exactly once.
2. Transient errors are retried with increasing pauses until the operation's deadline. After a stale epoch, the request
   is repeated for the partitions still owned as soon as a heartbeat response contains a new epoch.
3. A commit is not sent in a later membership than its own, and is not retried for partitions given up since.
4. An earlier commit of a partition, or its retry, never overtakes a later one (``order``).
5. Auto-commit has at most one interval commit in flight. The commit before a revocation replaces it.
6. A lookup error never means that there is no committed offset.

The driver passes in events, the time and a random number, and carries out the effects in order. The machine does no
I/O, reads no clock, draws no random numbers and never blocks. Both protocols use it, each with its own ``OffsetRules``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast, get_args

from attrs import evolve

from kafka_nextgen.membership.offsets import asking, auto_commit, commits, ending, lookups, sending, standing
from kafka_nextgen.membership.offsets import events as ev
from kafka_nextgen.membership.offsets.containers import Schedule
from kafka_nextgen.membership.offsets.effects import OffsetEffect
from kafka_nextgen.membership.offsets.rules import OffsetRules
from kafka_nextgen.membership.offsets.settings import OffsetContext, OffsetSettings
from kafka_nextgen.membership.offsets.state import NO_OPERATIONS, OffsetState, Outcome

__all__ = ["RULES", "OffsetMachine", "is_late"]

Rule = Callable[[OffsetState, ev.OffsetEvent, OffsetContext], Outcome]
E = TypeVar("E")


def _row(event: type[E], rule: Callable[[OffsetState, E, OffsetContext], Outcome]) -> tuple[type, Rule]:
    """One row of RULES; mypy checks that the rule takes this event."""
    return event, cast(Rule, rule)


def _nothing(state: OffsetState, _event: ev.TimePassed, _at: OffsetContext) -> Outcome:
    """Do nothing: after each rule, ``handle`` does all the work that is due."""
    return state, ()


RULES: Mapping[type, Rule] = dict(
    (
        # Asks.
        _row(ev.CommitAsked, asking.ask_commit),
        _row(ev.CommitBeforeRevokingAsked, auto_commit.commit_before_revoking),
        _row(ev.LookupAsked, asking.ask_lookup),
        _row(ev.Withdrawn, asking.withdraw),
        _row(ev.ConsumedRead, auto_commit.take_consumed),
        _row(ev.Sought, standing.seek),
        # Responses.
        _row(ev.CommitAnswered, commits.answered),
        _row(ev.CommitLost, commits.lost),
        _row(ev.LookupAnswered, lookups.answered),
        _row(ev.LookupLost, lookups.lost),
        # Membership.
        _row(ev.ProtocolChosen, standing.choose_protocol),
        _row(ev.GroupEntered, standing.enter_group),
        _row(ev.GroupQuit, standing.quit_group),
        _row(ev.EpochPublished, standing.publish_epoch),
        _row(ev.PartitionsStopped, standing.stop_partitions),
        _row(ev.AssignmentApplied, standing.apply_assignment),
        _row(ev.TimePassed, _nothing),
    )
)

assert RULES.keys() == set(get_args(ev.OffsetEvent)), "every event has a rule"


class OffsetMachine:
    """The offsets of one consumer for its lifetime, across memberships and protocols."""

    def __init__(self, settings: OffsetSettings, rules: OffsetRules, now: float) -> None:
        self.settings = settings
        interval_s = settings.auto_commit_interval_s
        self._wakeups = Schedule()
        self._queue = Schedule()  # commits that are waiting only for a free slot, by the time when they began to wait
        self.state = OffsetState(rules, interval_at=None if interval_s is None else now + interval_s)

    def handle(self, event: ev.OffsetEvent, now: float, chance: float) -> tuple[OffsetEffect, ...]:
        """Apply ``event`` at ``now`` (monotonic seconds) and return the effects, in order.

        ``chance``, in [0, 1), is the random number that jitters retries. A response to a request that is not in flight
        is ignored.
        """
        if is_late(self.state, event):
            return ()
        at = OffsetContext(now, chance, self.settings)
        due = self._wakeups.due(now)
        state = evolve(self.state, marked=due) if due else self.state
        state, effects = RULES[type(event)](state, event, at)
        for step in (ending.end_what_is_over, auto_commit.look_if_due, self._send_commits, sending.send_lookups):
            state, more = step(state, at)
            effects += more
        if operations := state.checked | state.marked:
            for operation in operations:
                self._wakeups.set(operation, sending.commit_wakes_at(state, operation, at))
            state = evolve(state, marked=NO_OPERATIONS, checked=NO_OPERATIONS)
        self.state = state
        return effects

    def _send_commits(self, state: OffsetState, at: OffsetContext) -> Outcome:
        """Send commits while there is a free slot, starting with those that have waited longest."""
        for operation in state.checked:
            self._queue.set(operation, sending.waits_since(state, operation, at))
        effects: list[OffsetEffect] = []
        while (since := self._queue.first()) is not None and sending.has_slot(state, since, at):
            state, request = sending.send_commit(state, self._queue.pop(), at)
            effects.append(request)
        return state, tuple(effects)

    def deadline(self) -> float | None:
        """When to pass in ev.TimePassed (monotonic seconds) if nothing else happens; None for never."""
        first = self._wakeups.first()
        return min((*sending.deadlines(self.state), *(() if first is None else (first,))), default=None)


def is_late(state: OffsetState, event: ev.OffsetEvent) -> bool:
    """Whether ``event`` is the response to a request that is not, or no longer, in flight."""
    if isinstance(event, ev.CommitAnswered | ev.CommitLost):
        return event.number not in state.commit_requests
    if isinstance(event, ev.LookupAnswered | ev.LookupLost):
        return event.number not in state.lookup_requests
    return isinstance(event, ev.ConsumedRead) and event.number != state.reading
