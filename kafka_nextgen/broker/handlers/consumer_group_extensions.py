"""The APIs that Apache Kafka never shipped: client-side assignment (KIP-848), reserved places, and history of groups.

A client that may READ a group is told the names of all topics that its members subscribe to: hidden topics could not
be assigned. Groups of both protocols have a history; the other APIs are about groups of the consumer group protocol.
"""

from __future__ import annotations

from kafka_nextgen.bridge.extensions import consumer_group_add_members as add_members
from kafka_nextgen.bridge.extensions import consumer_group_history as history
from kafka_nextgen.bridge.extensions import consumer_group_install_assignment as install_assignment
from kafka_nextgen.bridge.extensions import consumer_group_prepare_assignment as prepare_assignment
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DESCRIBE_GROUP, READ_GROUP
from kafka_nextgen.coordinator.extensions.responses import (
    AssignmentInstalled,
    AssignmentPrepared,
    HistoryDescribed,
    MembersAdded,
)
from kafka_nextgen.wire.messages import (
    ConsumerGroupAddMembersRequest,
    ConsumerGroupAddMembersResponse,
    ConsumerGroupHistoryRequest,
    ConsumerGroupHistoryResponse,
    ConsumerGroupInstallAssignmentRequest,
    ConsumerGroupInstallAssignmentResponse,
    ConsumerGroupPrepareAssignmentRequest,
    ConsumerGroupPrepareAssignmentResponse,
)

__all__ = [
    "consumer_group_add_members",
    "consumer_group_history",
    "consumer_group_install_assignment",
    "consumer_group_prepare_assignment",
]


async def consumer_group_add_members(
    request: ConsumerGroupAddMembersRequest, context: Context
) -> ConsumerGroupAddMembersResponse:
    """Reserve places for static members that are about to join."""
    if error := context.consumer_group_error(READ_GROUP, request.group_id):
        return add_members.to_response(MembersAdded(error))
    return add_members.to_response(context.cluster.groups.ask(add_members.from_request(request), MembersAdded))


async def consumer_group_history(
    request: ConsumerGroupHistoryRequest, context: Context
) -> ConsumerGroupHistoryResponse:
    """Return the rebalances that the group's coordinator remembers, with their reasons."""
    if error := context.group_error(DESCRIBE_GROUP, request.group_id):
        return history.to_response(HistoryDescribed(error))
    return history.to_response(context.cluster.groups.ask(history.from_request(request), HistoryDescribed))


async def consumer_group_install_assignment(
    request: ConsumerGroupInstallAssignmentRequest, context: Context
) -> ConsumerGroupInstallAssignmentResponse:
    """Put the assignment in force that a member computed."""
    if error := context.consumer_group_error(READ_GROUP, request.group_id):
        return install_assignment.to_response(AssignmentInstalled(error))
    answer = context.cluster.groups.ask(install_assignment.from_request(request), AssignmentInstalled)
    return install_assignment.to_response(answer)


async def consumer_group_prepare_assignment(
    request: ConsumerGroupPrepareAssignmentRequest, context: Context
) -> ConsumerGroupPrepareAssignmentResponse:
    """Return the members and topics of the group to the member that computes the assignment."""
    if error := context.consumer_group_error(READ_GROUP, request.group_id):
        return prepare_assignment.to_response(AssignmentPrepared(error))
    answer = context.cluster.groups.ask(prepare_assignment.from_request(request), AssignmentPrepared)
    return prepare_assignment.to_response(answer)
