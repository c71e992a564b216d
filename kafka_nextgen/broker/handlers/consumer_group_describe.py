"""ConsumerGroupDescribe: groups of the consumer group protocol, with members and assignments (KIP-848).

Fields that Apache Kafka never shipped are for clients that speak the extensions. A client that may not describe one of
the group's assigned topics may not see the group.
"""

from __future__ import annotations

from kafka_nextgen.bridge.consumer_group_describe import from_request
from kafka_nextgen.bridge.extensions.consumer_group_describe import to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.acl_types import ResourceType
from kafka_nextgen.broker.security.rights import DESCRIBE_GROUP, DESCRIBE_TOPIC
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import ConsumerGroupDescribe
from kafka_nextgen.coordinator.responses import ConsumerGroupDescribed, DescribedGroup
from kafka_nextgen.wire.messages import ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse

__all__ = ["handle"]


async def handle(request: ConsumerGroupDescribeRequest, context: Context) -> ConsumerGroupDescribeResponse:
    """Describe the groups in the order they were asked for."""
    groups = tuple(_describe(group_id, context) for group_id in from_request(request).group_ids)
    described, topics = ConsumerGroupDescribed(groups), context.cluster.directory()
    response = to_response(described, topics, with_extensions=context.speaks_extensions)
    if not request.include_authorized_operations:
        return response
    return response.replaced(groups=[_with_operations(group, context) for group in response.groups])


def _with_operations(
    group: ConsumerGroupDescribeResponse.DescribedGroup, context: Context
) -> ConsumerGroupDescribeResponse.DescribedGroup:
    if group.error_code != ErrorCode.NONE:
        return group
    return group.replaced(authorized_operations=context.access.operations(ResourceType.GROUP, group.group_id))


def _describe(group_id: str, context: Context) -> DescribedGroup:
    if error := context.consumer_group_error(DESCRIBE_GROUP, group_id):
        return DescribedGroup(group_id, error)
    described = context.cluster.groups.ask(ConsumerGroupDescribe((group_id,)), ConsumerGroupDescribed).groups[0]
    if all(context.may(DESCRIBE_TOPIC, name) for name in _assigned_topics(described, context)):
        return described
    return DescribedGroup(
        group_id,
        DESCRIBE_TOPIC.error,
        "The group has described topic(s) that the client is not authorized to describe.",
    )


def _assigned_topics(group: DescribedGroup, context: Context) -> set[str]:
    assigned = {tp.topic_id for member in group.members for tp in member.assignment | member.target}
    topics = (context.cluster.topics.with_id(topic_id) for topic_id in assigned)
    return {topic.name for topic in topics if topic is not None}
