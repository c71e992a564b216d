"""All requests to a coordinator: one class each, named like Kafka's API.

``classic.requests`` has those of classic groups. Requests that clients make in the same form are in ``groups``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import field

from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.groups.extension_requests import ExtensionRequest
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.classic.requests import ClassicRequest
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.types import JoinReason, OffsetAndMetadata, StandbyState, TopicId, TopicIdPartition, TopicPartition

__all__ = [
    "ConfigsChanged",
    "ConsumerGroupDescribe",
    "ConsumerGroupHeartbeat",
    "DeleteGroups",
    "EndTransaction",
    "ListGroups",
    "MaySee",
    "OffsetCommit",
    "OffsetDelete",
    "OffsetFetch",
    "Request",
    "TopicImage",
    "TopicsChanged",
    "TxnOffsetCommit",
    "sees_everything",
]


#: Whether the requester may see the topic with that name.
MaySee = Callable[[str], bool]


def sees_everything(_: str) -> bool:
    """Allow every topic."""
    return True


@frozen
class ConsumerGroupHeartbeat:
    """A member's heartbeat: join (epoch 0), stay, leave (-1), or leave temporarily (-2, static members).

    None, or -1 for the timeout, means unchanged. ``version`` is the API's: an empty member id is valid only in 0.
    ``client_assignors``, preferred first, ``join_reason`` and ``standby_state`` count only where the coordinator has
    extensions.
    """

    group_id: str
    member_id: str
    member_epoch: int
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    subscribed_topics: frozenset[str] | None = None
    subscribed_pattern: str | None = None
    server_assignor: str | None = None
    client_assignors: tuple[ClientAssignor, ...] | None = None
    join_reason: JoinReason = JoinReason.UNKNOWN
    standby_state: StandbyState = StandbyState.UNKNOWN
    owned: frozenset[TopicIdPartition] | None = None
    client_id: str = ""
    client_host: str = ""
    version: int = 1
    may_see: MaySee = field(default=sees_everything, eq=False, repr=False)  # the topics that its pattern may match
    new_member_id: str = ""  # for a member that joins without an id (version 0)


@frozen
class ConsumerGroupDescribe:
    """Describe these groups."""

    group_ids: tuple[str, ...]


@frozen
class ListGroups:
    """List all groups, or those in one of ``states`` (Kafka's names, any case) and of one of ``types``."""

    states: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()


@frozen
class DeleteGroups:
    """Delete empty groups and their offsets."""

    group_ids: tuple[str, ...]


@frozen
class TopicImage:
    """A topic as the cluster knows it; ``partition_racks`` has the racks of each partition's replicas."""

    topic_id: TopicId
    name: str
    num_partitions: int
    partition_racks: tuple[tuple[str, ...], ...] = ()


@frozen
class TopicsChanged:
    """Topics were created, extended, deleted or recreated: all current topics, by name."""

    topics: Mapping[str, TopicImage] = field(factory=dict)


@frozen
class ConfigsChanged:
    """The coordinator's settings or the configuration of some group changed: all current values.

    ``groups`` has, for each group id, integers by the keys of ``group_configs``.
    """

    settings: CoordinatorSettings
    groups: Mapping[str, Mapping[str, int]] = field(factory=dict)


@frozen
class OffsetCommit:
    """Store offsets; ``member_epoch`` -1 with an empty member id means a commit from outside the group.

    ``version`` is the API's: a member of a consumer group may use only 9 and above. ``topic_ids`` are the ids that the
    receiving broker knows: the coordinator may not know yet that a topic was recreated.
    """

    group_id: str
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    member_id: str = ""
    member_epoch: int = -1
    instance_id: str | None = None
    version: int = 9
    retention_ms: int | None = None  # None means the broker's retention; only versions 2 to 4 have it
    topic_ids: Mapping[str, TopicId] = field(factory=dict)


@frozen
class TxnOffsetCommit:
    """Store offsets as part of the producer's transaction.

    ``version`` is the API's: before 6 every refused epoch is ILLEGAL_GENERATION (KIP-1319). ``topic_ids`` is as
    in ``OffsetCommit``.
    """

    group_id: str
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    producer_id: int
    producer_epoch: int
    member_id: str = ""
    member_epoch: int = -1
    instance_id: str | None = None
    version: int = 5
    topic_ids: Mapping[str, TopicId] = field(factory=dict)


@frozen
class OffsetFetch:
    """Read the offsets of ``partitions``, or all offsets (None).

    With ``require_stable`` an offset is an error as long as a transaction may change it (KIP-447). ``topic_ids`` is as
    in ``OffsetCommit``.
    """

    group_id: str
    partitions: tuple[TopicPartition, ...] | None = None
    member_id: str | None = None
    member_epoch: int = -1
    require_stable: bool = True
    topic_ids: Mapping[str, TopicId] = field(factory=dict)


@frozen
class OffsetDelete:
    """Delete the committed offsets of these partitions."""

    group_id: str
    partitions: tuple[TopicPartition, ...]


Request = (
    ConsumerGroupHeartbeat
    | ConsumerGroupDescribe
    | ListGroups
    | DeleteGroups
    | OffsetCommit
    | TxnOffsetCommit
    | EndTransaction
    | OffsetFetch
    | OffsetDelete
    | TopicsChanged
    | ConfigsChanged
    | ClassicRequest
    | ExtensionRequest
)
