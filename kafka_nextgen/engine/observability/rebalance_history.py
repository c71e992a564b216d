"""The history of a member's rebalances.

The history observes a membership machine; the machine does not depend on it. From each event, its effects, and the
states before and after it, the history derives when and why a rebalance began, how long each phase took, and which
partitions were assigned, revoked or lost. ``RebalanceRules`` interpret the states of each protocol's machine.

A rebalance begins when a member starts to change its assignment or to leave, or when it loses its partitions. It ends
when the member is stable, out of the group, or about to join again, and at the latest when the next rebalance begins.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from attrs import evolve

from kafka_nextgen.engine.observability.rebalance import MemberName, Rebalance, RebalanceCause, RebalanceStep
from kafka_nextgen.engine.observability.rebalance_rules import NOT_POLLED, RebalanceRules, error_in
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.types import TopicPartition

__all__ = ["RebalanceHistory"]


@define
class _Draft:
    """The current rebalance so far. ``began``, and ``since`` for the current phase, are in monotonic seconds."""

    rebalance: Rebalance
    owned_before: frozenset[TopicPartition]
    began: float
    since: float
    phase: str

    def enter(self, phase: str, now: float) -> None:
        """Enter a phase, and add the previous one to the steps with its duration."""
        if phase == self.phase:
            return
        spent_ms, known = (now - self.since) * 1000, self.rebalance
        if spent_ms > 0:
            step = RebalanceStep(self.phase, known.began_at + self.since - self.began, spent_ms)
            self.rebalance = evolve(known, steps=(*known.steps, step))
        self.phase, self.since = phase, now

    def note(self, effect: object) -> None:
        """Note the partitions in an effect that revokes, loses or assigns some."""
        known = self.rebalance
        if isinstance(effect, fx.CallOnRevoked):
            self.rebalance = evolve(known, revoked=known.revoked + effect.partitions)
        elif isinstance(effect, fx.CallOnLost):
            self.rebalance = evolve(known, lost=known.lost + effect.partitions)
        elif isinstance(effect, fx.CallOnAssigned):  # a repeated call, after one that raised, has the same partitions
            self.rebalance = evolve(known, assigned=tuple(sorted({*known.assigned, *effect.partitions})))


class RebalanceHistory:
    """The last ``size`` rebalances of a member; ``name`` creates a MemberName from its member id."""

    def __init__(
        self,
        rules: RebalanceRules[Any],
        name: Callable[[str], MemberName] = lambda member_id: MemberName(member_id=member_id),
        size: int = 50,
    ) -> None:
        self._rules = rules
        self._name = name
        self._past: deque[Rebalance] = deque(maxlen=size)
        self._draft: _Draft | None = None
        self._numbered = 0
        self._change = ""  # describes the last subscription change since the last rebalance began

    def rebalances(self) -> tuple[Rebalance, ...]:
        """The finished rebalances, oldest first."""
        return tuple(self._past)

    @property
    def under_way(self) -> RebalanceCause | None:
        """The cause of the current rebalance; None if there is none."""
        draft = self._draft  # read only once: another thread may replace it
        return None if draft is None else draft.rebalance.cause

    @property
    def reason(self) -> str:
        """The reason for the current rebalance, as text; empty if there is none."""
        draft = self._draft
        return "" if draft is None else draft.rebalance.reason

    def since_s(self, now: float) -> float:
        """The duration of the current rebalance so far (seconds); 0 if there is none."""
        draft = self._draft
        return 0.0 if draft is None else now - draft.began

    def watch(
        self, event: object, before: Any, after: Any, effects: Sequence[object], now: float, wall_s: float
    ) -> Rebalance | None:
        """Observe one event; returns the rebalance that it ended, if any.

        ``now`` is in monotonic seconds, ``wall_s`` in seconds since the epoch.
        """
        ended = None
        cause = self._rules.begins(before, after)
        if isinstance(event, Subscribed):
            self._change = self._rules.reason(event)
        if cause is not None:
            ended = self._end(before, now) if self._draft else None
            self._begin(cause, self._reason(event, cause), before, after, now, wall_s)
        draft = self._draft
        if draft is None:
            return ended
        for effect in effects:
            draft.note(effect)
        draft.enter(self._rules.step(after), now)
        draft.rebalance = evolve(draft.rebalance, error=error_in(event) or draft.rebalance.error)
        return self._end(after, now) if self._rules.is_over(after) else ended

    def _reason(self, event: object, cause: RebalanceCause) -> str:
        """The reason given by the event, followed by the last subscription change if that is a different one."""
        reason = NOT_POLLED if cause is RebalanceCause.POLL_TIMEOUT else self._rules.reason(event)
        change = self._change
        self._change = ""
        return ", after ".join(dict.fromkeys(filter(None, (reason, change))))

    def _begin(self, cause: RebalanceCause, reason: str, before: Any, after: Any, now: float, wall_s: float) -> None:
        self._numbered += 1
        (epoch, _), owned = self._rules.epochs(before), self._rules.owned(before)
        member = MemberName(member_id=before.member_id or after.member_id)
        known = Rebalance(self._numbered, cause, wall_s, epoch, -1, reason=reason, member=member)
        self._draft = _Draft(known, owned, now, now, self._rules.step(after))

    def _end(self, state: Any, now: float) -> Rebalance:
        assert self._draft is not None, "there is a rebalance to end"
        self._draft.enter("", now)
        known = self._draft.rebalance
        rebalance = evolve(
            known,
            epoch_after=self._rules.epochs(state)[1],
            kept=tuple(sorted(self._draft.owned_before.difference(known.revoked, known.lost))),
            member=self._name(known.member.member_id or state.member_id),
        )
        self._draft = None
        self._past.append(rebalance)
        return rebalance
