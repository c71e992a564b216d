"""What each event says of why a rebalance began, and of what went wrong in it."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.observability.classic_rebalance_rules import ClassicRebalanceRules
from kafka_nextgen.engine.observability.rebalance_rules import ConsumerRebalanceRules, error_in
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.classic import events as classic
from kafka_nextgen.types import LeaveMode


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (ev.Subscribed(frozenset({"b", "a"})), "the application subscribed to a, b"),
        (ev.Subscribed(pattern="orders-.*"), "the application subscribed to the pattern orders-.*"),
        (ev.Unsubscribed(), "the application unsubscribed"),
        (ev.Closed(LeaveMode.REMAIN), "the application closed the consumer (leave: remain)"),
        (ev.HeartbeatAnswered(1, "me", 7, 5000, None), "the coordinator told a new target at epoch 7"),
        (
            ev.HeartbeatRefused(1, ErrorCode.UNKNOWN_MEMBER_ID, None),
            "the coordinator answered a heartbeat with UNKNOWN_MEMBER_ID",
        ),
        (
            ev.HeartbeatRefused(1, ErrorCode.FENCED_MEMBER_EPOCH, "too old"),
            "the coordinator answered a heartbeat with FENCED_MEMBER_EPOCH: too old",
        ),
        (ev.HeartbeatLost(1, "disconnected"), "no heartbeat got through: disconnected"),
        (
            classic.SyncRefused(1, ErrorCode.REBALANCE_IN_PROGRESS),
            "the coordinator answered a SyncGroup with REBALANCE_IN_PROGRESS",
        ),
        (classic.RebalanceEnforced("a new disk"), "the application enforced it: a new disk"),
        (ev.Polled(), ""),
    ],
)
def test_the_reason_names_who_or_what(event: object, reason: str) -> None:
    assert ClassicRebalanceRules().reason(event) == reason
    if "classic" not in type(event).__module__:
        assert ConsumerRebalanceRules().reason(event) == reason


@pytest.mark.parametrize(
    ("event", "error"),
    [
        (ev.RevokeFinished(1, "ValueError: no"), "on_partitions_revoked raised: ValueError: no"),
        (ev.AssignFinished(1, "ValueError: no"), "on_partitions_assigned raised: ValueError: no"),
        (ev.LossFinished(1, "ValueError: no"), "on_partitions_lost raised: ValueError: no"),
        (ev.CommitFinished(1, "stale"), "the commit before it failed: stale"),
        (ev.CommitFinished(1, None), None),
        (ev.Polled(), None),
    ],
)
def test_the_error_names_what_failed(event: object, error: str | None) -> None:
    assert error_in(event) == error
