"""FindCoordinator, ListGroups, DescribeGroups, ConsumerGroupDescribe and DeleteGroups (KIP-848, KIP-518, KIP-229).

FindCoordinator returns the node that coordinates a group or a transactional id; from version 4 on it takes several keys
(KIP-699). There are no share groups here (KIP-932): requests for their coordinators are invalid.

Fields that Apache Kafka never shipped are for clients that support the extensions. A client that may not describe one
of the assigned topics of a consumer group may not see the group.
"""

from __future__ import annotations

from typing import TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.described import ConsumerGroupDescribed, DescribedGroup, GroupsDescribed
from kafka_nextgen.groups.listed import GroupsDeleted, GroupsListed
from kafka_nextgen.requests.find_coordinator import GROUP, TRANSACTION, FoundCoordinator
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.security.acls import ResourceType, Right
from kafka_nextgen.testing.coordinator.classic.requests import DescribeGroups
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupDescribe, DeleteGroups
from kafka_nextgen.testing.messages import consumer_group_describe as consumer_messages
from kafka_nextgen.testing.messages import delete_groups as delete_messages
from kafka_nextgen.testing.messages import describe_groups as classic_messages
from kafka_nextgen.testing.messages import find_coordinator as coordinator_messages
from kafka_nextgen.testing.messages import list_groups as list_messages
from kafka_nextgen.testing.messages.extensions.consumer_group_describe import to_response as to_consumer_response
from kafka_nextgen.testing.messages.extensions.describe_groups import to_response as to_classic_response
from kafka_nextgen.wire import messages as m

__all__ = ["consumer_group_describe", "delete_groups", "describe_groups", "find_coordinator", "list_groups"]

_Group = TypeVar("_Group", m.DescribeGroupsResponse.DescribedGroup, m.ConsumerGroupDescribeResponse.DescribedGroup)


async def find_coordinator(request: m.FindCoordinatorRequest, context: Context) -> m.FindCoordinatorResponse:
    """Find the node of each key."""
    key_type, keys = coordinator_messages.from_request(request)
    return coordinator_messages.to_response([_find(key_type, key, context) for key in keys], context.version)


async def list_groups(request: m.ListGroupsRequest, context: Context) -> m.ListGroupsResponse:
    """List the groups this node coordinates, filtered by state and type if requested.

    Clients send this request to every node. A client that may not describe the cluster sees the groups that it may
    describe.
    """
    listed = context.cluster.groups.list_groups(list_messages.from_request(request), context.node.node_id)
    may_see_all = context.may(Right.DESCRIBE_CLUSTER)
    own = tuple(group for group in listed.groups if may_see_all or context.may(Right.DESCRIBE_GROUP, group.group_id))
    return list_messages.to_response(GroupsListed(own, listed.error))


async def describe_groups(request: m.DescribeGroupsRequest, context: Context) -> m.DescribeGroupsResponse:
    """Describe classic groups, in the order of the request."""
    group_ids = classic_messages.from_request(request).group_ids
    answers = [context.ask_group(Right.DESCRIBE_GROUP, DescribeGroups((each,)), GroupsDescribed) for each in group_ids]
    described = GroupsDescribed(tuple(answer.groups[0] for answer in answers))
    response = to_classic_response(described, context.version, with_extensions=context.speaks_extensions)
    if not request.include_authorized_operations:
        return response
    return response.replaced(groups=[_with_operations(group, context) for group in response.groups])


async def consumer_group_describe(
    request: m.ConsumerGroupDescribeRequest, context: Context
) -> m.ConsumerGroupDescribeResponse:
    """Describe groups of the consumer group protocol, in the order of the request."""
    groups = (_consumer_group(group_id, context) for group_id in consumer_messages.from_request(request).group_ids)
    described, topics = ConsumerGroupDescribed(tuple(groups)), context.cluster.directory()
    response = to_consumer_response(described, topics, with_extensions=context.speaks_extensions)
    if not request.include_authorized_operations:
        return response
    return response.replaced(groups=[_with_operations(group, context) for group in response.groups])


async def delete_groups(request: m.DeleteGroupsRequest, context: Context) -> m.DeleteGroupsResponse:
    """Delete the empty groups this node coordinates, with their offsets; return a result for each."""
    group_ids = delete_messages.from_request(request).group_ids
    answers = [context.ask_group(Right.DELETE_GROUP, DeleteGroups((each,)), GroupsDeleted) for each in group_ids]
    results = {group_id: error for answer in answers for group_id, error in answer.results.items()}
    return delete_messages.to_response(GroupsDeleted(results))


def _find(key_type: int, key: str, context: Context) -> FoundCoordinator:
    if key_type not in (GROUP, TRANSACTION):
        message = "this broker coordinates groups and transactions; it has no share groups"
        return FoundCoordinator(key, error=ErrorCode.INVALID_REQUEST, message=message)
    right = Right.DESCRIBE_GROUP if key_type == GROUP else Right.DESCRIBE_TRANSACTIONAL_ID
    if not context.may(right, key):
        return FoundCoordinator(key, error=right.error, message="")
    cluster = context.cluster
    node = cluster.coordinator_of(key) if key_type == GROUP else cluster.transaction_coordinator_of(key)
    if node is None:
        message = f"no replica of the partition that stores group {key} is alive"
        return FoundCoordinator(key, error=ErrorCode.COORDINATOR_NOT_AVAILABLE, message=message)
    address = context.endpoint(node)
    return FoundCoordinator(key, node.node_id, address.host, address.port)


def _with_operations(group: _Group, context: Context) -> _Group:
    if group.error_code != ErrorCode.NONE:
        return group
    return group.replaced(authorized_operations=context.access.operations(ResourceType.GROUP, group.group_id))


def _consumer_group(group_id: str, context: Context) -> DescribedGroup:
    request = ConsumerGroupDescribe((group_id,))
    (described,) = context.ask_consumer_group(Right.DESCRIBE_GROUP, request, ConsumerGroupDescribed).groups
    if all(context.may(Right.DESCRIBE_TOPIC, name) for name in _assigned_topics(described, context)):
        return described
    return DescribedGroup(
        group_id,
        Right.DESCRIBE_TOPIC.error,
        "The group has described topic(s) that the client is not authorized to describe.",
    )


def _assigned_topics(group: DescribedGroup, context: Context) -> set[str]:
    assigned = {tp.topic_id for member in group.members for tp in member.assignment | member.target}
    topics = (context.cluster.topics.with_id(topic_id) for topic_id in assigned)
    return {topic.name for topic in topics if topic is not None}
