"""DescribeGroups, on the broker, with the members expected to join and to leave from version 5 on."""

from __future__ import annotations

from kafka_nextgen.groups.described import GroupsDescribed
from kafka_nextgen.requests.extensions.describe_groups import GROUP_WITH_EXPECTED
from kafka_nextgen.testing.messages import describe_groups as plain
from kafka_nextgen.wire.messages import DescribeGroupsResponse

__all__ = ["to_response"]

_WITH_TAGS = 5


def to_response(answer: GroupsDescribed, version: int, *, with_extensions: bool = False) -> DescribeGroupsResponse:
    """Write the groups, with tagged fields only if ``with_extensions``."""
    if with_extensions and version >= _WITH_TAGS:
        return plain.to_response(answer, version, GROUP_WITH_EXPECTED)
    return plain.to_response(answer, version)
