"""DescribeGroups and ConsumerGroupDescribe: groups of either protocol, with members and assignments (KIP-848).

Fields that Apache Kafka never shipped are for clients that speak the extensions. A client that may not describe one of
the assigned topics of a consumer group may not see the group.
"""

from __future__ import annotations

from typing import TypeVar

from kafka_nextgen.bridge.consumer_group_describe import from_request as from_consumer_request
from kafka_nextgen.bridge.describe_groups import from_request as from_classic_request
from kafka_nextgen.bridge.extensions.consumer_group_describe import to_response as to_consumer_response
from kafka_nextgen.bridge.extensions.describe_groups import to_response as to_classic_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.acl_types import ResourceType
from kafka_nextgen.broker.security.rights import DESCRIBE_GROUP, DESCRIBE_TOPIC
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.requests import DescribeGroups
from kafka_nextgen.coordinator.classic.responses import DescribedClassicGroup, GroupsDescribed
from kafka_nextgen.coordinator.requests import ConsumerGroupDescribe
from kafka_nextgen.coordinator.responses import ConsumerGroupDescribed, DescribedGroup
from kafka_nextgen.wire.messages import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)

__all__ = ["consumer_group_describe", "describe_groups"]

_Group = TypeVar("_Group", DescribeGroupsResponse.DescribedGroup, ConsumerGroupDescribeResponse.DescribedGroup)


async def describe_groups(request: DescribeGroupsRequest, context: Context) -> DescribeGroupsResponse:
    """Describe classic groups, in the order of the request."""
    groups = tuple(_classic_group(group_id, context) for group_id in from_classic_request(request).group_ids)
    response = to_classic_response(GroupsDescribed(groups), context.version, with_extensions=context.speaks_extensions)
    if not request.include_authorized_operations:
        return response
    return response.replaced(groups=[_with_operations(group, context) for group in response.groups])


async def consumer_group_describe(
    request: ConsumerGroupDescribeRequest, context: Context
) -> ConsumerGroupDescribeResponse:
    """Describe groups of the consumer group protocol, in the order of the request."""
    groups = tuple(_consumer_group(group_id, context) for group_id in from_consumer_request(request).group_ids)
    described, topics = ConsumerGroupDescribed(groups), context.cluster.directory()
    response = to_consumer_response(described, topics, with_extensions=context.speaks_extensions)
    if not request.include_authorized_operations:
        return response
    return response.replaced(groups=[_with_operations(group, context) for group in response.groups])


def _with_operations(group: _Group, context: Context) -> _Group:
    if group.error_code != ErrorCode.NONE:
        return group
    return group.replaced(authorized_operations=context.access.operations(ResourceType.GROUP, group.group_id))


def _classic_group(group_id: str, context: Context) -> DescribedClassicGroup:
    if error := context.group_error(DESCRIBE_GROUP, group_id):
        return DescribedClassicGroup(group_id, error, state="")
    return context.cluster.groups.ask(DescribeGroups((group_id,)), GroupsDescribed).groups[0]


def _consumer_group(group_id: str, context: Context) -> DescribedGroup:
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
