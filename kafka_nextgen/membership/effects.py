"""All effects of a member. Its driver carries them out in order."""

from __future__ import annotations

from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import JoinReason, StandbyState, TopicId, TopicIdPartition, TopicPartition

__all__ = [
    "ApplyAssignment",
    "CallOnAssigned",
    "CallOnLost",
    "CallOnRevoked",
    "CommitConsumed",
    "Effect",
    "FindCoordinator",
    "Left",
    "PublishEpoch",
    "RaiseToApplication",
    "ResolveTopics",
    "SendHeartbeat",
    "SharedEffect",
    "StopFetching",
]


@frozen
class SendHeartbeat:
    """Send a ConsumerGroupHeartbeat and answer with HeartbeatAnswered, HeartbeatRefused or HeartbeatLost.

    The fields match the request (KIP-848, "ConsumerGroupHeartbeat API"): None, or -1 for the timeout, means unchanged
    since the last heartbeat. ``full`` is for logs and tests: the heartbeat contains every field. ``client_assignors``,
    ``join_reason`` and ``standby_state`` are for coordinators with extensions.
    """

    number: int
    member_id: str
    member_epoch: int
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    subscribed_topics: tuple[str, ...] | None = None
    subscribed_pattern: str | None = None
    server_assignor: str | None = None
    client_assignors: tuple[ClientAssignor, ...] | None = None
    owned: frozenset[TopicIdPartition] | None = None
    join_reason: JoinReason = JoinReason.UNKNOWN
    standby_state: StandbyState = StandbyState.UNKNOWN
    full: bool = False


@frozen
class FindCoordinator:
    """Look up the coordinator before the next heartbeat."""


@frozen
class ResolveTopics:
    """Request the names of these topic ids and answer with TopicsResolved."""

    topic_ids: frozenset[TopicId]


@frozen
class StopFetching:
    """Stop handing over records of these partitions, including buffered ones."""

    partitions: frozenset[TopicPartition]


@frozen
class CommitConsumed:
    """Commit the processed offsets of the whole assignment, by ``deadline``; answer with CommitFinished."""

    number: int
    deadline: float


@frozen
class CallOnRevoked:
    """Call ``on_partitions_revoked`` in ``poll``; answer with RevokeFinished."""

    number: int
    partitions: tuple[TopicPartition, ...]


@frozen
class CallOnAssigned:
    """Call ``on_partitions_assigned`` in ``poll``; answer with AssignFinished."""

    number: int
    partitions: tuple[TopicPartition, ...]


@frozen
class CallOnLost:
    """Call ``on_partitions_lost`` in ``poll``; answer with LossFinished."""

    number: int
    partitions: tuple[TopicPartition, ...]


@frozen
class ApplyAssignment:
    """The member now owns exactly ``partitions`` (with their topic ids); fetching of new ones may begin.

    This precedes CallOnAssigned, so that the callback can seek; no record of ``added`` is handed over before that
    callback has returned. If no partitions remain, this follows the callbacks for giving them up.
    """

    partitions: frozenset[TopicPartition]
    topic_ids: tuple[tuple[str, TopicId], ...]
    added: frozenset[TopicPartition]


@frozen
class PublishEpoch:
    """From now on, commits carry this member id and epoch; the epoch is -1 after leaving or being fenced."""

    member_id: str
    member_epoch: int


@frozen
class RaiseToApplication:
    """The next poll raises this: the coordinator's error code, and what it means for the member."""

    code: int
    message: str
    fatal: bool


@frozen
class Left:
    """The member has left and all callbacks have run: the completion of Unsubscribed and Closed.

    Each of these events gets a Left, even if there was no group to leave; events that arrive while the member is
    leaving share one.
    """


#: The effects that members of both protocols have.
SharedEffect = (
    FindCoordinator
    | StopFetching
    | CommitConsumed
    | CallOnRevoked
    | CallOnAssigned
    | CallOnLost
    | ApplyAssignment
    | PublishEpoch
    | RaiseToApplication
    | Left
)

Effect = SendHeartbeat | ResolveTopics | SharedEffect
