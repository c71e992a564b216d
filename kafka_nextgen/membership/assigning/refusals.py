"""What a member does about each error code of ConsumerGroupPrepareAssignment and ConsumerGroupInstallAssignment
(KIP-848, "ConsumerGroupPrepareAssignment API", "ConsumerGroupInstallAssignment API").

Any other code means that this member can't make the assignment, and the application is told.
"""

from __future__ import annotations

from enum import Enum

from kafka_nextgen.codes import ErrorCode

__all__ = ["REACTIONS", "Reaction", "reaction_to"]


class Reaction(Enum):
    """What to do about an error."""

    WAIT_FOR_EPOCH = "wait_for_epoch"  # send it again when the next heartbeat is answered
    FIND_COORDINATOR = "find_coordinator"  # then retry
    BACK_OFF = "back_off"  # retry after a pause
    STAND_DOWN = "stand_down"  # another member computes by now, or none needs to
    FAIL = "fail"  # the application is told


REACTIONS = {
    ErrorCode.STALE_MEMBER_EPOCH: Reaction.WAIT_FOR_EPOCH,
    ErrorCode.NOT_COORDINATOR: Reaction.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE: Reaction.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: Reaction.BACK_OFF,
    ErrorCode.UNKNOWN_MEMBER_ID: Reaction.STAND_DOWN,
    ErrorCode.GROUP_ID_NOT_FOUND: Reaction.STAND_DOWN,
}


def reaction_to(code: int) -> Reaction:
    """What to do about an error code."""
    return next((reaction for known, reaction in REACTIONS.items() if known == code), Reaction.FAIL)
