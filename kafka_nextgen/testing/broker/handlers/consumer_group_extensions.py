"""The APIs that Apache Kafka never shipped: client-side assignment (KIP-848), members announced before they join
or leave, and history of groups.

A client that may READ a group receives the names of all topics that its members subscribe to, since hidden topics could
not be assigned. Groups of both protocols have a history; the other APIs are about groups of the consumer group
protocol.
"""

from __future__ import annotations

from kafka_nextgen.groups.extensions.adding import MembersAdded
from kafka_nextgen.groups.extensions.history import HistoryDescribed
from kafka_nextgen.groups.extensions.leaving import LeavingAnnounced
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentInstalled, AssignmentPrepared
from kafka_nextgen.testing.messages.extensions import consumer_group_add_members as add_members
from kafka_nextgen.testing.messages.extensions import consumer_group_announce_leaving as announce_leaving
from kafka_nextgen.testing.messages.extensions import consumer_group_history as history
from kafka_nextgen.testing.messages.extensions import consumer_group_install_assignment as install_assignment
from kafka_nextgen.testing.messages.extensions import consumer_group_prepare_assignment as prepare_assignment
from kafka_nextgen.wire import messages as m

__all__ = [
    "consumer_group_add_members",
    "consumer_group_announce_leaving",
    "consumer_group_history",
    "consumer_group_install_assignment",
    "consumer_group_prepare_assignment",
]


async def consumer_group_add_members(
    request: m.ConsumerGroupAddMembersRequest, context: Context
) -> m.ConsumerGroupAddMembersResponse:
    """Reserve slots for static members that are about to join."""
    asked = add_members.from_request(request)
    return add_members.to_response(context.ask_consumer_group(Right.READ_GROUP, asked, MembersAdded))


async def consumer_group_announce_leaving(
    request: m.ConsumerGroupAnnounceLeavingRequest, context: Context
) -> m.ConsumerGroupAnnounceLeavingResponse:
    """Announce members that are about to leave."""
    asked = announce_leaving.from_request(request)
    return announce_leaving.to_response(context.ask_consumer_group(Right.READ_GROUP, asked, LeavingAnnounced))


async def consumer_group_history(
    request: m.ConsumerGroupHistoryRequest, context: Context
) -> m.ConsumerGroupHistoryResponse:
    """Return the rebalances that the group's coordinator remembers, with their reasons."""
    asked = history.from_request(request)
    return history.to_response(context.ask_group(Right.DESCRIBE_GROUP, asked, HistoryDescribed))


async def consumer_group_install_assignment(
    request: m.ConsumerGroupInstallAssignmentRequest, context: Context
) -> m.ConsumerGroupInstallAssignmentResponse:
    """Install the assignment that a member computed."""
    asked = install_assignment.from_request(request)
    return install_assignment.to_response(context.ask_consumer_group(Right.READ_GROUP, asked, AssignmentInstalled))


async def consumer_group_prepare_assignment(
    request: m.ConsumerGroupPrepareAssignmentRequest, context: Context
) -> m.ConsumerGroupPrepareAssignmentResponse:
    """Return the members and topics of the group to the member that computes the assignment."""
    asked = prepare_assignment.from_request(request)
    return prepare_assignment.to_response(context.ask_consumer_group(Right.READ_GROUP, asked, AssignmentPrepared))
