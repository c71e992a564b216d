"""All requests of classic groups: one class each, named like Kafka's APIs.

JoinGroup and SyncGroup may have to wait for other members. The caller gives each a ``number``, by which a later outcome
releases its answer.
"""

from __future__ import annotations

from kafka_nextgen.groups.leaving import LeaveGroup
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import JoinReason

__all__ = [
    "ClassicRequest",
    "DescribeGroups",
    "Heartbeat",
    "JoinGroup",
    "LeaveGroup",
    "SyncGroup",
]


@frozen
class JoinGroup:
    """A member joins, or joins again, for the next generation.

    ``protocols`` are in the member's order of preference. ``version`` is the API's: from 4 on a dynamic member joins
    with an id it was given, from 9 on a leader can be instructed to keep the assignment. ``new_member_id`` is the id
    for a member that joins without one.
    """

    number: int
    group_id: str
    member_id: str
    protocol_type: str
    protocols: tuple[OfferedProtocol, ...]
    session_timeout_ms: int
    rebalance_timeout_ms: int
    instance_id: str | None = None
    reason: str | None = None
    client_id: str = ""
    client_host: str = ""
    version: int = 9
    new_member_id: str = ""
    join_reason: JoinReason = JoinReason.UNKNOWN


@frozen
class SyncGroup:
    """A member requests its assignment; the leader sends all assignments, by member id."""

    number: int
    group_id: str
    generation: int
    member_id: str
    instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: tuple[tuple[str, bytes], ...] = ()


@frozen
class Heartbeat:
    """A member is alive."""

    group_id: str
    generation: int
    member_id: str
    instance_id: str | None = None


@frozen
class DescribeGroups:
    """Describe these classic groups."""

    group_ids: tuple[str, ...]


ClassicRequest = JoinGroup | SyncGroup | Heartbeat | LeaveGroup | DescribeGroups
