"""A rebalance of one member, as it is remembered, and why there was one."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from attrs import field, frozen

from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["Rebalance", "RebalanceCause"]


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

    ``reason`` says who or what caused it, as far as a member is told. ``began_at`` is in seconds since the epoch,
    ``phases_ms`` has the milliseconds of each phase in order (waiting
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
    reason: str = ""

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
        reason = f"; {self.reason}" if self.reason else ""
        return (
            f"rebalance {self.number}: {self.cause.value}, epoch {self.epoch_before} -> {self.epoch_after}: "
            f"{moves or 'nothing moved'} in {self.duration_ms:.0f} ms ({phases or 'at once'}){reason}{failed}"
        )
