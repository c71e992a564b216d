"""The actions of the client's state machines for the coordinator's error codes.

Each machine has a table for each of its requests. A code that is not in the table is FAIL.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from kafka_nextgen.codes import ErrorCode

__all__ = ["COORDINATOR_ACTIONS", "ErrorAction", "ErrorActions"]


class ErrorAction(Enum):
    """What to do about an error."""

    RETRY = "retry"  # after the backoff
    FIND_COORDINATOR = "find_coordinator"  # find the coordinator, then try again
    RETRY_WITH_NEW_EPOCH = "retry_with_new_epoch"  # after the next heartbeat response
    REJOIN = "rejoin"  # join again: the group is rebalancing
    RESET_EPOCH = "reset_epoch"  # fenced: lose all partitions, join again with epoch 0
    RESET_GENERATION = "reset_generation"  # lose all partitions, join again as the same member
    RESET = "reset"  # lose all partitions, join again as a new member
    WAIT_FOR_INSTANCE_ID = "wait_for_instance_id"  # try for a while, then give up
    LEAVE_OUT = "leave_out"  # continue without this partition
    STAND_DOWN = "stand_down"  # stop: another member is computing, or no computation is needed
    RAISE = "raise"  # raise from poll, keep everything, and keep retrying: someone may fix the cause
    FAIL = "fail"  # raise from poll, and stop: this request, or this member, sends nothing more


ErrorActions = Mapping[int, ErrorAction]

#: The actions that all requests share.
COORDINATOR_ACTIONS: ErrorActions = {
    ErrorCode.NOT_COORDINATOR: ErrorAction.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE: ErrorAction.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: ErrorAction.RETRY,
}
