"""Which commits a classic group accepts (read from the top; KIP-345):

| the committer | answer |
|---|---|
| generation -1, and the group is empty | accepted: an administrator, or a consumer that assigns itself |
| generation -1, no member or instance id | UNKNOWN_MEMBER_ID: only members may commit now |
| not identified as a member | UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID |
| another generation | ILLEGAL_GENERATION |
| between the join phase and the assignment | REBALANCE_IN_PROGRESS: partitions have no known owners |
| otherwise | accepted |

Unlike in a consumer group, an accepted commit restarts the member's session timer.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.fencing import identity_error
from kafka_nextgen.coordinator.classic.group import ClassicGroup, ClassicStatus

__all__ = ["commit_error"]


def commit_error(group: ClassicGroup, generation: int, member_id: str, instance_id: str | None) -> ErrorCode:
    """Why this commit is refused, or NONE."""
    if generation < 0 and group.is_in(ClassicStatus.EMPTY):
        return ErrorCode.NONE
    if generation < 0 and not member_id and instance_id is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    error = identity_error(group, member_id, instance_id)
    if error is not ErrorCode.NONE:
        return error
    if generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    completing = group.is_in(ClassicStatus.COMPLETING_REBALANCE)
    return ErrorCode.REBALANCE_IN_PROGRESS if completing else ErrorCode.NONE
