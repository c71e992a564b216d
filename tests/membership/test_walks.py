"""Random walks of one member through everything that can happen to it; see ``world`` for what is checked."""

from __future__ import annotations

from hypothesis import Phase as HypothesisPhase
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.events import Closed, HeartbeatRefused, Subscribed, TopicsResolved, Unsubscribed
from kafka_nextgen.membership.states import Status
from kafka_nextgen.types import LeaveMode
from tests.membership.fake_coordinator import Partitions
from tests.membership.world import World
from tests.membership.writing import NAMES, partitions
from tests.support.examples import examples

ALL = sorted(partitions("orders[0-2] audit[0-1]"))
SOME = st.frozensets(st.sampled_from(ALL))
PASSING = (
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.FENCED_MEMBER_EPOCH,
    ErrorCode.UNKNOWN_MEMBER_ID,
)
MAYBE_ERROR = st.sampled_from([None, None, None, "it raised"])


class Walk(RuleBasedStateMachine):
    @initialize(auto_commit=st.booleans(), instance_id=st.sampled_from([None, "here"]), wanted=SOME)
    def begin(self, auto_commit: bool, instance_id: str | None, wanted: Partitions) -> None:
        self.world = World.make(auto_commit=auto_commit, instance_id=instance_id)
        self.world.coordinator.retarget(wanted, frozenset())
        self.wants = True
        self.world.happens(Subscribed(frozenset({"orders"})))

    # Most steps are ordinary ones, so that a walk gets far; each disturbance then meets another moment.

    @rule(rounds=st.integers(1, 3))
    def all_goes_well(self, rounds: int) -> None:
        for _ in range(rounds):
            self.one_good_round()

    @rule(wanted=SOME, others=SOME)
    def coordinator_retargets(self, wanted: Partitions, others: Partitions) -> None:
        self.world.coordinator.retarget(wanted, others)

    @rule(wanted=SOME)
    def a_rebalance_reaches_the_member(self, wanted: Partitions) -> None:
        self.world.coordinator.retarget(wanted, frozenset())
        self.world.pass_time(5.0)
        while self.world.requests:
            self.world.deliver_request()
        while self.world.replies:
            self.world.deliver_reply()

    @precondition(lambda self: self.world.requests)
    @rule()
    def request_arrives(self) -> None:
        self.world.deliver_request()

    @precondition(lambda self: self.world.replies)
    @rule()
    def reply_arrives(self) -> None:
        self.world.deliver_reply()

    @rule()
    def application_polls(self) -> None:
        self.world.poll()

    @precondition(lambda self: self.world.callbacks)
    @rule(error=MAYBE_ERROR)
    def callback_returns(self, error: str | None) -> None:
        self.world.run_callback(error)

    @precondition(lambda self: self.world.commits)
    @rule(error=MAYBE_ERROR)
    def commit_ends(self, error: str | None) -> None:
        self.world.finish_commit(error)

    @precondition(lambda self: self.world.to_resolve)
    @rule(known=st.frozensets(st.sampled_from(sorted(NAMES))))
    def names_arrive(self, known: frozenset[object]) -> None:
        self.world.to_resolve.popleft()
        self.world.happens(TopicsResolved({key: name for key, name in NAMES.items() if key in known}))

    @rule(seconds=st.sampled_from([0.05, 0.2, 1.5, 6.0]))
    def time_passes(self, seconds: float) -> None:
        self.world.pass_time(seconds)

    @precondition(lambda self: self.world.requests or self.world.replies)
    @rule(code=st.sampled_from([None, None, *PASSING]))
    def network_or_coordinator_fails(self, code: ErrorCode | None) -> None:
        queue = self.world.requests or self.world.replies
        number = queue.popleft().number
        if code is None:
            self.world.lose_heartbeat(number)
        else:
            self.world.reply(HeartbeatRefused(number, code, None))

    @rule(
        what=st.sampled_from(
            ["resubscribes", "resubscribes", "unsubscribes", "stops polling", "is expelled", "is banned"]
        )
    )
    def something_rare_happens(self, what: str) -> None:
        world = self.world
        if what == "resubscribes":
            self.wants = True
            world.happens(Subscribed(frozenset({"orders", "audit"})))
        elif what == "unsubscribes":
            self.wants = False
            world.happens(Unsubscribed())
        elif what == "stops polling":
            world.pass_time(400.0)
        elif what == "is expelled":
            world.coordinator.expel()
        elif world.requests and world.callbacks:
            number = world.requests.popleft().number
            world.reply(HeartbeatRefused(number, ErrorCode.GROUP_AUTHORIZATION_FAILED, None))

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.settle()
            self.check_end()
            self.close()

    def settle(self) -> None:
        """Faults stop: everything that can go well does."""
        for _ in range(60):
            self.one_good_round()

    def one_good_round(self) -> None:
        world = self.world
        while world.callbacks:
            world.run_callback()
        while world.commits:
            world.finish_commit()
        while world.to_resolve:
            world.to_resolve.popleft()
            world.happens(TopicsResolved(NAMES))
        while world.requests:
            world.deliver_request()
        while world.replies:
            world.deliver_reply()
        world.poll()
        world.pass_time(1.0)

    def check_end(self) -> None:
        world, member = self.world, self.world.member
        if world.failed:
            assert member.status is Status.FATAL
        elif not self.wants:
            assert member.status is Status.UNSUBSCRIBED
        else:
            self.check_converged()
        assert world.told == world.finished_with == world.applied == member.owned

    def check_converged(self) -> None:
        world, member = self.world, self.world.member
        assert member.status is Status.STABLE
        assert world.coordinator.known is not None
        assert member.state.owned == world.coordinator.target - world.coordinator.held_by_others
        assert member.member_epoch == world.coordinator.epoch == world.published_epoch
        before = world.coordinator.epoch, len(world.coordinator.asked)
        for _ in range(50):
            self.one_good_round()
        assert len(world.coordinator.asked) - before[1] <= 50 / 5 + 1, "no more than a heartbeat for each interval"

    def close(self) -> None:
        world = self.world
        world.has_left = False
        world.happens(Closed(LeaveMode.LEAVE))
        for _ in range(5):
            self.one_good_round()
        assert world.has_left
        assert not world.told
        assert not world.applied
        assert world.published_epoch == -1


TestWalks = Walk.TestCase
TestWalks.settings = settings(
    max_examples=examples(150),
    stateful_step_count=60,
    phases=[HypothesisPhase.explicit, HypothesisPhase.reuse, HypothesisPhase.generate, HypothesisPhase.shrink],
)
