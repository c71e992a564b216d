"""Why did my group rebalance? What a member went through, kept as data.

The history watches the membership machine from outside: it is shown each event with the state before and after it
and the effects, and derives from them when a rebalance began, why, which phase took how long, and what came and
went. It decides nothing, and the machine does not know of it.

A rebalance begins when a member starts to reconcile, to leave, or loses everything; it ends when the member is
STABLE, out of the group, or about to join again. If the next begins before that, the one under way ends there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from enum import Enum

from attrs import define, field, frozen

from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership.state import MemberState, Why
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["Rebalance", "RebalanceCause", "RebalanceHistory"]


class RebalanceCause(Enum):
    """Why a member's assignment changed, as far as a member can know."""

    JOINED = "joined"  # its first assignment since it joined
    REASSIGNED = "reassigned"  # the coordinator has a new target: members, topics or subscriptions changed
    FENCED = "fenced"  # the coordinator does not count it as a member any more
    POLL_TIMEOUT = "poll timeout"  # the application did not poll within max.poll.interval.ms
    UNSUBSCRIBED = "unsubscribed"
    CLOSED = "closed"
    FAILED = "failed"  # the coordinator refused it for good


@frozen
class Rebalance:
    """One rebalance of one member.

    ``began_at`` is in seconds since the epoch, ``phases_ms`` has the milliseconds of each phase in order (waiting
    for the application's poll, committing, revoking, assigning, acknowledging, ...), ``duration_ms`` all of them.
    ``error`` says what a callback or commit raised. ``epoch_after`` is -1 if the member is out.
    """

    number: int
    cause: RebalanceCause
    began_at: float
    epoch_before: int
    epoch_after: int
    assigned: tuple[TopicPartition, ...] = ()
    revoked: tuple[TopicPartition, ...] = ()
    lost: tuple[TopicPartition, ...] = ()
    kept: tuple[TopicPartition, ...] = ()
    phases_ms: Mapping[str, float] = field(factory=dict)
    error: str | None = None

    @property
    def duration_ms(self) -> float:
        """How long it took, in milliseconds."""
        return sum(self.phases_ms.values())

    def __str__(self) -> str:
        moves = ", ".join(
            f"{what} {format_partitions(partitions)}"
            for what, partitions in (
                ("assigned", self.assigned),
                ("revoked", self.revoked),
                ("lost", self.lost),
                ("kept", self.kept),
            )
            if partitions
        )
        phases = ", ".join(f"{name} {spent:.0f} ms" for name, spent in self.phases_ms.items())
        failed = f"; failed: {self.error}" if self.error else ""
        return (
            f"rebalance {self.number}: {self.cause.value}, epoch {self.epoch_before} -> {self.epoch_after}: "
            f"{moves or 'nothing moved'} in {self.duration_ms:.0f} ms ({phases or 'at once'}){failed}"
        )


@define
class _Draft:
    """A rebalance under way."""

    number: int
    cause: RebalanceCause
    began_at: float
    epoch_before: int
    owned_before: frozenset[TopicPartition]
    since: float
    phase: str
    assigned: tuple[TopicPartition, ...] = ()
    revoked: tuple[TopicPartition, ...] = ()
    lost: tuple[TopicPartition, ...] = ()
    phases_ms: dict[str, float] = field(factory=dict)
    error: str | None = None

    def enter(self, phase: str, now: float) -> None:
        """Book the time since the last change on the phase that ends."""
        spent_ms = (now - self.since) * 1000
        if spent_ms > 0:
            self.phases_ms[self.phase] = self.phases_ms.get(self.phase, 0.0) + spent_ms
        self.phase, self.since = phase, now

    def finished(self, epoch_after: int) -> Rebalance:
        """The rebalance as it will be remembered."""
        kept = self.owned_before.difference(self.revoked, self.lost)
        return Rebalance(
            self.number,
            self.cause,
            self.began_at,
            self.epoch_before,
            epoch_after,
            self.assigned,
            self.revoked,
            self.lost,
            tuple(sorted(kept)),
            self.phases_ms,
            self.error,
        )


class RebalanceHistory:
    """The last ``size`` rebalances of a member."""

    def __init__(self, size: int = 50) -> None:
        self._past: deque[Rebalance] = deque(maxlen=size)
        self._draft: _Draft | None = None
        self._numbered = 0

    def rebalances(self) -> tuple[Rebalance, ...]:
        """The rebalances that are over, oldest first."""
        return tuple(self._past)

    def watch(
        self, before: MemberState, after: MemberState, effects: Sequence[fx.Effect], now: float, wall_s: float
    ) -> Rebalance | None:
        """Take note of one event; the rebalance that it ended, if it ended one.

        ``now`` is monotonic, ``wall_s`` is in seconds since the epoch.
        """
        ended = None
        if _begins(before, after):
            ended = self._end(before, now) if self._draft else None
            self._begin(before, after, now, wall_s)
        draft = self._draft
        if draft is None:
            return ended
        for effect in effects:
            _note(draft, effect)
        draft.enter(_phase_of(after), now)
        if after.phase is Phase.FAILED and before.phase is not Phase.FAILED:
            draft.error = f"{before.phase.value}: the callback raised"
        return self._end(after, now) if _is_over(after) else ended

    def _begin(self, before: MemberState, after: MemberState, now: float, wall_s: float) -> None:
        self._numbered += 1
        owned = frozenset(TopicPartition(before.names[tip.topic_id], tip.partition) for tip in before.owned)
        cause, epoch = _cause(before, after), before.published_epoch
        self._draft = _Draft(self._numbered, cause, wall_s, epoch, owned, now, _phase_of(after))

    def _end(self, state: MemberState, now: float) -> Rebalance:
        assert self._draft is not None, "there is a rebalance to end"
        self._draft.enter("", now)
        rebalance, self._draft = self._draft.finished(state.member_epoch), None
        self._past.append(rebalance)
        return rebalance


_BUSY = frozenset({Status.RECONCILING, Status.PREPARE_LEAVING, Status.LEAVING, Status.FENCED, Status.FATAL})


def _begins(before: MemberState, after: MemberState) -> bool:
    if before.status is after.status or after.status not in _BUSY:
        return False
    return not (before.status is Status.PREPARE_LEAVING and after.status is Status.LEAVING)


def _cause(before: MemberState, after: MemberState) -> RebalanceCause:
    if after.status is Status.RECONCILING:
        return RebalanceCause.JOINED if before.status is Status.JOINING else RebalanceCause.REASSIGNED
    if after.status is Status.FATAL:
        return RebalanceCause.FAILED
    if after.leaving is None:
        return RebalanceCause.FENCED
    return {
        Why.CLOSED: RebalanceCause.CLOSED,
        Why.UNSUBSCRIBED: RebalanceCause.UNSUBSCRIBED,
        Why.EXPIRED: RebalanceCause.POLL_TIMEOUT,
    }[after.leaving.why]


def _is_over(state: MemberState) -> bool:
    if state.phase is not Phase.IDLE:
        return False
    return state.status not in (Status.RECONCILING, Status.ACKNOWLEDGING, Status.PREPARE_LEAVING, Status.LEAVING)


def _phase_of(state: MemberState) -> str:
    return state.status.value if state.phase is Phase.IDLE else state.phase.value


def _note(draft: _Draft, effect: fx.Effect) -> None:
    if isinstance(effect, fx.CallOnRevoked):
        draft.revoked += effect.partitions
    elif isinstance(effect, fx.CallOnLost):
        draft.lost += effect.partitions
    elif isinstance(effect, fx.CallOnAssigned):
        draft.assigned += effect.partitions
