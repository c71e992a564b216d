"""What a member went through, read off its events: why, which epochs, what came and went, which phase took how long."""

from __future__ import annotations

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.observability.classic_rebalance_rules import ClassicRebalanceRules
from kafka_nextgen.engine.observability.rebalance import Rebalance, RebalanceCause
from kafka_nextgen.engine.observability.rebalance_history import RebalanceHistory
from kafka_nextgen.engine.observability.rebalance_rules import ConsumerRebalanceRules, error_in
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.any_member import LeaveReason, Leaving
from kafka_nextgen.membership.classic import events as classic
from kafka_nextgen.membership.classic.state import ClassicState
from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from kafka_nextgen.membership.effects import Effect, SendHeartbeat
from kafka_nextgen.membership.member import Member
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.types import LeaveMode, TopicId, TopicIdPartition, TopicPartition

ORDERS = TopicId(int=1)
WALL_S = 1_800_000_000.0


def orders(*numbers: int) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition("orders", number) for number in numbers)


class Story:
    """A member, its history, and whoever drives both."""

    def __init__(self) -> None:
        self.member = Member(MemberSettings("billing", auto_commit=False), "me")
        self.history = RebalanceHistory(ConsumerRebalanceRules())
        self.now = 0.0
        self.numbers: dict[str, int] = {}

    def tell(self, event: ev.Event, after_s: float = 0.0) -> None:
        self.now += after_s
        before = self.member.state
        effects = self.member.handle(event, self.now, 0.5)
        self.history.watch(event, before, self.member.state, effects, self.now, WALL_S + self.now)
        self._remember(effects)

    def _remember(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            if hasattr(effect, "number"):
                kind = "heartbeat" if isinstance(effect, SendHeartbeat) else "callback"
                self.numbers[kind] = effect.number

    def answered(self, epoch: int, *numbers: int, after_s: float = 0.0) -> None:
        target = frozenset(TopicIdPartition(ORDERS, number) for number in numbers)
        self.tell(ev.HeartbeatAnswered(self.numbers["heartbeat"], "me", epoch, 5000, target), after_s)

    @property
    def last(self) -> Rebalance:
        return self.history.rebalances()[-1]


def joined(epoch: int, *numbers: int, history: RebalanceHistory | None = None) -> Story:
    """The story of a member that got these partitions when it joined."""
    story = Story()
    story.history = history or story.history
    story.tell(ev.Subscribed(frozenset({"orders"})))
    story.answered(epoch, *numbers)
    story.tell(ev.TopicsResolved({ORDERS: "orders"}), after_s=0.010)
    story.tell(ev.AssignFinished(story.numbers["callback"], None), after_s=0.020)
    story.answered(epoch, *numbers, after_s=0.005)
    return story


def test_joining_is_the_first_rebalance() -> None:
    story = joined(3, 0, 1)
    assert story.last.cause is RebalanceCause.JOINED
    assert (story.last.epoch_before, story.last.epoch_after) == (-1, 3)
    assert story.last.assigned == orders(0, 1)
    assert {name: round(spent) for name, spent in story.last.phases_ms.items()} == {
        "resolving": 10,
        "assigning": 20,
        "acknowledging": 5,
    }
    assert round(story.last.duration_ms) == 35
    assert story.last.began_at == WALL_S
    assert (
        story.last.reason
        == "the coordinator announced a new target at epoch 3, after the application subscribed to orders"
    )


def test_a_new_target_tells_what_went_what_stayed_and_what_was_waited_for() -> None:
    story = joined(3, 0, 1)
    story.tell(ev.TimePassed(), after_s=5)
    assert story.history.since_s(story.now) == 0
    story.answered(3, 0)
    assert story.history.since_s(story.now + 7) == 7
    story.tell(ev.Polled(), after_s=0.100)
    story.tell(ev.RevokeFinished(story.numbers["callback"], None), after_s=0.050)
    story.tell(ev.AssignFinished(story.numbers["callback"], None))
    story.answered(4, 0, after_s=0.001)
    assert story.last.cause is RebalanceCause.REASSIGNED
    assert (story.last.revoked, story.last.kept, story.last.assigned) == (orders(1), orders(0), ())
    assert round(story.last.phases_ms["waiting_for_poll"]) == 100
    assert round(story.last.phases_ms["revoking"]) == 50
    assert (story.last.epoch_before, story.last.epoch_after) == (3, 4)
    assert str(story.last).startswith(
        "rebalance 2: reassigned, epoch 3 -> 4: revoked orders[1], kept orders[0] in 151 ms"
    )


def test_being_fenced_tells_what_was_lost() -> None:
    story = joined(3, 0, 1)
    story.tell(ev.TimePassed(), after_s=5)
    story.tell(ev.HeartbeatRefused(story.numbers["heartbeat"], 110, "fenced"))
    story.tell(ev.LossFinished(story.numbers["callback"], None), after_s=0.5)
    assert (story.last.cause, story.last.lost, story.last.kept) == (RebalanceCause.FENCED, orders(0, 1), ())
    assert round(story.last.phases_ms["losing"]) == 500
    assert story.last.reason == "the coordinator answered a heartbeat with FENCED_MEMBER_EPOCH: fenced"
    assert "; the coordinator answered a heartbeat with FENCED" in str(story.last)


def test_closing_ends_outside_the_group() -> None:
    story = joined(3, 0)
    story.tell(ev.Closed())
    story.tell(ev.RevokeFinished(story.numbers["callback"], None))
    story.tell(ev.HeartbeatAnswered(story.numbers["heartbeat"], "me", -1, 0, None), after_s=0.003)
    assert (story.last.cause, story.last.revoked, story.last.epoch_after) == (RebalanceCause.CLOSED, orders(0), -1)
    assert round(story.last.phases_ms["leaving"]) == 3


def test_a_member_that_is_put_out_while_it_leaves_has_given_up_everything_by_then() -> None:
    story = joined(3, 0)
    story.tell(ev.Closed())
    story.tell(ev.TimePassed(), after_s=5)
    story.tell(ev.HeartbeatRefused(story.numbers["heartbeat"], ErrorCode.UNKNOWN_MEMBER_ID, None), after_s=1)
    assert (story.last.cause, story.last.revoked, story.last.epoch_after) == (RebalanceCause.CLOSED, orders(0), -1)
    assert round(story.last.duration_ms) == 6000
    before = story.history.rebalances()
    story.tell(ev.RevokeFinished(story.numbers["callback"], None), after_s=9)
    assert story.history.rebalances() == before


def test_in_a_classic_group_only_a_member_without_an_id_is_out_while_its_callback_runs() -> None:
    leaving = ClassicState(
        status=ClassicStatus.PREPARE_LEAVING, phase=Phase.REVOKING, waits_for=1, leaving=Leaving(LeaveReason.CLOSED)
    )
    assert ClassicRebalanceRules().is_over(leaving)
    assert not ClassicRebalanceRules().is_over(evolve(leaving, member_id="me"))


def test_stopping_to_poll_has_a_cause_of_its_own() -> None:
    story = joined(3, 0)
    story.tell(ev.TimePassed(), after_s=301)
    story.tell(ev.LossFinished(story.numbers["callback"], None))
    story.tell(ev.HeartbeatAnswered(story.numbers["heartbeat"], "me", -1, 0, None))
    assert (story.last.cause, story.last.lost) == (RebalanceCause.POLL_TIMEOUT, orders(0))
    assert story.last.reason == "the application did not poll within max.poll.interval.ms"


def test_what_the_application_asked_for_before_a_new_target_is_told() -> None:
    story = joined(3, 0, 1)
    story.tell(ev.Subscribed(frozenset({"orders", "audit"})), after_s=5)
    story.answered(4, 0)
    story.tell(ev.Polled())
    assert story.history.reason.endswith("at epoch 4, after the application subscribed to audit, orders")
    story.tell(ev.RevokeFinished(story.numbers["callback"], None))
    story.tell(ev.AssignFinished(story.numbers["callback"], None))
    story.answered(4, 0)
    assert story.history.reason == ""
    story.tell(ev.TimePassed(), after_s=5)
    story.answered(5, 0, 1)
    story.tell(ev.Polled())
    assert story.history.reason == "the coordinator announced a new target at epoch 5"


def test_a_callback_that_raises_is_told_when_the_rebalance_ends() -> None:
    story = joined(3, 0, 1)
    story.tell(ev.TimePassed(), after_s=5)
    story.answered(3, 0)
    story.tell(ev.Polled())
    story.tell(ev.RevokeFinished(story.numbers["callback"], "ValueError: no"))
    story.tell(ev.HeartbeatRefused(story.numbers.get("heartbeat", 0), 110, "fenced"))
    story.tell(ev.TimePassed(), after_s=5)
    story.tell(ev.HeartbeatRefused(story.numbers["heartbeat"], 110, "fenced"))
    told = [rebalance for rebalance in story.history.rebalances() if rebalance.error]
    assert [rebalance.error for rebalance in told] == ["on_partitions_revoked raised: ValueError: no"]


def test_what_a_callback_raised_at_is_assigned_once() -> None:
    story = Story()
    story.tell(ev.Subscribed(frozenset({"orders"})))
    story.answered(3, 0, 1)
    story.tell(ev.TopicsResolved({ORDERS: "orders"}))
    story.tell(ev.AssignFinished(story.numbers["callback"], "ValueError: no"))
    story.tell(ev.Polled(), after_s=1)
    story.tell(ev.AssignFinished(story.numbers["callback"], None))
    story.answered(3, 0, 1)
    assert (story.last.assigned, story.last.error) == (orders(0, 1), "on_partitions_assigned raised: ValueError: no")
    assert round(story.last.phases_ms["failed"]) == 1000


def test_only_the_last_rebalances_are_kept() -> None:
    history = RebalanceHistory(ConsumerRebalanceRules(), size=2)
    story = joined(1, 0, history=history)
    for epoch in range(2, 5):
        story.tell(ev.TimePassed(), after_s=5)
        story.answered(epoch, *range(epoch))
        story.tell(ev.AssignFinished(story.numbers["callback"], None))
        story.answered(epoch, *range(epoch))
    assert [rebalance.number for rebalance in history.rebalances()] == [3, 4]


# ---- the words


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (ev.Subscribed(frozenset({"b", "a"})), "the application subscribed to a, b"),
        (ev.Subscribed(pattern="orders-.*"), "the application subscribed to the pattern orders-.*"),
        (ev.Unsubscribed(), "the application unsubscribed"),
        (ev.Closed(LeaveMode.REMAIN), "the application closed the consumer (leave: remain)"),
        (ev.HeartbeatAnswered(1, "me", 7, 5000, None), "the coordinator announced a new target at epoch 7"),
        (
            ev.HeartbeatRefused(1, ErrorCode.UNKNOWN_MEMBER_ID, None),
            "the coordinator answered a heartbeat with UNKNOWN_MEMBER_ID",
        ),
        (
            ev.HeartbeatRefused(1, ErrorCode.FENCED_MEMBER_EPOCH, "too old"),
            "the coordinator answered a heartbeat with FENCED_MEMBER_EPOCH: too old",
        ),
        (ev.HeartbeatLost(1, "disconnected"), "a heartbeat got no response: disconnected"),
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
        (ev.CommitFinished(1, "stale"), "the commit of the processed offsets failed: stale"),
        (ev.CommitFinished(1, None), None),
        (ev.Polled(), None),
    ],
)
def test_the_error_names_what_failed(event: object, error: str | None) -> None:
    assert error_in(event) == error
