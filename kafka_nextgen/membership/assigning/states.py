"""The phases of computing an assignment."""

from __future__ import annotations

from enum import Enum

__all__ = ["AssigningPhase"]


class AssigningPhase(Enum):
    """The step that the member waits for."""

    IDLE = "idle"  # nothing to compute
    BLOCKED = "blocked"  # told to compute while the assignor is busy with a computation that was given up
    PREPARING = "preparing"  # asks the coordinator for the state of the group
    COMPUTING = "computing"  # the assignor runs
    INSTALLING = "installing"  # sends the result to the coordinator
