"""All events of a member.

An event that completes an effect carries the effect's number. The member ignores completions that it is not waiting
for.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import LeaveMode, StandbyState, TopicId, TopicIdPartition

__all__ = [
    "CALLBACK_FINISHED",
    "LEAVE_DECIDED",
    "AnyCallbackFinished",
    "AssignFinished",
    "AssignorsAsked",
    "Closed",
    "CommitFinished",
    "Event",
    "HeartbeatAnswered",
    "HeartbeatLost",
    "HeartbeatRefused",
    "LossFinished",
    "Polled",
    "RevokeFinished",
    "SharedEvent",
    "StandbyStateChanged",
    "Subscribed",
    "TargetInstalled",
    "TimePassed",
    "TopicsResolved",
    "Unsubscribed",
]


@frozen
class Subscribed:
    """The application subscribed to topics by name or to a pattern (RE2), possibly replacing an earlier subscription.

    ``matched_by`` is for logs and tests: the pattern that ``topics`` match, if the client resolves it for the
    coordinator.
    """

    topics: frozenset[str] = frozenset()
    pattern: str | None = None
    matched_by: str | None = None


@frozen
class Unsubscribed:
    """The application unsubscribed: the member leaves. The application may subscribe again."""


@frozen
class AssignorsAsked:
    """The client-side assignors with their current metadata, the preferred one first."""

    assignors: tuple[ClientAssignor, ...]


@frozen
class TargetInstalled:
    """The coordinator accepted this member's target assignment: the next heartbeat response can contain its share."""


@frozen
class StandbyStateChanged:
    """The readiness that the member reports as a standby from now on; UNKNOWN if it reports none."""

    state: StandbyState


@frozen
class Polled:
    """The application polled: callbacks can run now, and all records handed over before count as processed."""


@frozen
class Closed:
    """The application is closing the consumer; ``leave`` says how to leave the group (KIP-1092)."""

    leave: LeaveMode = LeaveMode.DEFAULT


@frozen
class TimePassed:
    """The member's deadline was reached."""


@frozen
class HeartbeatAnswered:
    """The coordinator answered heartbeat ``number`` without an error; ``assignment`` None means unchanged."""

    number: int
    member_id: str | None
    member_epoch: int
    heartbeat_interval_ms: int
    assignment: frozenset[TopicIdPartition] | None


@frozen
class HeartbeatRefused:
    """The coordinator answered heartbeat ``number`` with an error code."""

    number: int
    code: int
    message: str | None


@frozen
class HeartbeatLost:
    """Heartbeat ``number`` will get no response: no coordinator, a disconnect, or a timeout."""

    number: int
    reason: str


@frozen
class TopicsResolved:
    """The metadata response contains the names of these topic ids."""

    names: Mapping[TopicId, str]


@frozen
class CommitFinished:
    """Commit ``number`` ended; ``error`` is why it failed, None if it succeeded."""

    number: int
    error: str | None


@frozen
class RevokeFinished:
    """``on_partitions_revoked`` of effect ``number`` returned, or raised ``error``."""

    number: int
    error: str | None


@frozen
class AssignFinished:
    """``on_partitions_assigned`` of effect ``number`` returned, or raised ``error``."""

    number: int
    error: str | None


@frozen
class LossFinished:
    """``on_partitions_lost`` of effect ``number`` returned, or raised ``error``."""

    number: int
    error: str | None


AnyCallbackFinished = RevokeFinished | AssignFinished | LossFinished

#: For tables of rules: the completions of all callbacks, and the events of an application that leaves.
CALLBACK_FINISHED: tuple[type[AnyCallbackFinished], ...] = (LossFinished, RevokeFinished, AssignFinished)
LEAVE_DECIDED: tuple[type[Unsubscribed | Closed], ...] = (Unsubscribed, Closed)
HEARTBEAT_ENDED: tuple[type[HeartbeatAnswered | HeartbeatRefused | HeartbeatLost], ...] = (
    HeartbeatAnswered,
    HeartbeatRefused,
    HeartbeatLost,
)

#: The events that members of both protocols have.
SharedEvent = (
    Subscribed
    | Unsubscribed
    | AssignorsAsked
    | Polled
    | Closed
    | TimePassed
    | HeartbeatRefused
    | HeartbeatLost
    | CommitFinished
    | AnyCallbackFinished
)

Event = SharedEvent | TargetInstalled | StandbyStateChanged | HeartbeatAnswered | TopicsResolved
