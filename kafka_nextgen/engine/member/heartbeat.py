"""One heartbeat: sent, and whatever comes of it turned into an event for the member."""

from __future__ import annotations

import logging
from collections.abc import Callable

from kafka_nextgen.bridge import consumer_group_heartbeat as bridge
from kafka_nextgen.errors import AuthenticationError, BrokerError, DecodeError, TransportError
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT
from kafka_nextgen.wire.messages import ApiMessage, ConsumerGroupHeartbeatResponse

__all__ = ["exchange_heartbeat"]

logger = logging.getLogger("kafka_nextgen.member")


async def exchange_heartbeat(
    cluster: ClusterClient,
    group_id: str,
    effect: SendHeartbeat,
    own_member_id: str,
    timeout_s: float,
    on_sending: Callable[[], None] = lambda: None,
) -> ev.HeartbeatAnswered | ev.HeartbeatRefused | ev.HeartbeatLost:
    """Send a heartbeat to the group's coordinator, wherever that is, and wait at most ``timeout_s`` seconds.

    An answer that can't be read, or that no coordinator may give, is one that got lost. ``own_member_id`` is the id
    that the member made for itself. ``on_sending`` is told that from here on the heartbeat may arrive. Raises
    ``NoPatternsError`` if there is a pattern and the broker has none.
    """

    def build(version: int) -> ApiMessage:
        message = bridge.to_request(effect, group_id, version, own_member_id)
        on_sending()
        return message

    try:
        answer = await cluster.call(
            Coordinator(group_id),
            CONSUMER_GROUP_HEARTBEAT,
            build,
            timeout_s,
        )
        assert isinstance(answer, ConsumerGroupHeartbeatResponse)
        return bridge.to_event(effect.number, answer)
    except bridge.NoPatternsError:
        raise
    except (BrokerError, AuthenticationError) as refused:  # before it was even sent: no such API, no leave to ask
        return ev.HeartbeatRefused(effect.number, refused.code, str(refused))
    except (TransportError, DecodeError) as lost:
        logger.warning("group %s: heartbeat lost: %s", group_id, lost)
        return ev.HeartbeatLost(effect.number, str(lost))
