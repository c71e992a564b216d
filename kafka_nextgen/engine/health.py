"""How a consumer is, for probes and dashboards: nothing here touches the network, so it can be asked at any time.

A consumer has a problem if it never reached a broker, if its coordinator refused it for good or has not answered a
heartbeat for longer than a request may take, if the topic of a partition was deleted and the partition not yet taken
away, or if a partition is stalled: it should bring records, or at least the news that there are none, and
its leader has not answered for longer than a fetch may take. Partitions assigned by hand that do not exist are a
problem, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import frozen

from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["Health", "assess"]


@frozen
class Health:
    """The state of a consumer at one moment; ``problem`` says what is wrong, None if nothing is.

    Who assigned partitions by hand is in no group: ``status`` is UNSUBSCRIBED then, and that is well.
    ``since_heartbeat_s`` is None before the first answer. ``silence_s`` has the seconds since each active partition
    was last heard of; paused ones are left out. ``stalled`` are those silent for too long. ``gone`` are those whose
    topic was deleted, even if there is another one of that name.
    """

    status: Status | ClassicStatus
    phase: Phase
    member_id: str
    member_epoch: int
    since_heartbeat_s: float | None
    silence_s: Mapping[TopicPartition, float]
    stalled: tuple[TopicPartition, ...]
    gone: tuple[TopicPartition, ...]
    problem: str | None


_CALLBACK_PROBLEMS = {
    Phase.FAILED: "on_partitions_assigned raised: poll() calls it again, and until it returns nothing new is read",
    Phase.STUCK: "on_partitions_revoked raised: the coordinator removes this member when its rebalance timeout is over",
}


def assess(
    status: Status | ClassicStatus,
    phase: Phase,
    member_id: str,
    member_epoch: int,
    since_heartbeat_s: float | None,
    silence_s: Mapping[TopicPartition, float],
    gone: Collection[TopicPartition],
    unreachable: str | None,
    patience_s: float,
) -> Health:
    """Judge what is known; ``patience_s`` is how long (seconds) an answer may take before it counts as missing."""
    stalled = tuple(sorted(tp for tp, silent_s in silence_s.items() if silent_s > patience_s))
    problem = unreachable
    if problem is None and status in (Status.FATAL, ClassicStatus.FATAL):
        problem = "the coordinator refused this member for good; poll() says why"
    if problem is None:
        problem = _CALLBACK_PROBLEMS.get(phase)
    if problem is None and since_heartbeat_s is not None and since_heartbeat_s > patience_s and member_epoch >= 0:
        problem = f"no heartbeat was answered for {since_heartbeat_s:.0f} s"
    if problem is None and gone:
        problem = f"{format_partitions(gone)}: the topic was deleted; nothing is read of it"
    if problem is None and stalled:
        problem = f"{format_partitions(stalled)} not heard of for {max(silence_s[tp] for tp in stalled):.0f} s"
    return Health(
        status, phase, member_id, member_epoch, since_heartbeat_s, silence_s, stalled, tuple(sorted(gone)), problem
    )
