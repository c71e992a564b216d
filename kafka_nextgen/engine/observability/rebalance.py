"""The record of one member's rebalance, and its cause."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["MemberName", "Rebalance", "RebalanceCause", "RebalanceStep"]


class RebalanceCause(Enum):
    """Why a member's assignment changed, as far as the member knows."""

    JOINED = "joined"  # its first assignment since it joined
    REASSIGNED = "reassigned"  # the coordinator has a new target: members, topics or subscriptions changed
    FENCED = "fenced"  # the coordinator removed it from the group
    POLL_TIMEOUT = "poll timeout"  # the application did not poll within max.poll.interval.ms
    UNSUBSCRIBED = "unsubscribed"
    CLOSED = "closed"
    FAILED = "failed"  # the coordinator refused it permanently


@frozen
class MemberName:
    """The identity of a member. ``member_id`` and ``cluster_id`` are empty until they are known."""

    cluster_id: str = ""
    group_id: str = ""
    protocol: str = ""
    member_id: str = ""
    instance_id: str | None = None
    client_id: str = ""


@frozen
class RebalanceStep:
    """One step of a rebalance: its name, its start (seconds since the epoch), and its duration (milliseconds)."""

    name: str
    began_at: float
    took_ms: float

    @property
    def ended_at(self) -> float:
        """The end of the step, in seconds since the epoch."""
        return self.began_at + self.took_ms / 1000


@frozen
class Rebalance:
    """One rebalance of one member.

    ``reason`` describes what caused it, as far as the member knows. ``began_at`` is in seconds since the epoch.
    ``steps`` are in order: waiting for the application's poll, committing, revoking, assigning, acknowledging, ...
    ``error`` describes what a callback or commit raised. ``epoch_after`` is -1 if the member has left the group.
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
    steps: tuple[RebalanceStep, ...] = ()
    error: str | None = None
    reason: str = ""
    member: MemberName = MemberName()

    @property
    def phases_ms(self) -> Mapping[str, float]:
        """The duration of each phase in milliseconds; steps with the same name are added up."""
        spent: dict[str, float] = {}
        for step in self.steps:
            spent[step.name] = spent.get(step.name, 0.0) + step.took_ms
        return spent

    @property
    def duration_ms(self) -> float:
        """The duration of the rebalance in milliseconds."""
        return sum(step.took_ms for step in self.steps)

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
            f"{moves or 'nothing moved'} in {self.duration_ms:.0f} ms ({phases or 'no phases'}){reason}{failed}"
        )
