"""The status of a member in its group, and the phase of its current reconciliation."""

from __future__ import annotations

from enum import Enum

__all__ = ["CALLBACK_RUNS", "NEEDS_POLL", "Phase", "Status"]


class Status(Enum):
    """The status of the member in its group (KIP-848, "Client-side rebalance logic"; Kafka's MemberState)."""

    UNSUBSCRIBED = "unsubscribed"  # not in a group, and not subscribed
    JOINING = "joining"  # sends heartbeats with epoch 0 until the coordinator admits it by assigning an epoch
    RECONCILING = "reconciling"  # moves to its target: commits, revokes, assigns
    ACKNOWLEDGING = "acknowledging"  # owns its target; waits for the response to the heartbeat that reports it
    STABLE = "stable"  # owns exactly its target, and the coordinator has confirmed it
    FENCED = "fenced"  # removed from the group; joins again once the application was notified of its lost partitions
    PREPARE_LEAVING = "prepare_leaving"  # about to leave: commits and revokes first
    LEAVING = "leaving"  # sends the leave heartbeat, or waits for its response
    STALE = "stale"  # left because the application stopped polling; joins again at the next poll
    FATAL = "fatal"  # the coordinator will never accept this member; nothing more is sent


class Phase(Enum):
    """The step of a reconciliation or of leaving that the member is waiting for."""

    IDLE = "idle"  # no step in progress
    RESOLVING = "resolving"  # waits for the names of topic ids
    WAITING_FOR_POLL = "waiting_for_poll"  # waits for the application to poll before it begins
    COMMITTING = "committing"  # waits for the commit of the processed offsets
    REVOKING = "revoking"  # waits for on_partitions_revoked
    ASSIGNING = "assigning"  # waits for on_partitions_assigned
    LOSING = "losing"  # waits for on_partitions_lost
    FAILED = "failed"  # on_partitions_assigned raised: it is called again when the application polls


#: The phases in which a callback of a reconciliation is running.
CALLBACK_RUNS = frozenset({Phase.REVOKING, Phase.ASSIGNING})

#: The phases in which the member waits for the application to poll.
NEEDS_POLL = frozenset({Phase.WAITING_FOR_POLL, Phase.FAILED})
