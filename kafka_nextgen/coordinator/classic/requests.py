"""Everything that members of a classic group, and those who look at it, can ask. Closed, and named as Kafka's APIs are.

JoinGroup and SyncGroup may have to wait for others. Whoever puts one gives it a ``number``, by which its answer is
released when the time has come.
"""

from __future__ import annotations

from attrs import field, frozen

from kafka_nextgen.types import JoinReason

__all__ = [
    "REMOVED_BY_ADMIN",
    "ClassicRequest",
    "DescribeGroups",
    "Heartbeat",
    "JoinGroup",
    "LeaveGroup",
    "LeavingMember",
    "OfferedProtocol",
    "SyncGroup",
]


#: What Kafka's own client says of a member that an administrator takes out; more may follow.
REMOVED_BY_ADMIN = "member was removed by an admin"


@frozen
class OfferedProtocol:
    """A way to assign that a member knows, and what it tells the leader for it. The coordinator reads no metadata."""

    name: str
    metadata: bytes = b""


@frozen
class JoinGroup:
    """A member comes, or comes again, for the next generation.

    ``protocols`` are in the member's order of preference. ``version`` is the API's: from 4 on a dynamic member joins
    by an id it was given, from 9 on a leader can be told to leave the assignment as it is. ``new_member_id`` is what a
    member that came without an id is called.
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
    """A member asks for its part; the leader brings everybody's, by member id."""

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
class LeavingMember:
    """Who is to go: a member by its id, or, by an empty id and its instance id, whoever holds that instance."""

    member_id: str
    instance_id: str | None = None
    reason: str | None = None


@frozen
class LeaveGroup:
    """Members go, or are taken out by an administrator. Each is judged by itself."""

    group_id: str
    members: tuple[LeavingMember, ...] = field(factory=tuple)


@frozen
class DescribeGroups:
    """What is known of these classic groups."""

    group_ids: tuple[str, ...]


ClassicRequest = JoinGroup | SyncGroup | Heartbeat | LeaveGroup | DescribeGroups
