"""The facts about a group that Kafka's records have no place for. The number in brackets is the version of the key,
beyond all of Kafka's, whose coordinators skip what they don't know.

A rebalance has a number, which counts those of its group. Its record's key has the number modulo how many are kept, so
a later one takes an older one's place, in the group as in a compacted log.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.coordinator.cause import Cause, EpochCause
from kafka_nextgen.coordinator.hooks import ExtensionRecord

__all__ = [
    "ExpectedMembers",
    "ExpectedMembersRemoved",
    "Place",
    "Rebalance",
    "RebalanceRecorded",
    "RebalanceRecordedRemoved",
]


@frozen
class Rebalance:
    """A rebalance from its cause on. Times are milliseconds.

    ``epoch`` is the group epoch it led to, in a classic group the generation. ``target_epoch`` is that of the first
    assignment that takes it into account, made at ``assigned_at_ms``; both are None until then.
    """

    number: int
    cause: Cause
    caused_at_ms: int
    is_classic: bool
    epoch: int
    target_epoch: int | None = None
    assigned_at_ms: int | None = None


@frozen
class RebalanceRecorded(ExtensionRecord):
    """[10000] A rebalance began, or was assigned for."""

    slot: int
    rebalance: Rebalance

    @property
    def tells_cause(self) -> EpochCause:
        """Why the group rebalanced."""
        return EpochCause(self.rebalance.epoch, self.rebalance.is_classic, self.rebalance.cause)


@frozen
class RebalanceRecordedRemoved(ExtensionRecord):
    """[10000] There is no rebalance at this place any more."""

    slot: int


@frozen
class Place:
    """What is kept for an instance that is to come: until when (milliseconds since the epoch), and what stands in for
    what it does not say itself.
    """

    instance_id: str
    until_ms: int
    rebalance_timeout_ms: int = -1
    assignor: str | None = None


@frozen
class ExpectedMembers(ExtensionRecord):
    """[10001] The instances that the group waits for, and those that have come and wait with it."""

    places: tuple[Place, ...]


@frozen
class ExpectedMembersRemoved(ExtensionRecord):
    """[10001] Nobody is expected any more."""
