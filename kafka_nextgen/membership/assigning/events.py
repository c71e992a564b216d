"""Everything that can happen to a member that has assignors of its own. This list is closed.

The machine numbers its requests and computations; what completes any that it does not wait for is late. A computation
can't be stopped: one that was given up is waited for none the less, for the assignor is busy until then.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, Metadata
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
    """What the target assignment has for this member, with what others have not released yet.

    ``assignor`` is the member's own that it was made by, None if it was none of these.
    """

    partitions: frozenset[TopicIdPartition]
    assignor: str | None = None
    error: int = 0
    metadata: Metadata | None = None


@frozen
class HeartbeatHeard:
    """The coordinator answered a heartbeat: the member is in this epoch.

    ``should_compute``: this member is to compute the next assignment. ``failure``: why the last attempt at that failed,
    whoever made it. ``share`` comes with the assignment.
    """

    member_id: str
    member_epoch: int
    should_compute: bool = False
    failure: str | None = None
    share: TargetShare | None = None


@frozen
class Prepared:
    """The coordinator answered request ``number`` with the group as it is at ``group_epoch``, and who is to assign."""

    number: int
    group_epoch: int
    assignor: str
    spec: AssignmentSpec


@frozen
class Installed:
    """The coordinator took what request ``number`` brought."""

    number: int


@frozen
class Refused:
    """The coordinator answered request ``number`` with an error code."""

    number: int
    code: int
    message: str | None


@frozen
class Lost:
    """No answer to request ``number`` will come, or none that can be read."""

    number: int
    reason: str


@frozen
class Computed:
    """The assignor has done computation ``number``, and what it made is an assignment of the group."""

    number: int
    assignment: GroupAssignment


@frozen
class ComputationFailed:
    """The assignor raised at computation ``number``, or made what is no assignment of the group."""

    number: int
    why: str


@frozen
class MembershipEnded:
    """The member has left its group, or was thrown out: whatever it was told to do there is not its business now."""


@frozen
class TimePassed:
    """The machine's deadline was reached."""


AssigningEvent = (
    HeartbeatHeard | Prepared | Installed | Refused | Lost | Computed | ComputationFailed | MembershipEnded | TimePassed
)
