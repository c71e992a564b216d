"""What only a coordinator with extensions can be asked. One class per request, named as its API is.

Names and fields of the first two are KIP-848's ("ConsumerGroupPrepareAssignment API", "ConsumerGroupInstallAssignment
API"), which Kafka took back before a release had them.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from kafka_nextgen.assignors.spec import MemberAssignment
from kafka_nextgen.coordinator.extensions.responses import (
    AssignmentInstalled,
    AssignmentPrepared,
    HistoryDescribed,
    MembersAdded,
)
from kafka_nextgen.coordinator.hooks import ExtensionRequest

__all__ = [
    "AddMembers",
    "DescribeHistory",
    "ExpectedMember",
    "InstallAssignment",
    "PrepareAssignment",
]


@frozen
class PrepareAssignment(ExtensionRequest):
    """The member that was told to compute the assignment asks what there is to assign."""

    response = AssignmentPrepared

    member_id: str
    member_epoch: int


@frozen
class InstallAssignment(ExtensionRequest):
    """What that member computed for the group at ``group_epoch``.

    ``error`` is the assignor's word to the members, 0 for none; only with one it may leave out partitions. There is a
    ``message`` if the assignor failed: it says why, and nothing is installed then. ``flaw`` is
    what is wrong with it and ``members`` can't hold, such as one member twice; to be read after "the assignor".
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
class ExpectedMember:
    """A static member that is to join: how long its place is kept at most, and what is so if it does not say otherwise.

    Timeouts of -1 are not stated; ``assignor`` is the server-side one it is going to vote for, if any.
    """

    instance_id: str
    session_timeout_ms: int = -1
    rebalance_timeout_ms: int = -1
    assignor: str | None = None


@frozen
class AddMembers(ExtensionRequest):
    """These instances are about to join: the group rebalances when all of them have, or in ``timeout_ms`` from now.

    With 0 these instances are expected no more, or none at all if none is named.
    """

    response = MembersAdded

    members: tuple[ExpectedMember, ...]
    timeout_ms: int


@frozen
class DescribeHistory(ExtensionRequest):
    """The rebalances of a group, as far back as they are kept."""

    response = HistoryDescribed
