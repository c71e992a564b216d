"""All events of the assigning machine.

The machine numbers its requests and computations, and ignores completions that it is not waiting for. A computation
can't be stopped: the machine waits even for one that it gave up on, because the assignor is busy until it ends.
"""

from __future__ import annotations

from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, Metadata
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicIdPartition

__all__ = [
    "AssigningEvent",
    "ComputationFailed",
    "Computed",
    "HeartbeatHeard",
    "Installed",
    "Lost",
    "MembershipEnded",
    "Prepared",
    "Refused",
    "TargetShare",
    "TimePassed",
]


@frozen
class TargetShare:
    """This member's share of the target assignment, including partitions that others have not released yet.

    ``assignor`` is the client-side assignor that computed it, None if the coordinator did.
    """

    partitions: frozenset[TopicIdPartition]
    assignor: str | None = None
    error: int = 0
    metadata: Metadata | None = None


@frozen
class HeartbeatHeard:
    """The coordinator answered a heartbeat; ``member_epoch`` is the member's epoch.

    ``should_compute`` means that this member must compute the next assignment. ``failure`` is why the last attempt of
    any member failed. ``share`` is set if the response contains an assignment.
    """

    member_id: str
    member_epoch: int
    should_compute: bool = False
    failure: str | None = None
    share: TargetShare | None = None


@frozen
class Prepared:
    """The coordinator answered request ``number`` with the group at ``group_epoch`` and the chosen assignor."""

    number: int
    group_epoch: int
    assignor: str
    spec: AssignmentSpec


@frozen
class Installed:
    """The coordinator accepted request ``number``."""

    number: int


@frozen
class Refused:
    """The coordinator answered request ``number`` with an error code."""

    number: int
    code: int
    message: str | None


@frozen
class Lost:
    """Request ``number`` gets no answer, or one that can't be decoded."""

    number: int
    reason: str


@frozen
class Computed:
    """The assignor finished computation ``number`` with a valid assignment."""

    number: int
    assignment: GroupAssignment


@frozen
class ComputationFailed:
    """The assignor raised in computation ``number``, or returned an invalid assignment."""

    number: int
    why: str


@frozen
class MembershipEnded:
    """The member left its group or was removed from it."""


@frozen
class TimePassed:
    """The machine's deadline was reached."""


AssigningEvent = (
    HeartbeatHeard | Prepared | Installed | Refused | Lost | Computed | ComputationFailed | MembershipEnded | TimePassed
)
