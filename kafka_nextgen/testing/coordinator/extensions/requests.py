"""The requests that only a coordinator with extensions serves: one class each, named like the API.
``AddMembers``, which administrators make, is in ``groups``.

Names and fields of the first two are KIP-848's ("ConsumerGroupPrepareAssignment API", "ConsumerGroupInstallAssignment
API"). No release of Kafka has them.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.assignors.spec import MemberAssignment
from kafka_nextgen.groups.extension_requests import ExtensionRequest
from kafka_nextgen.groups.extensions.history import HistoryDescribed
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentInstalled, AssignmentPrepared

__all__ = [
    "DescribeHistory",
    "InstallAssignment",
    "PrepareAssignment",
]


@frozen
class PrepareAssignment(ExtensionRequest):
    """The computing member fetches the group."""

    response = AssignmentPrepared

    member_id: str
    member_epoch: int


@frozen
class InstallAssignment(ExtensionRequest):
    """The computing member's assignment for the group at ``group_epoch``.

    ``error`` is the assignor's error code for the members, 0 for none; only an assignment with an error may leave out
    partitions. ``message`` is the reason why the assignor failed; then no assignment is installed. ``flaw`` describes
    an error in the assignment that ``members`` can't represent, such as a member given twice; it is worded to follow
    "the assignor".
    """

    response = AssignmentInstalled

    member_id: str
    member_epoch: int
    group_epoch: int
    error: int = 0
    members: Mapping[str, MemberAssignment] = field(factory=dict)
    message: str | None = None
    flaw: str | None = None


@frozen
class DescribeHistory(ExtensionRequest):
    """Describe the recorded rebalances of a group."""

    response = HistoryDescribed
