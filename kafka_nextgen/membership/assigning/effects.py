"""Everything the assigning machine can ask of its driver, which carries effects out in the order they come. Closed."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from kafka_nextgen.assignors.spec import AssignmentSpec, MemberAssignment
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
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
    """Send a ConsumerGroupPrepareAssignment, wait until ``deadline``; answer with Prepared, Refused or Lost."""

    number: int
    member_id: str
    member_epoch: int
    deadline: float


@frozen
class Compute:
    """Let this assignor assign the group, where nothing else has to wait for it; answer with Computed or
    ComputationFailed.
    """

    number: int
    assignor: str
    spec: AssignmentSpec


@frozen
class SendInstall:
    """Send a ConsumerGroupInstallAssignment, wait until ``deadline``; answer with Installed, Refused or Lost.

    Nothing of it is to be installed if it has a ``message``: that is why the assignor failed.
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
    """The coordinator took the target: the member may ask for its share of it."""


@frozen
class CallOnAssignment:
    """Run the assignor's ``on_assignment`` where the application polls: this is the final target of a new epoch."""

    assignor: str
    error: int
    assignment: MemberAssignment
    group: ConsumerGroupMetadata


@frozen
class TellFailure:
    """The next poll raises this: the group's assignment could not be made.

    Without an ``assignor`` it is the coordinator's word, which tells whose it was; else ``why`` is read after the name
    of this member's, and ``computation`` is the one that failed, if one did.
    """

    why: str
    assignor: str | None = None
    computation: int | None = None


AssigningEffect = SendPrepare | Compute | SendInstall | TellInstalled | CallOnAssignment | TellFailure | FindCoordinator
