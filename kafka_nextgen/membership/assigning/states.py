"""Where a member stands with an assignment that it was told to compute."""

from __future__ import annotations

from enum import Enum

__all__ = ["AssigningPhase"]


class AssigningPhase(Enum):
    """The step that the member waits for."""

    IDLE = "idle"  # not told to compute anything
    BLOCKED = "blocked"  # told to, while the assignor is still at work on what was given up
    PREPARING = "preparing"  # asks the coordinator for the group as it is
    COMPUTING = "computing"  # the assignor works
    INSTALLING = "installing"  # tells the coordinator what came of it
