"""The rebalances of a member, as data.

The history observes a membership machine: from each event, the states before and after it and the effects, it derives
when a rebalance began and why, how long each phase took, and which partitions came and went. The machine does not know
of it. ``RebalanceRules`` read the states of each protocol's machine.

A rebalance begins when a member starts to change what it has, to leave, or loses everything; it ends when the member
is stable, out of the group, or about to join again. If the next begins before that, the one under way ends there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, evolve

from kafka_nextgen.engine.observability.rebalance import MemberName, Rebalance, RebalanceCause, RebalanceStep
from kafka_nextgen.engine.observability.rebalance_rules import NOT_POLLED, RebalanceRules, error_in
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.types import TopicPartition

__all__ = ["RebalanceHistory"]


@define
class _Draft:
    """A rebalance under way, as far as it is known; ``began`` and ``since`` are in monotonic seconds."""

    rebalance: Rebalance
    owned_before: frozenset[TopicPartition]
    began: float
    since: float
    phase: str

    def enter(self, phase: str, now: float) -> None:
        """Enter a phase, and add the time of the previous one to the steps."""
        if phase == self.phase:
            return
        spent_ms, known = (now - self.since) * 1000, self.rebalance
        if spent_ms > 0:
            step = RebalanceStep(self.phase, known.began_at + self.since - self.began, spent_ms)
            self.rebalance = evolve(known, steps=(*known.steps, step))
        self.phase, self.since = phase, now

    def note(self, effect: object) -> None:
        """Note which partitions come and go."""
        known = self.rebalance
        if isinstance(effect, fx.CallOnRevoked):
            self.rebalance = evolve(known, revoked=known.revoked + effect.partitions)
        elif isinstance(effect, fx.CallOnLost):
            self.rebalance = evolve(known, lost=known.lost + effect.partitions)
        elif isinstance(effect, fx.CallOnAssigned):  # called again after it raised, it has the same partitions
            self.rebalance = evolve(known, assigned=tuple(sorted({*known.assigned, *effect.partitions})))


class RebalanceHistory:
    """The last ``size`` rebalances of a member; ``name`` makes a MemberName of its id."""

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
        self._wish = ""  # the application's last subscription since the last rebalance began

    def rebalances(self) -> tuple[Rebalance, ...]:
        """The rebalances that are over, oldest first."""
        return tuple(self._past)

    @property
    def under_way(self) -> RebalanceCause | None:
        """Why the member is rebalancing now, if it is."""
        draft = self._draft  # once: another thread may ask
        return None if draft is None else draft.rebalance.cause

    @property
    def reason(self) -> str:
        """The cause of the current rebalance, in words; empty if there is none."""
        draft = self._draft
        return "" if draft is None else draft.rebalance.reason

    def since_s(self, now: float) -> float:
        """How long (seconds) the member has been rebalancing; 0 if it is not."""
        draft = self._draft
        return 0.0 if draft is None else now - draft.began

    def watch(
        self, event: object, before: Any, after: Any, effects: Sequence[object], now: float, wall_s: float
    ) -> Rebalance | None:
        """Observe one event; returns the rebalance that it ended, if any.

        ``now`` is monotonic, ``wall_s`` is in seconds since the epoch.
        """
        ended = None
        cause = self._rules.begins(before, after)
        if isinstance(event, Subscribed):
            self._wish = self._rules.reason(event)
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
        """What the event says and, if it differs, what the application requested before it."""
        reason = NOT_POLLED if cause is RebalanceCause.POLL_TIMEOUT else self._rules.reason(event)
        wish = self._wish
        self._wish = ""
        return ", after ".join(dict.fromkeys(filter(None, (reason, wish))))

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
