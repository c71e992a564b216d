"""Random walks of a classic group through everything that can happen to it; see ``world`` for what is checked."""

from __future__ import annotations

from hypothesis import Phase as HypothesisPhase
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic.effects import SendClassicHeartbeat, SendJoinGroup, SendSyncGroup
from kafka_nextgen.membership.classic.events import JoinRefused, RebalanceEnforced, SyncRefused
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.events import Closed, HeartbeatRefused, Subscribed, Unsubscribed
from kafka_nextgen.types import LeaveMode, TopicPartition
from tests.membership.classic.world import World
from tests.support.examples import examples

PLACE = st.integers(0, 2)
MAYBE_ERROR = st.sampled_from([None, None, None, "it raised"])
PASSING = (
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.UNKNOWN_MEMBER_ID,
    ErrorCode.REBALANCE_IN_PROGRESS,
)
SUBSCRIPTIONS = (
    Subscribed(frozenset({"orders"})),
    Subscribed(frozenset({"orders", "audit"})),
    Subscribed(frozenset(), ".*"),
)


#: Those of a whole group; "mine" is the application's own.
STRATEGIES = (
    ("range",),
    ("roundrobin",),
    ("cooperative-sticky",),
    ("range", "roundrobin"),
    ("mine",),
    ("mine", "range"),
)


