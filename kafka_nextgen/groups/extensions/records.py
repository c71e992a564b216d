"""The records of the extensions. The number in brackets is the version of the key, which is higher than Kafka's
versions; Kafka's coordinators skip unknown versions.

Each rebalance has a sequence number in its group. Its record's key has that number modulo the number of kept
rebalances, so a later record replaces an older one, both in the group and in a compacted log.
"""

from __future__ import annotations

from kafka_nextgen.groups.cause import Cause, EpochCause
from kafka_nextgen.groups.records import ExtensionRecord
from kafka_nextgen.lazy_attrs import frozen

__all__ = [
    "ExpectedMembers",
    "ExpectedMembersRemoved",
    "Leaver",
    "LeavingMembers",
    "LeavingMembersRemoved",
    "Rebalance",
    "RebalanceRecorded",
    "RebalanceRecordedRemoved",
    "Slot",
    "StandbyMembers",
    "StandbyMembersRemoved",
]


@frozen
class Rebalance:
    """A rebalance, starting with its cause. Times are in milliseconds.

    ``epoch`` is the resulting group epoch, or the generation in a classic group. ``target_epoch`` is the epoch of the
    first assignment computed after it, at ``assigned_at_ms``; both are None until then.
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
    """[10000] A rebalance started, or its assignment was computed."""

    slot: int
    rebalance: Rebalance

    @property
    def tells_cause(self) -> EpochCause:
        """Why the group rebalanced."""
        return EpochCause(self.rebalance.epoch, self.rebalance.is_classic, self.rebalance.cause)


@frozen
class RebalanceRecordedRemoved(ExtensionRecord):
    """[10000] The slot was removed."""

    slot: int


@frozen
class Slot:
    """The reserved slot of an expected instance: when it expires (milliseconds since the Unix epoch), and the defaults
    for fields that the instance does not set.
    """

    instance_id: str
    until_ms: int
    rebalance_timeout_ms: int = -1
    assignor: str | None = None


@frozen
class ExpectedMembers(ExtensionRecord):
    """[10001] The instances that the group expects, and those that have joined and are waiting for the others."""

    slots: tuple[Slot, ...]


@frozen
class ExpectedMembersRemoved(ExtensionRecord):
    """[10001] The group no longer expects any instances."""


@frozen
class StandbyMembers(ExtensionRecord):
    """[10002] The standby members, in the order in which they take over.

    Those that are ``loading`` take over only if no other is ready.
    """

    member_ids: tuple[str, ...]
    loading: tuple[str, ...] = ()


@frozen
class StandbyMembersRemoved(ExtensionRecord):
    """[10002] The group no longer has standby members."""


@frozen
class Leaver:
    """A member that was announced to leave, and until when the group waits for it (milliseconds since the Unix epoch).

    A static member is announced for its instance, so its member id may change; a dynamic one has no ``instance_id``.
    """

    member_id: str
    instance_id: str | None
    until_ms: int

    @property
    def name(self) -> str:
        """Its instance id, or its member id if it has none."""
        return self.member_id if self.instance_id is None else self.instance_id

    @property
    def key(self) -> tuple[str, str | None]:
        """Its name as a key: members choose their ids, so a member id may equal another member's instance id."""
        return (self.member_id, None) if self.instance_id is None else ("", self.instance_id)


@frozen
class LeavingMembers(ExtensionRecord):
    """[10003] The members that are announced to leave, and those that have left since the latest rebalance."""

    leavers: tuple[Leaver, ...]


@frozen
class LeavingMembersRemoved(ExtensionRecord):
    """[10003] The group no longer has members that are announced to leave."""
