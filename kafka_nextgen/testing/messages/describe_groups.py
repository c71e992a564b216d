"""DescribeGroups, versions 0 to 6, on the broker.

A group that does not exist is shown as Dead; from version 6 on it gets the error GROUP_ID_NOT_FOUND, with a message
(KIP-1043).
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.described import DescribedClassicGroup, GroupsDescribed
from kafka_nextgen.requests.describe_groups import GROUP, GroupMap
from kafka_nextgen.testing.coordinator.classic.requests import DescribeGroups
from kafka_nextgen.wire.messages import DescribeGroupsRequest, DescribeGroupsResponse

__all__ = ["from_request", "to_response"]

_WITH_MISSING_AS_ERROR = 6


def from_request(message: DescribeGroupsRequest) -> DescribeGroups:
    """Read the ids of the groups to describe, without duplicates."""
    return DescribeGroups(tuple(dict.fromkeys(message.groups)))


def to_response(answer: GroupsDescribed, version: int, groups: GroupMap = GROUP) -> DescribeGroupsResponse:
    """Write the groups."""
    shown = answer.groups
    if version < _WITH_MISSING_AS_ERROR:
        shown = tuple(_without_missing(group) for group in shown)
    return DescribeGroupsResponse(groups=[groups.to_structure(group) for group in shown])


def _without_missing(group: DescribedClassicGroup) -> DescribedClassicGroup:
    return evolve(group, error=ErrorCode.NONE) if group.error is ErrorCode.GROUP_ID_NOT_FOUND else group
