"""DescribeGroups: classic groups, with their members, metadata and assignments."""

from __future__ import annotations

from kafka_nextgen.bridge.describe_groups import from_request
from kafka_nextgen.bridge.extensions.describe_groups import to_response
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.acl_types import ResourceType
from kafka_nextgen.broker.security.rights import DESCRIBE_GROUP
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.requests import DescribeGroups
from kafka_nextgen.coordinator.classic.responses import DescribedClassicGroup, GroupsDescribed
from kafka_nextgen.wire.messages import DescribeGroupsRequest, DescribeGroupsResponse

__all__ = ["handle"]


async def handle(request: DescribeGroupsRequest, context: Context) -> DescribeGroupsResponse:
    """Describe the groups in the order they were asked for."""
    groups = tuple(_describe(group_id, context) for group_id in from_request(request).group_ids)
    response = to_response(GroupsDescribed(groups), context.version, with_extensions=context.speaks_extensions)
    if not request.include_authorized_operations:
        return response
    return response.replaced(groups=[_with_operations(group, context) for group in response.groups])


def _with_operations(
    group: DescribeGroupsResponse.DescribedGroup, context: Context
) -> DescribeGroupsResponse.DescribedGroup:
    if group.error_code != ErrorCode.NONE:
        return group
    return group.replaced(authorized_operations=context.access.operations(ResourceType.GROUP, group.group_id))


def _describe(group_id: str, context: Context) -> DescribedClassicGroup:
    if error := context.group_error(DESCRIBE_GROUP, group_id):
        return DescribedClassicGroup(group_id, error, state="")
    return context.cluster.groups.ask(DescribeGroups((group_id,)), GroupsDescribed).groups[0]
