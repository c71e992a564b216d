"""ConsumerGroupHeartbeat: join a group, stay in it, leave it (KIP-848, "ConsumerGroupHeartbeat API").

In version 0 a member may join without an id; it gets one here. Tagged fields that Apache Kafka never shipped are for
clients that support the extensions.

Topics that the member may not describe are an error if it subscribes to them by name; its pattern does not match them.
"""

from __future__ import annotations

from functools import partial
from uuid import uuid4

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.messages.extensions.consumer_group_heartbeat import from_request, to_response
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse

__all__ = ["handle"]


async def handle(request: ConsumerGroupHeartbeatRequest, context: Context) -> ConsumerGroupHeartbeatResponse:
    """Pass the heartbeat to the coordinator."""
    if refused := _refusal(request, context):
        return to_response(ConsumerGroupHeartbeatAnswer(error=refused))
    extended = context.speaks_extensions
    heartbeat = from_request(request, context.client_id, context.client_host, str(uuid4()), with_extensions=extended)
    if context.cluster.security.authorizer is not None:
        heartbeat = evolve(heartbeat, may_see=partial(context.may, Right.DESCRIBE_TOPIC))
    answer = context.cluster.groups.ask(heartbeat, ConsumerGroupHeartbeatAnswer)
    return to_response(answer, with_extensions=extended)


def _refusal(request: ConsumerGroupHeartbeatRequest, context: Context) -> ErrorCode | None:
    if not context.has_consumer_protocol:
        return ErrorCode.UNSUPPORTED_VERSION
    if not context.may(Right.READ_GROUP, request.group_id):
        return Right.READ_GROUP.error
    if not all(context.may(Right.DESCRIBE_TOPIC, name) for name in request.subscribed_topic_names or ()):
        return Right.DESCRIBE_TOPIC.error
    return None if context.coordinates(request.group_id) else ErrorCode.NOT_COORDINATOR
