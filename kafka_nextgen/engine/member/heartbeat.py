"""Sends one ConsumerGroupHeartbeat, whose outcome becomes an event for the member."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.member.coordinator_requests import LEAVE_CONNECT_TIMEOUT_S, supports_history
from kafka_nextgen.errors import BrokerError, DecodeError, TransportError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.requests.consumer_group_heartbeat import NoPatternsError, to_event
from kafka_nextgen.requests.extensions.consumer_group_heartbeat import to_heard, to_may_get, to_request
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator
from kafka_nextgen.types import JoinReason, StandbyState, TopicIdPartition
from kafka_nextgen.wire.apis import (
    CONSUMER_GROUP_HEARTBEAT,
    CONSUMER_GROUP_INSTALL_ASSIGNMENT,
    MissingExtensionError,
)
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatResponse
from kafka_nextgen.wire.schema import Message

if TYPE_CHECKING:  # modules that few members need are imported on demand
    from kafka_nextgen.membership.assigning.events import HeartbeatHeard

__all__ = ["UNSUPPORTED_ASSIGNORS", "HeartbeatResult", "send_heartbeat"]

logger = logger_of("kafka_nextgen.member")


#: Why a member with local assignors can't join a group of this cluster, and what to do about it.
UNSUPPORTED_ASSIGNORS = (
    "with the consumer group protocol this cluster computes assignments itself, like every release of Apache Kafka, so "
    "group.local.assignors can't be used here: set group.remote.assignor to one of the cluster's assignors instead, or "
    "group.protocol=classic, where the same PartitionAssignor runs on the group's leader"
)
_STANDBYS_ELSEWHERE = (
    ". For standbys, use either HotStandby with group.protocol=classic or, with a coordinator that has extensions, the "
    "group's configuration key group.target.size"
)


@frozen
class HeartbeatResult:
    """The outcome of a heartbeat for the member and, if it succeeded, for its local assignors.

    ``standby_place`` is 1 for the standby that takes over first, 0 for an active member. ``may_get`` are the partitions
    of the active members, if the answer contains them, as it does for a standby.
    """

    event: ev.HeartbeatAnswered | ev.HeartbeatRefused | ev.HeartbeatLost
    for_assignors: HeartbeatHeard | None = None
    standby_place: int = 0
    may_get: frozenset[TopicIdPartition] | None = None


async def send_heartbeat(
    cluster: ClusterClient,
    group_id: str,
    effect: SendHeartbeat,
    own_member_id: str,
    timeout_s: float,
    on_sending: Callable[[], None] = lambda: None,
    has_assignors: bool = False,
) -> HeartbeatResult:
    """Send a heartbeat to the group's coordinator and wait at most ``timeout_s`` seconds.

    An answer that can't be decoded or violates the protocol counts as lost, like a heartbeat whose authentication
    failed, because the credentials may become valid before the session times out. ``own_member_id`` is the id that the
    member generated. ``on_sending`` is called just before the heartbeat is sent. The answer's fields for assignors are
    read only if the member ``has_assignors``. Raises ``NoPatternsError`` if the broker's API version has no field for a
    pattern.
    """

    stated, state = JoinReason.UNKNOWN, StandbyState.UNKNOWN

    def build(version: int) -> Message:
        message = to_request(effect, group_id, version, own_member_id, join_reason=stated, standby_state=state)
        on_sending()
        return message

    try:
        has_tags = effect.join_reason or effect.standby_state
        if has_tags and await supports_history(cluster, group_id, CONSUMER_GROUP_HEARTBEAT, timeout_s):
            stated, state = effect.join_reason, effect.standby_state
        answer = await cluster.call(
            Coordinator(group_id),
            CONSUMER_GROUP_HEARTBEAT,
            build,
            timeout_s,
            also_requires=CONSUMER_GROUP_INSTALL_ASSIGNMENT if effect.client_assignors else None,
            connect_timeout_s=LEAVE_CONNECT_TIMEOUT_S if effect.member_epoch < 0 else inf,
        )
        assert isinstance(answer, ConsumerGroupHeartbeatResponse)
        return _heard(effect, answer, has_assignors)
    except NoPatternsError:
        raise
    except MissingExtensionError:
        return HeartbeatResult(ev.HeartbeatRefused(effect.number, ErrorCode.UNSUPPORTED_ASSIGNOR, _unsupported(effect)))
    except BrokerError as refused:  # raised before it was sent: unsupported API, or not authorized
        return HeartbeatResult(ev.HeartbeatRefused(effect.number, refused.code, str(refused)))
    except (TransportError, DecodeError) as lost:
        logger.warning("group %s: heartbeat lost: %s", group_id, lost)
        return HeartbeatResult(ev.HeartbeatLost(effect.number, str(lost)))


def _unsupported(effect: SendHeartbeat) -> str:
    from kafka_nextgen.assignors.hot_standby import HotStandby

    names = {assignor.name for assignor in effect.client_assignors or ()}
    return UNSUPPORTED_ASSIGNORS + (_STANDBYS_ELSEWHERE if HotStandby.name in names else "")


def _heard(effect: SendHeartbeat, answer: ConsumerGroupHeartbeatResponse, has_assignors: bool) -> HeartbeatResult:
    event = to_event(effect.number, answer)
    is_in = isinstance(event, ev.HeartbeatAnswered) and event.member_epoch > 0
    if not is_in:
        return HeartbeatResult(event)
    for_assignors = to_heard(answer) if has_assignors else None
    return HeartbeatResult(event, for_assignors, answer.standby_place, to_may_get(answer))
