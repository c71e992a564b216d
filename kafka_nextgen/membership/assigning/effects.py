"""All effects of the assigning machine. Its driver carries them out in order."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.assignors.spec import AssignmentSpec, MemberAssignment
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.effects import FindCoordinator

__all__ = [
    "AssigningEffect",
    "CallOnAssignment",
    "Compute",
    "SendInstall",
    "SendPrepare",
    "TellFailure",
    "TellInstalled",
]


@frozen
class SendPrepare:
    """Send a ConsumerGroupPrepareAssignment and wait until ``deadline``; answer with Prepared, Refused or Lost."""

    number: int
    member_id: str
    member_epoch: int
    deadline: float


@frozen
class Compute:
    """Run this assignor in the background; answer with Computed or ComputationFailed."""

    number: int
    assignor: str
    spec: AssignmentSpec


@frozen
class SendInstall:
    """Send a ConsumerGroupInstallAssignment and wait until ``deadline``; answer with Installed, Refused or Lost.

    With a ``message``, the reason why the assignor failed, the request reports the failure and installs nothing.
    """

    number: int
    member_id: str
    member_epoch: int
    group_epoch: int
    deadline: float
    error: int
    members: Mapping[str, MemberAssignment]
    message: str | None = None


@frozen
class TellInstalled:
    """Note that the coordinator accepted the target assignment, so the member can request its share."""


@frozen
class CallOnAssignment:
    """Call the assignor's ``on_assignment`` in ``poll``, with the target of a new epoch."""

    assignor: str
    error: int
    assignment: MemberAssignment
    group: ConsumerGroupMetadata


@frozen
class TellFailure:
    """The next poll raises this: the group's assignment could not be made.

    Without an ``assignor``, the coordinator reported the failure, and ``why`` names the assignor. Otherwise this
    member's ``assignor`` failed: ``why`` follows its name, and ``computation`` is the failed computation, if any.
    """

    why: str
    assignor: str | None = None
    computation: int | None = None


AssigningEffect = SendPrepare | Compute | SendInstall | TellInstalled | CallOnAssignment | TellFailure | FindCoordinator
