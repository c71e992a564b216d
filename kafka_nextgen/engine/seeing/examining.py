"""What is known of a consumer, put together as ``Health`` where somebody asks; waits for nobody."""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.engine.member.membership import Membership
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.engine.seeing.counters import Counters
from kafka_nextgen.engine.seeing.health import Health, Limits, stalled_among
from kafka_nextgen.membership.states import Status

__all__ = ["since", "take_health"]


def take_health(
    counters: Counters, fetches: LockedFetches, membership: Membership, limits: Limits, now: float
) -> Health:
    """How a consumer is, not yet judged; ``now`` is monotonic, in seconds."""
    silence_s = fetches.silence_s(now)
    health = Health(
        status=Status.UNSUBSCRIBED,
        since_poll_s=since(counters.polls.began_at, now),
        silence_s=silence_s,
        stalled=stalled_among(silence_s, limits),
        gone=tuple(sorted(fetches.gone())),
        truncations=fetches.truncations(),
    )
    driver = membership.driver
    if driver is None:
        return health
    member, history = driver.member, driver.history
    return evolve(
        health,
        status=member.status,
        phase=member.phase,
        member_id=member.member_id,
        member_epoch=member.member_epoch,
        since_heartbeat_s=since(driver.heard_at, now),
        unanswered_s=since(counters.group.unanswered_since, now) or 0.0,
        rebalancing=history.under_way,
        rebalancing_s=history.since_s(now),
        coordinator_trouble=driver.coordinator_trouble,
        instance_id_wait_s=driver.instance_id_wait_s(now),
        missing=membership.missing.names,
        assignor_trouble=membership.assignor_trouble,
    )


def since(at: float | None, now: float) -> float | None:
    """How long ago (seconds) that was; None if it never was."""
    return None if at is None else max(0.0, now - at)
