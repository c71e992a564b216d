"""The status of a member in its group, and the phase of its current reconciliation."""

from __future__ import annotations

from enum import Enum

__all__ = ["CALLBACK_RUNS", "NEEDS_POLL", "Phase", "Status"]


class Status(Enum):
    """The status of the member in its group (KIP-848, "Client-side rebalance logic"; Kafka's MemberState)."""

    UNSUBSCRIBED = "unsubscribed"  # not in a group, and not asked to be
    JOINING = "joining"  # heartbeats with epoch 0 until the coordinator answers with an epoch
    RECONCILING = "reconciling"  # a target was received that differs from what is owned
    ACKNOWLEDGING = "acknowledging"  # the target is in force here; a heartbeat that says so is to be answered
    STABLE = "stable"  # owns exactly what the coordinator last told, and the coordinator knows it
    FENCED = "fenced"  # thrown out; loses its partitions and joins again once the application knows
    PREPARE_LEAVING = "prepare_leaving"  # about to leave: commits and revokes first
    LEAVING = "leaving"  # the leave heartbeat is to be sent, or on its way
    STALE = "stale"  # left because the application stopped polling; joins again at the next poll
    FATAL = "fatal"  # the coordinator will never take this member; nothing is sent any more


class Phase(Enum):
    """The step of a reconciliation, or of a leave, that the member waits for."""

    IDLE = "idle"  # nothing under way
    RESOLVING = "resolving"  # waits for the names of topic ids
    WAITING_FOR_POLL = "waiting_for_poll"  # may not begin before the application polls
    COMMITTING = "committing"  # waits for the commit of what was consumed
    REVOKING = "revoking"  # waits for on_partitions_revoked
    ASSIGNING = "assigning"  # waits for on_partitions_assigned
    LOSING = "losing"  # waits for on_partitions_lost
    FAILED = "failed"  # on_partitions_assigned raised: it is called again when the application polls


#: The phases in which a callback of a reconciliation is running.
CALLBACK_RUNS = frozenset({Phase.REVOKING, Phase.ASSIGNING})

#: The phases in which the member waits for the application to poll.
NEEDS_POLL = frozenset({Phase.WAITING_FOR_POLL, Phase.FAILED})
