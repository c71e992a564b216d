"""What an event log writes of what it is told."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen import EventLog, MemberName, Rebalance, RebalanceCause, RebalanceStep, TopicPartition
from kafka_nextgen.event_log import MOST_WAITING
from kafka_nextgen.history.events import EventKind
from tests.collecting.members import Kept
from tests.engine.stage import GROUP


@pytest.fixture
def kept() -> Kept:
    return Kept()


class Read:
    """Records up to here."""

    def __init__(self, **offsets: int) -> None:
        self._offsets = {TopicPartition(topic, 0): offset for topic, offset in offsets.items()}

    def next_offsets(self) -> dict[TopicPartition, int]:
        return self._offsets


@pytest.fixture
def told_to(kept: Kept) -> EventLog:
    """A log that is told by the test what a consumer would tell it."""
    log = EventLog(kept)
    log.attached(lambda: MemberName("c", GROUP))
    return log


def rebalance(cause: RebalanceCause, **more: Any) -> Rebalance:
    member = MemberName(group_id=GROUP, member_id="m")
    return Rebalance(1, cause, 100.0, 3, more.pop("epoch_after", -1), member=member, **more)


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (RebalanceCause.CLOSED, EventKind.LEFT),
        (RebalanceCause.UNSUBSCRIBED, EventKind.LEFT),
        (RebalanceCause.POLL_TIMEOUT, EventKind.FENCED),
        (RebalanceCause.FENCED, EventKind.FENCED),
        (RebalanceCause.FAILED, EventKind.FENCED),
    ],
)
def test_how_a_member_is_out(told_to: EventLog, kept: Kept, cause: RebalanceCause, kind: EventKind) -> None:
    told_to.rebalanced(rebalance(cause))
    assert [(event.kind, event.cause, event.epoch, event.member) for event in kept.events] == [
        (kind, cause.value, 3, "m")
    ]


def test_how_far_was_read_is_forgotten_with_the_partition(told_to: EventLog, kept: Kept) -> None:
    a, b, c = (TopicPartition(topic, 0) for topic in "abc")
    told_to.received(Read(a=7, b=8, c=9), 0, 0)  # type: ignore[arg-type]
    again = {"revoked": (a, b), "assigned": (b,), "epoch_after": 4}
    told_to.rebalanced(rebalance(RebalanceCause.REASSIGNED, **again))
    told_to.rebalanced(rebalance(RebalanceCause.FENCED, lost=(a, b, c)))
    assert [(event.topic, event.offset) for event in kept.of(EventKind.LOST)] == [("a", None), ("b", 8), ("c", 9)]


def test_times_are_those_of_the_steps(told_to: EventLog, kept: Kept) -> None:
    a, b = TopicPartition("a", 0), TopicPartition("b", 0)
    steps = (
        RebalanceStep("waiting_for_poll", 100.0, 1_000),
        RebalanceStep("committing", 101.0, 200),
        RebalanceStep("revoking", 101.2, 300),
        RebalanceStep("acknowledging", 101.5, 100),
        RebalanceStep("assigning", 101.6, 400),
        RebalanceStep("acknowledging", 102.0, 500),
    )
    moves = {"revoked": (a,), "assigned": (b,), "steps": steps, "epoch_after": 4}
    told_to.rebalanced(rebalance(RebalanceCause.REASSIGNED, **moves))
    assert [(event.kind, event.at, event.ms, event.epoch) for event in kept.events] == [
        (EventKind.REVOKED, 101_500, 500, 3),
        (EventKind.ASSIGNED, 102_000, None, 4),
    ]


def test_what_a_member_without_a_group_does_is_not_told(kept: Kept) -> None:
    EventLog(kept).polled_late(0, 2)
    assert kept.events == []


def test_what_is_told_before_the_clusters_id_is_known_waits_for_it(kept: Kept) -> None:
    cluster, log = "", EventLog(kept)
    log.attached(lambda: MemberName(cluster, GROUP))
    log.polled_late(0, 2)
    log.rebalanced(rebalance(RebalanceCause.FENCED))
    assert kept.events == []
    cluster = "c"
    log.reached()
    log.rebalanced(rebalance(RebalanceCause.CLOSED))  # by the name it had before
    assert [(event.seq, event.cluster) for event in kept.events] == [(1, "c"), (2, "c"), (3, "c")]


def test_what_waits_for_a_cluster_that_is_never_reached_is_written_in_the_end(kept: Kept) -> None:
    log = EventLog(kept)
    log.attached(lambda: MemberName(group_id=GROUP))
    for _ in range(MOST_WAITING):
        log.polled_late(0, 2)
    assert kept.events == []
    log.polled_late(0, 2)
    assert [event.seq for event in kept.events] == list(range(1, MOST_WAITING + 2))
    another = Kept()
    log = EventLog(another)
    log.attached(lambda: MemberName(group_id=GROUP))
    log.polled_late(0, 2)
    log.detached(1)
    assert [(event.seq, event.cluster) for event in another.events] == [(1, "")]