class Walk(RuleBasedStateMachine):
    @initialize(
        strategies=st.sampled_from(STRATEGIES),
        auto_commit=st.booleans(),
        instances=st.tuples(*[st.sampled_from([None, name]) for name in "abc"]),
    )
    def begin(self, strategies: tuple[str, ...], auto_commit: bool, instances: tuple[str | None, ...]) -> None:
        own = {"mine"} & {*strategies}
        common = {"strategies": strategies, "local_assignors": frozenset(own), "auto_commit": auto_commit}
        self.world = World.make(*({**common, "instance_id": instance} for instance in instances))
        self.wants: dict[int, Subscribed] = {}
        for place in range(3):
            self.world.say(place)
        self.subscribe(0, SUBSCRIPTIONS[1])

    def subscribe(self, place: int, subscription: Subscribed) -> None:
        self.wants[place] = subscription
        self.world.happens(place, subscription)

    # Most steps are ordinary ones, so that a walk gets far; each disturbance then meets another moment.

    @rule(rounds=st.integers(1, 4))
    def all_goes_well(self, rounds: int) -> None:
        for _ in range(rounds):
            self.world.one_good_round()

    @rule(place=PLACE, subscription=st.sampled_from(SUBSCRIPTIONS))
    def application_subscribes(self, place: int, subscription: Subscribed) -> None:
        self.subscribe(place, subscription)

    @rule(place=PLACE)
    def request_arrives(self, place: int) -> None:
        if self.world.clients[place].requests:
            self.world.deliver_request(place)

    @rule(place=PLACE)
    def reply_arrives(self, place: int) -> None:
        if self.world.clients[place].replies:
            self.world.deliver_reply(place)

    @rule(place=PLACE, error=MAYBE_ERROR)
    def callback_returns(self, place: int, error: str | None) -> None:
        if self.world.clients[place].callbacks:
            self.world.run_callback(place, error)

    @rule(place=PLACE, error=MAYBE_ERROR)
    def commit_ends(self, place: int, error: str | None) -> None:
        if self.world.clients[place].commits:
            self.world.finish_commit(place, error)

    @rule(place=PLACE, error=MAYBE_ERROR)
    def assignor_ends(self, place: int, error: str | None) -> None:
        if self.world.clients[place].runs:
            self.world.run_assignor(place, error)

    @rule(place=PLACE)
    def application_commits(self, place: int) -> None:
        if self.world.clients[place].published >= 0:
            self.world.commit(place)

    @rule(place=PLACE, fails=st.booleans())
    def topics_are_described(self, place: int, fails: bool) -> None:
        if self.world.clients[place].questions:
            self.world.describe(place, fails=fails)

    @rule(place=PLACE)
    def application_polls(self, place: int) -> None:
        self.world.poll(place)

    @rule(seconds=st.sampled_from([0.05, 0.2, 1.5, 4.0]))
    def time_passes(self, seconds: float) -> None:
        self.world.pass_time(seconds)

    @rule(place=PLACE, of_the_reply=st.booleans())
    def network_fails(self, place: int, of_the_reply: bool) -> None:
        client = self.world.clients[place]
        if of_the_reply and client.replies:
            self.world.lose_reply(place)
        elif client.requests:
            self.world.lose_request(place)

    @rule(place=PLACE, code=st.sampled_from(PASSING))
    def coordinator_refuses(self, place: int, code: ErrorCode) -> None:
        client = self.world.clients[place]
        if not client.requests:
            return
        request = client.requests.popleft()
        if isinstance(request, SendJoinGroup):
            self.world.happens(place, JoinRefused(request.number, code))
        elif isinstance(request, SendSyncGroup):
            self.world.happens(place, SyncRefused(request.number, code))
        elif isinstance(request, SendClassicHeartbeat):
            self.world.happens(place, HeartbeatRefused(request.number, code, None))

    @rule(
        place=PLACE,
        what=st.sampled_from(
            ["unsubscribes", "enforces", "is expelled", "topic grows", "says something else", "stops"]
        ),
    )
    def something_rare_happens(self, place: int, what: str) -> None:
        world = self.world
        if what == "unsubscribes":
            self.wants.pop(place, None)
            world.happens(place, Unsubscribed())
        elif what == "enforces":
            world.happens(place, RebalanceEnforced("wished for"))
        elif what == "is expelled":
            world.answer(world.coordinator.remove(world.clients[place].member.member_id))
        elif what == "topic grows":
            world.topics["orders"] += 1
        elif what == "says something else":
            world.say(place, b"%d" % world.now)
        else:
            world.pass_time(400.0)

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.settle()
            self.check_end()
            self.close()

    def settle(self) -> None:
        """Faults stop: everything that can go well does. Long enough for the leader to look at its topics again."""
        for _ in range(120):
            self.world.one_good_round()
        self.world.pass_time(200.0)
        for place in range(3):
            self.world.poll(place)
        self.world.pass_time(150.0)
        for _ in range(60):
            self.world.one_good_round()

    def check_end(self) -> None:
        world = self.world
        owned: list[TopicPartition] = []
        for place, client in enumerate(world.clients):
            assert not client.failed, "nothing here is fatal"
            wanted = Status.STABLE if place in self.wants else Status.UNSUBSCRIBED
            assert client.member.status is wanted
            assert client.told == client.applied == client.member.owned
            owned += client.applied
            if wanted is Status.STABLE:
                assert client.published == world.coordinator.generation
        names = {name for one in self.wants.values() for name in (world.topics if one.pattern else one.topics)}
        assert sorted(owned) == sorted(
            TopicPartition(name, number) for name in names for number in range(world.topics[name])
        )
        self.check_quiet()

    def check_quiet(self) -> None:
        generation = self.world.coordinator.generation
        for _ in range(20):
            self.world.one_good_round()
        assert self.world.coordinator.generation == generation, "a group that has settled stays as it is"

    def close(self) -> None:
        for place in range(3):
            self.world.clients[place].has_left = False
            self.world.happens(place, Closed(LeaveMode.LEAVE))
        for _ in range(5):
            self.world.one_good_round()
        for client in self.world.clients:
            assert client.has_left
            assert not client.told
            assert not client.applied
            assert client.published == -1
        assert not self.world.coordinator.known


TestWalks = Walk.TestCase
TestWalks.settings = settings(
    max_examples=examples(100),
    stateful_step_count=60,
    phases=[HypothesisPhase.explicit, HypothesisPhase.reuse, HypothesisPhase.generate, HypothesisPhase.shrink],
)
