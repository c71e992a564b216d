"""Everything a coordinator can be asked or told. Closed: one class per request, named as Kafka's API is.

What only classic groups are asked is in ``classic.requests``. What consumers ask about offsets as well is in
``offset_requests``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from attrs import field, frozen

from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.coordinator.classic.requests import ClassicRequest
from kafka_nextgen.coordinator.hooks import ExtensionRequest
from kafka_nextgen.coordinator.offset_requests import OffsetCommit, OffsetFetch, TxnOffsetCommit
from kafka_nextgen.types import JoinReason, TopicId, TopicIdPartition, TopicPartition

if TYPE_CHECKING:  # clients make requests, too, and have no use for a coordinator's settings
    from kafka_nextgen.coordinator.settings import CoordinatorSettings

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


#: Whether somebody may know that there is a topic of that name.
MaySee = Callable[[str], bool]


def sees_everything(_: str) -> bool:
    """Nothing is hidden from whoever asks."""
    return True


@frozen
class ConsumerGroupHeartbeat:
    """A member's heartbeat: join (epoch 0), stay, leave (-1), or leave for a while (-2, static members).

    None, or -1 for the timeout, means unchanged. ``version`` is the API's: an empty member id is legal in 0 only.
    ``client_assignors``, preferred first, and ``join_reason`` count only where the coordinator has extensions.
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
    owned: frozenset[TopicIdPartition] | None = None
    client_id: str = ""
    client_host: str = ""
    version: int = 1
    may_see: MaySee = field(default=sees_everything, eq=False, repr=False)  # what its pattern may match
    new_member_id: str = ""  # what the coordinator calls a member that came without an id (version 0)


@frozen
class ConsumerGroupDescribe:
    """What is known of these groups."""

    group_ids: tuple[str, ...]


@frozen
class ListGroups:
    """All groups, or those in one of ``states`` (Kafka's names, any case) and of one of ``types``."""

    states: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()


@frozen
class DeleteGroups:
    """Forget empty groups and their offsets."""

    group_ids: tuple[str, ...]


@frozen
class EndTransaction:
    """The producer's transaction was committed or aborted, in all groups."""

    producer_id: int
    is_commit: bool


@frozen
class TopicImage:
    """A topic as the cluster knows it; ``partition_racks`` has the racks of each partition's replicas."""

    topic_id: TopicId
    name: str
    num_partitions: int
    partition_racks: tuple[tuple[str, ...], ...] = ()


@frozen
class TopicsChanged:
    """Topics were created, grown, deleted or made again: all there are now, by name."""

    topics: Mapping[str, TopicImage] = field(factory=dict)


@frozen
class ConfigsChanged:
    """The coordinator's settings changed, or what some group was given for itself: all there is now.

    ``groups`` has whole numbers by the keys of ``group_configs``, by group id.
    """

    settings: CoordinatorSettings
    groups: Mapping[str, Mapping[str, int]] = field(factory=dict)


@frozen
class OffsetDelete:
    """Forget what is committed for these partitions."""

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
