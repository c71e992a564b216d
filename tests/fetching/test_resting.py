"""Answers and plans that leave most partitions alone have the result of those that visit all."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from attrs import evolve
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import KafkaNextgenError, TopicAuthorizationError
from kafka_nextgen.fetching import (
    Arrival,
    DecodedPartition,
    Fetch,
    FetchSettings,
    FetchState,
    Need,
    NeedCommittedOffset,
    NeedEpochEnds,
    NeedMetadata,
    NeedOffsetReset,
    SessionAnswer,
)
from kafka_nextgen.fetching.replicas import ReadReplica
from kafka_nextgen.fetching.resting import Resting
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.cluster_image import PartitionInfo, TopicInfo
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd
from kafka_nextgen.types import OffsetAndMetadata, OffsetRange, TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.nodes import Node, tell
from tests.fetching.visiting_all import answer_both_ways, context_of, copy_of, plan_both_ways, sets_are_complete
from tests.fetching.world import World, bring, cluster, columns, listed, steady, take_steady
from tests.support.examples import examples

PARTITIONS = [TopicPartition("orders", number) for number in range(14)]
LEADERS = {tp: 1 if tp.partition < 8 else 2 for tp in PARTITIONS}
ONE = st.sampled_from(PARTITIONS)
SOME = st.sets(ONE, max_size=3)

Outcome = Callable[[TopicPartition, int], DecodedPartition]


def records(count: int) -> Outcome:
    return lambda tp, offset: bring(columns(tp, offset, count))


def failed(code: int) -> Outcome:
    return lambda tp, offset: DecodedPartition(tp, code)


#: What may come of a partition; records are the most common.
OUTCOMES: list[Outcome] = [
    records(1),
    records(1),
    records(2),
    records(30),
    records(200),
    lambda tp, offset: bring(Columns(tp, offset + 1)),  # a control batch
    lambda tp, offset: DecodedPartition(tp, columns=Columns(tp, offset), high_watermark=offset, preferred_replica=2),
    lambda tp, offset: DecodedPartition(tp, diverging=EpochEnd(4, max(0, offset - 1))),
    lambda tp, offset: bring(Columns(tp, offset, truncated=True)),
    failed(ErrorCode.NOT_LEADER_OR_FOLLOWER),
    failed(ErrorCode.UNKNOWN_SERVER_ERROR),
    failed(ErrorCode.OFFSET_OUT_OF_RANGE),
    failed(ErrorCode.TOPIC_AUTHORIZATION_FAILED),
]


def assign_anew(state: FetchState, which: set[TopicPartition]) -> None:
    state.assign(PARTITIONS, which)
    state.release(which)


def stop_and_assign(state: FetchState, which: set[TopicPartition]) -> None:
    state.stop(which)
    state.assign(PARTITIONS, [])


def seek(state: FetchState, which: set[TopicPartition]) -> None:
    for tp in which:
        state.seek(tp, 3)


CHANGES: list[Callable[[FetchState, set[TopicPartition]], None]] = [
    FetchState.pause,
    FetchState.resume,
    stop_and_assign,
    assign_anew,
    seek,
]

#: What an answer brings.
BROUGHT = st.dictionaries(ONE, st.sampled_from(OUTCOMES), max_size=3)
BROUGHT_RECORDS = st.dictionaries(ONE, st.sampled_from(OUTCOMES[:5]), max_size=3)


class Leaving(RuleBasedStateMachine):
    """Many partitions, few in each answer; each plan is compared with one that visits all."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1.0
        self.open: list[Need] = []
        self.nodes = {1: Node(slots=1), 2: Node(slots=1)}
        self.decoding: list[tuple[Fetch, list[DecodedPartition]]] = []
        self.image = cluster(LEADERS)
        self.epoch = 5

    @initialize(buffer_bytes=st.sampled_from([60_000, 600_000, 64_000_000]), is_fast=st.booleans())
    def begin_with_all(self, buffer_bytes: int, is_fast: bool) -> None:
        self.is_fast = is_fast
        self.state = FetchState(FetchSettings(reset=OffsetReset.EARLIEST, buffer_bytes=buffer_bytes))
        self.state.assign(PARTITIONS, PARTITIONS)
        self.state.release(PARTITIONS)
        for _ in range(3):
            self.plan(0.0)
            self.answer_all()
        self.plan(0.0)

    # ---- answers

    @rule(passed=st.floats(0, 1))
    def plan(self, passed: float) -> None:
        self.now += passed
        self.open += plan_both_ways(self.state, self.image, self.now).needs

    def answer_all(self) -> None:
        needs, self.open = self.open, []
        for need in needs:
            self.succeed(need, {}, is_later=False)

    @precondition(lambda self: self.open)
    @rule(which=st.integers(0, 5), brought=BROUGHT, later=st.booleans())
    def answer(self, which: int, brought: dict[TopicPartition, Outcome], later: bool) -> None:
        self.succeed(self.open.pop(which % len(self.open)), brought, later)
        self.plan(0.0)

    @rule(answers=st.lists(BROUGHT_RECORDS, min_size=5, max_size=8), is_taken=st.booleans())
    def answer_with_records(self, answers: list[dict[TopicPartition, Outcome]], is_taken: bool) -> None:
        """As it goes nearly always."""
        for brought in answers:
            if not self.open:
                self.plan(1.0)  # all pauses end
            for need in self.open[:1]:
                self.open.remove(need)
                self.succeed(need, brought, is_later=False)
            if is_taken and not self.has_errors:
                self.state.handover.take(1000)
            self.plan(0.01)

    def succeed(self, need: Need, brought: dict[TopicPartition, Outcome], is_later: bool) -> None:
        results = self.state.results
        if isinstance(need, Fetch):
            self.bring(need, {tp: each for tp, each in brought.items() if tp in need.wanted}, is_later)
        elif isinstance(need, NeedCommittedOffset):
            results.committed_found(need, dict.fromkeys(need.fences, OffsetAndMetadata(0)), self.now)
        elif isinstance(need, NeedOffsetReset):
            results.reset_found(need, listed(need, 0), self.now)
        elif isinstance(need, NeedEpochEnds):
            ends = {tp: EpochEnd(each.epoch, each.offset) for tp, each in need.questions.items()}
            results.epoch_ends_found(need, ends, self.now)
        else:
            assert isinstance(need, NeedMetadata)
            results.metadata_refreshed(need, self.now)

    def bring(self, fetch: Fetch, brought: dict[TopicPartition, Outcome], is_later: bool) -> None:
        turn = self.nodes[fetch.node_id].take(fetch.session, fetch.positions)
        if isinstance(turn, ErrorCode):
            assert not self.state.results.received(fetch, SessionAnswer(turn, 0, []), {}, self.now)
            return
        found = {tp: outcome(tp, fetch.wanted[tp].offset) for tp, outcome in brought.items()}
        head = tell(turn, {tp: ErrorCode(one.error) if one.error else Columns(tp, 0) for tp, one in found.items()})
        results = [found.get(tp) or bring(Columns(tp, fetch.wanted[tp].offset)) for tp in head.partitions]
        is_later = is_later or bool(self.decoding)
        if self.is_fast and not is_later and self.is_followed(fetch, head, results):
            return
        arrivals = {
            one.partition: Arrival(one.columns.next_offset, 50, one.columns.end_epoch)
            for one in results
            if is_later and one.columns is not None and one.columns.offsets
        }

        def receive(state: FetchState, asked: Fetch) -> None:
            assert state.results.received(asked, head, arrivals, self.now)

        answer_both_ways(self.state, fetch, receive)
        self.decoding.append((fetch, results))
        if not is_later:
            self.decode()

    def is_followed(self, fetch: Fetch, head: SessionAnswer, results: list[DecodedPartition]) -> bool:
        """Take the fast path, if the state is steady and the answer plain."""
        is_plain = head.session_id == fetch.session.session_id and all(
            one.columns and one.columns.offsets and one.preferred_replica < 0 for one in results
        )
        fetches = steady(self.state, fetch, self.image) if is_plain else None
        if fetches is None or not take_steady(self.state, fetches, results, self.now):
            return False
        self.open.append(self.state.steady.end(fetches))
        return True

    @precondition(lambda self: self.decoding)
    @rule(is_wrong=st.sampled_from([False, False, True]))
    def decode(self, is_wrong: bool = False) -> None:
        """Decode what came first; where its headers said it would end may have been wrong."""
        fetch, results = self.decoding.pop(0)
        if is_wrong and results and results[0].columns is not None:
            offset = fetch.wanted[results[0].partition].offset
            results[0] = bring(Columns(results[0].partition, offset))

        def end(state: FetchState, asked: Fetch) -> None:
            state.results.fetched(asked, results, self.now)

        answer_both_ways(self.state, fetch, end)
        self.plan(0.0)

    @precondition(lambda self: self.open)
    @rule()
    def fail(self) -> None:
        self.state.results.failed(self.open.pop(), self.now)

    # ---- changes

    @rule(max_records=st.integers(1, 60), is_put_back=st.booleans())
    def take(self, max_records: int, is_put_back: bool) -> None:
        handover = self.state.handover
        has_errors = self.has_errors
        try:
            parts = handover.take(max_records)
        except KafkaNextgenError:
            parts = None
        assert (parts is None) == has_errors
        if parts and is_put_back:
            for tp in {part.partition for part in parts}:
                handover.put_back([part for part in parts if part.partition == tp])
        handover.mark_consumed()
        for state in self.state.by_partition.values():
            assert state.position is None or state.consumed == state.position

    @rule(what=st.sampled_from(CHANGES), which=SOME)
    def change(self, what: Callable[[FetchState, set[TopicPartition]], None], which: set[TopicPartition]) -> None:
        what(self.state, which)
        self.plan(0.0)

    @rule(tp=ONE, leader=st.sampled_from([1, 2]), is_elected=st.booleans())
    def change_leader(self, tp: TopicPartition, leader: int, is_elected: bool) -> None:
        self.epoch += is_elected
        self.image = cluster({**LEADERS, tp: leader}, epoch=self.epoch)

    @property
    def has_errors(self) -> bool:
        return any(one.error is not None and one.may_hand_over for one in self.state.by_partition.values())

    @invariant()
    def all_is_as_if_all_were_visited(self) -> None:
        sets_are_complete(context_of(self.state))
        other = copy_of(self.state)
        context_of(other).wake_all()
        assert self.state.planning.silence_s(self.now) == other.planning.silence_s(self.now)
        assert self.state.progress() == other.progress()


Leaving.TestCase.settings = settings(max_examples=examples(150), stateful_step_count=25)
TestLeaving = Leaving.TestCase


def test_nothing_rests_if_the_only_partition_is_paused_while_it_is_fetched(world: World) -> None:
    (tp, *_) = PARTITIONS
    world.start(tp)
    fetch = world.fetch()
    world.receive(fetch, SessionAnswer(0, 7, [tp]))
    world.state.results.fetched(fetch, [bring(Columns(tp, 0))], world.now)
    fetch = world.fetch()
    world.state.pause([tp])
    assert world.plan() == []
    world.receive(fetch, SessionAnswer(0, 7, []))
    assert world.plan() == []
    world.state.resume([tp])
    assert world.fetch().session.told == (), "the session still has it"


# ---- one by one


SESSION = 7
P0, P1, P8 = PARTITIONS[0], PARTITIONS[1], PARTITIONS[8]


@pytest.fixture
def reading() -> World:
    """Twelve partitions of two nodes, each with a session, and a fetch in flight from each."""
    world = World(FetchState(FetchSettings(buffer_bytes=100_000)), cluster(LEADERS))
    world.start(*PARTITIONS[:12])
    for fetch in fetches(world).values():
        answer(world, fetch, *(bring(Columns(tp, 0)) for tp in fetch.wanted))
    return world


def fetches(world: World) -> dict[int, Fetch]:
    """Plan; the fetches, by node."""
    plan = plan_both_ways(world.state, world.image, world.now)
    return {need.node_id: need for need in plan.needs if isinstance(need, Fetch)}


def receive(world: World, fetch: Fetch, *results: DecodedPartition) -> None:
    world.receive(fetch, SessionAnswer(0, SESSION, [one.partition for one in results]), {})


def answer(world: World, fetch: Fetch, *results: DecodedPartition) -> None:
    receive(world, fetch, *results)
    world.state.results.fetched(fetch, results, world.now)


def test_a_partition_that_fails_is_silent_since_the_last_answer_that_left_it_out(reading: World) -> None:
    world, fetch = reading, fetches(reading)[1]
    world.now += 3
    answer(world, fetch)
    fetch = fetches(world)[1]
    world.now += 5
    answer(world, fetch, DecodedPartition(P0, ErrorCode.UNKNOWN_SERVER_ERROR))
    assert fetches(world)
    silent = world.state.planning.silence_s(world.now)
    assert (silent[P0], silent[P1]) == (5, 0)


def test_a_resting_partition_whose_records_were_put_back_has_no_room(reading: World) -> None:
    world, fetch = reading, fetches(reading)[1]
    answer(world, fetch, bring(columns(P0, 0, 200)))
    fetch = fetches(world)[1]
    share_bytes = context_of(world.state).share_bytes
    taken = world.state.handover.take(200)
    answer(world, fetch, bring(columns(P0, 200, 200)))
    fetch = fetches(world)[1]
    assert P0 in fetch.wanted
    assert world.state.progress().buffered_bytes < share_bytes
    world.state.handover.put_back(taken)
    assert world.state.progress().buffered_bytes > share_bytes
    answer(world, fetch)
    assert P0 not in fetches(world)[1].wanted


def test_two_nodes_that_were_answered_are_asked_in_the_order_of_all_their_partitions(reading: World) -> None:
    first, second = fetches(reading).values()
    answer(reading, first)
    answer(reading, second, bring(columns(P8, 0, 1)))
    assert list(fetches(reading)) == [1, 2]


def test_records_of_a_paused_partition_that_leave_no_room_are_dropped() -> None:
    world = World(FetchState(FetchSettings(buffer_bytes=100_000)), cluster(LEADERS))
    world.start(*PARTITIONS[:8])
    answer(world, fetches(world)[1], *(bring(Columns(tp, 0)) for tp in PARTITIONS[:8]))
    fetch = fetches(world)[1]
    world.state.pause([P0])
    assert not fetches(world)
    answer(world, fetch, bring(columns(P0, 0, 3_200)))
    assert world.state.progress().buffered_bytes > 93_750
    assert fetches(world)[1].wanted.keys() == set(PARTITIONS[1:8])
    assert world.state.progress().buffered_bytes == 0


def test_an_error_is_noticed_at_once(reading: World) -> None:
    world, fetch = reading, fetches(reading)[1]
    assert not world.state.handover.has_records()
    answer(world, fetch, DecodedPartition(P0, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
    assert world.state.handover.has_records()
    with pytest.raises(TopicAuthorizationError):
        world.take()
    assert not world.state.handover.has_records()


def test_a_control_batch_counts_as_processed_with_the_next_poll(reading: World) -> None:
    world, fetch = reading, fetches(reading)[1]
    world.state.handover.mark_consumed()
    answer(world, fetch, bring(Columns(P0, 1)))
    world.state.handover.mark_consumed()
    assert world.state.handover.consumed_offsets()[P0].offset == 1


def test_the_leader_of_a_paused_partition_is_looked_up_when_that_is_allowed_again(reading: World) -> None:
    world = reading
    first, second = fetches(world).values()
    world.state.pause([P0, P8])
    assert not fetches(world)
    answer(world, first, DecodedPartition(P0, ErrorCode.NOT_LEADER_OR_FOLLOWER))
    (metadata,) = [need for need in world.plan() if isinstance(need, NeedMetadata)]
    world.state.results.metadata_refreshed(metadata, world.now)
    assert not fetches(world)
    answer(world, second, DecodedPartition(P8, ErrorCode.NOT_LEADER_OR_FOLLOWER))
    assert set(fetches(world)) == {2}, "not so soon after the last one"
    world.now += 1
    plan = plan_both_ways(world.state, world.image, world.now)
    assert [need.fences.keys() for need in plan.needs if isinstance(need, NeedMetadata)] == [{P8}]


def test_a_fetch_of_a_partition_with_an_end_says_so_each_time(reading: World) -> None:
    world, fetch = reading, fetches(reading)[1]
    world.state.assign(PARTITIONS[:12], [P0], ranges={P0: OffsetRange(0, 50)})
    world.state.release([P0])
    answer(world, fetch)
    for _ in range(3):
        fetch = fetches(world)[1]
        assert fetch.has_ends
        answer(world, fetch, *(bring(Columns(tp, 0)) for tp in [P0] if fetch.session.told))


def test_the_rack_is_withheld_until_the_lease_ends_although_answers_omit_the_partition(reading: World) -> None:
    world, fetch = reading, fetches(reading)[1]
    world.state.by_partition[P0].replica = ReadReplica(withholds_rack_until=world.now + 60)  # redirected too often
    answer(world, fetch)
    for passed in (20, 20):
        fetch = fetches(world)[1]
        assert not fetch.sends_rack
        world.now += passed
        answer(world, fetch)
    world.now += 20
    assert fetches(world)[1].sends_rack


def test_a_fetch_names_a_topic_that_joins_resting_partitions(reading: World) -> None:
    world, fetch, other = reading, fetches(reading)[1], TopicPartition("others", 0)
    topic = TopicInfo("others", UUID(int=2), partitions={0: PartitionInfo(1, 5, (1, 2), ())})
    world.image = evolve(world.image, topics_by_name={**world.image.topics_by_name, "others": topic})
    world.assign(*PARTITIONS[:12], other)
    world.find_committed({other: OffsetAndMetadata(0)})
    assert not fetches(world)
    answer(world, fetch)
    fetch = fetches(world)[1]
    assert other in fetch.wanted
    assert fetch.names[UUID(int=2)] == "others"


# ---- what wakes them


@pytest.fixture
def resting(reading: World) -> tuple[World, Fetch]:
    """The same, a while later: an answer of node 1 has omitted all of its partitions, which rest in the next fetch."""
    fetch = fetches(reading)[1]
    reading.now += 3
    answer(reading, fetch)
    fetch = fetches(reading)[1]
    assert context_of(reading.state).underway.nodes[1].resting
    reading.now += 1
    return reading, fetch


#: All calls that are neither answers to a fetch nor plans, with arguments by which they change as little as possible.
LEAST_CHANGES: dict[str, Callable[[World, Fetch], object]] = {
    "assign": lambda world, _: world.state.assign(PARTITIONS[:12], []),
    "release": lambda world, _: world.state.release([]),
    "stop": lambda world, _: world.state.stop([]),
    "seek": lambda world, _: world.state.seek(P8, 0),
    "seek_to": lambda world, _: world.state.seek_to([], OffsetReset.EARLIEST),
    "pause": lambda world, _: world.state.pause([]),
    "resume": lambda world, _: world.state.resume([]),
    "committed_found": lambda world, _: world.state.results.committed_found(NeedCommittedOffset({}), {}, world.now),
    "reset_found": lambda world, _: world.state.results.reset_found(NeedOffsetReset(1, {}, {}, {}), {}, world.now),
    "epoch_ends_found": lambda world, _: world.state.results.epoch_ends_found(NeedEpochEnds(1, {}, {}), {}, world.now),
    "metadata_refreshed": lambda world, _: world.state.results.metadata_refreshed(
        NeedMetadata(frozenset(), {}), world.now
    ),
    "failed": lambda world, fetch: world.state.results.failed(fetch, world.now),
    "a new image": lambda world, _: world.state.planning.plan(cluster(LEADERS), world.now),
}


@pytest.mark.parametrize("change", LEAST_CHANGES.values(), ids=LEAST_CHANGES)
def test_each_change_wakes_all(resting: tuple[World, Fetch], change: Callable[[World, Fetch], object]) -> None:
    world, fetch = resting
    change(world, fetch)
    assert not any(node.resting for node in context_of(world.state).underway.nodes.values())
    assert world.state.by_partition[P1].silent_since == world.now - 1, "the time of the answer that omitted it"


def test_a_partition_that_is_released_is_fetched(resting: tuple[World, Fetch]) -> None:
    world, fetch = resting
    world.state.assign(PARTITIONS[:13], PARTITIONS[12:13])
    world.find_committed({PARTITIONS[12]: OffsetAndMetadata(0)})
    assert not fetches(world), "its callback has not returned"
    world.state.release(PARTITIONS[12:13])
    answer(world, fetch)
    assert PARTITIONS[12] in {tp for each in fetches(world).values() for tp in each.wanted}


@pytest.mark.parametrize("change", [FetchState.stop, FetchState.pause])
def test_a_partition_that_is_revoked_or_paused_is_forgotten(
    resting: tuple[World, Fetch], change: Callable[[FetchState, list[TopicPartition]], None]
) -> None:
    world, fetch = resting
    change(world.state, [P0])
    answer(world, fetch)
    fetch = fetches(world)[1]
    assert P0 not in fetch.wanted
    assert [each.partition for each in fetch.session.forgotten] == [P0]


def test_a_partition_that_is_paused_and_resumed_within_a_fetch_rests_again(resting: tuple[World, Fetch]) -> None:
    world, fetch = resting
    world.state.pause([P0])
    world.state.resume([P0])
    assert not fetches(world)
    answer(world, fetch)
    assert fetches(world)[1].session.told == ()
    assert not world.state.by_partition[P0].is_new_there


def test_a_partition_with_another_leader_is_fetched_from_it_alone(resting: tuple[World, Fetch]) -> None:
    world, fetch = resting
    world.image = cluster({**LEADERS, P0: 2})
    answer(world, fetch)
    found = fetches(world)
    assert P0 not in found[1].wanted
    assert P0 in found[2].wanted


def test_a_partition_whose_leader_has_another_epoch_is_validated(resting: tuple[World, Fetch]) -> None:
    world, fetch = resting
    answer(world, fetch, *(bring(columns(tp, 0, 1)) for tp in PARTITIONS[:8]))
    fetch = fetches(world)[1]
    answer(world, fetch)
    fetch = fetches(world)[1]
    world.image = cluster(LEADERS, epoch=6)
    answer(world, fetch)
    (need,) = plan_both_ways(world.state, world.image, world.now).needs
    assert isinstance(need, NeedEpochEnds)
    assert need.questions.keys() == set(PARTITIONS[:8])


def test_nothing_is_fetched_from_a_node_that_has_left_the_cluster(resting: tuple[World, Fetch]) -> None:
    world, fetch = resting
    world.image = evolve(world.image, brokers={2: world.image.brokers[2]})
    answer(world, fetch)
    (need,) = plan_both_ways(world.state, world.image, world.now).needs
    assert isinstance(need, NeedMetadata)
    assert need.fences.keys() == set(PARTITIONS[:8])


def test_partitions_of_a_topic_that_was_deleted_are_fetched_no_more(resting: tuple[World, Fetch]) -> None:
    world, fetch = resting
    (topic,) = world.image.topics_by_name.values()
    gone = evolve(topic, error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    world.image = evolve(world.image, topics_by_name={"orders": gone})
    assert not fetches(world)
    answer(world, fetch)
    assert not fetches(world)


def refuse(world: World, fetch: Fetch) -> None:
    assert not world.receive(fetch, SessionAnswer(ErrorCode.FETCH_SESSION_ID_NOT_FOUND, 0, []))


def end_the_session(world: World, fetch: Fetch) -> None:
    world.receive(fetch, SessionAnswer(0, 0, []))
    world.state.results.fetched(fetch, [], world.now)


def answer_for_another(world: World, fetch: Fetch) -> None:
    world.receive(fetch, SessionAnswer(0, SESSION, [TopicPartition("orders", 99)]))
    world.state.results.fetched(fetch, [], world.now)


def lose_the_connection(world: World, fetch: Fetch) -> None:
    world.state.results.failed(fetch, world.now)
    (need,) = [need for need in world.plan() if isinstance(need, NeedMetadata)]
    world.state.results.metadata_refreshed(need, world.now)
    world.now += 10


@pytest.mark.parametrize("end", [refuse, end_the_session, answer_for_another, lose_the_connection])
def test_the_next_session_goes_on_behind_what_its_first_answer_brought(
    resting: tuple[World, Fetch], end: Callable[[World, Fetch], None]
) -> None:
    world, fetch = resting
    end(world, fetch)
    fetch = fetches(world)[1]
    assert fetch.session.is_full
    assert fetch.wanted.keys() == set(PARTITIONS[:8])
    answer(world, fetch, bring(columns(P0, 0, 2)), *(bring(Columns(tp, 0)) for tp in PARTITIONS[1:8]))
    for _ in range(2):
        fetch = fetches(world)[1]
        assert not fetch.session.is_full
        assert fetch.wanted[P0].offset == 2
        answer(world, fetch)


#: What an answer may contain of one partition.
OF_ONE: dict[str, DecodedPartition] = {
    "a new log start": DecodedPartition(P0, columns=Columns(P0, 4), high_watermark=9, log_start_offset=4),
    "a replica": DecodedPartition(P0, columns=Columns(P0, 4), high_watermark=4, preferred_replica=2),
    "divergence": DecodedPartition(P0, diverging=EpochEnd(4, 3)),
    "half a batch": bring(Columns(P0, 4, truncated=True)),
    "another leader": DecodedPartition(P0, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    "another epoch": DecodedPartition(P0, ErrorCode.FENCED_LEADER_EPOCH),
    "a failure": DecodedPartition(P0, ErrorCode.UNKNOWN_SERVER_ERROR),
    "an offset out of range": DecodedPartition(P0, ErrorCode.OFFSET_OUT_OF_RANGE),
    "no authorization": DecodedPartition(P0, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
}


@pytest.mark.parametrize("is_taken", [True, False])
@pytest.mark.parametrize("result", OF_ONE.values(), ids=OF_ONE)
def test_what_befalls_a_resting_partition_goes_on_as_if_all_were_visited(
    resting: tuple[World, Fetch], result: DecodedPartition, is_taken: bool
) -> None:
    """Both if records before it are buffered and if they are not."""
    world, fetch = resting
    answer(world, fetch, bring(columns(P0, 0, 4)))
    fetch = fetches(world)[1]
    if is_taken:
        assert len(world.take()) == 4

    def befall(state: FetchState, asked: Fetch) -> None:
        state.results.received(asked, SessionAnswer(0, SESSION, [P0]), {}, world.now)
        state.results.fetched(asked, [result], world.now)

    answer_both_ways(world.state, fetch, befall)
    for passed in (0, 0.05, 30):  # seconds
        world.now += passed
        for need in plan_both_ways(world.state, world.image, world.now).needs:
            if isinstance(need, NeedMetadata):
                world.state.results.metadata_refreshed(need, world.now)
            elif isinstance(need, Fetch) and need.node_id == 1:
                answer(world, need)


def test_a_partition_that_is_fetched_again_after_a_failure_has_not_failed_if_it_is_omitted(
    resting: tuple[World, Fetch],
) -> None:
    world, fetch = resting
    for _ in range(2):
        answer(world, fetch, DecodedPartition(P0, ErrorCode.UNKNOWN_SERVER_ERROR))
        plan = plan_both_ways(world.state, world.image, world.now)
        pause_s = world.state._context.settings.backoff_s(0)
        assert plan.deadline == pytest.approx(world.now + pause_s), "as after the first failure"
        (fetch,) = [need for need in plan.needs if isinstance(need, Fetch)]
        world.now += pause_s
        for _ in range(2):  # with it, and once more
            answer(world, fetch)
            fetch = fetches(world)[1]


def test_a_partition_that_was_not_asked_for_is_silent_although_others_were_answered(
    resting: tuple[World, Fetch],
) -> None:
    world, fetch = resting
    answer(world, fetch, DecodedPartition(P0, ErrorCode.UNKNOWN_SERVER_ERROR))
    fetch = fetches(world)[1]
    world.now += 5
    answer(world, fetch)
    fetch = fetches(world)[1]
    assert P0 in fetch.wanted
    silent = world.state.planning.silence_s(world.now)
    assert (silent[P0], silent[P1]) == (6, 0)


def test_a_partition_without_room_is_silent_although_others_were_answered(resting: tuple[World, Fetch]) -> None:
    world, fetch = resting
    answer(world, fetch, bring(columns(P0, 0, 400)))
    fetch = fetches(world)[1]
    assert P0 not in fetch.wanted
    world.now += 5
    answer(world, fetch)
    world.take(400)
    assert P0 in fetches(world)[1].wanted
    silent = world.state.planning.silence_s(world.now)
    assert (silent[P0], silent[P1]) == (5, 0)


def test_the_leader_of_a_paused_partition_without_one_is_looked_up_again_and_again(reading: World) -> None:
    world = reading
    (_, second) = fetches(world).values()
    world.state.pause([P8])
    world.image = evolve(cluster({**LEADERS, P8: -1}), brokers=world.image.brokers)
    answer(world, second)
    for _ in range(3):
        needs = plan_both_ways(world.state, world.image, world.now).needs
        (metadata,) = [need for need in needs if isinstance(need, NeedMetadata)]
        world.state.results.metadata_refreshed(metadata, world.now)
        assert not world.plan(), "not so soon after the last one"
        world.now += 30


def test_a_partition_whose_headers_were_wrong_while_it_was_decoded_is_fetched_where_they_ended(
    resting: tuple[World, Fetch],
) -> None:
    world, fetch = resting
    world.receive(fetch, SessionAnswer(0, SESSION, [P0]), {P0: Arrival(5, 50)})
    ahead = fetches(world)[1]
    assert ahead.wanted[P0].offset == 5
    receive(world, ahead)
    following = fetches(world)
    assert not following, "one answer is being decoded"
    world.state.results.fetched(fetch, [bring(columns(P0, 0, 2))], world.now)
    assert P0 in context_of(world.state).assigned.pending
    world.state.results.fetched(ahead, [], world.now)
    assert fetches(world)[1].wanted[P0].offset == 2


def test_no_fetch_is_empty_because_its_only_partition_has_no_room() -> None:
    world = World(FetchState(FetchSettings(buffer_bytes=100_000)), cluster(LEADERS))
    world.start(*PARTITIONS[:9])
    for fetch in fetches(world).values():
        answer(world, fetch, *(bring(Columns(tp, 0)) for tp in fetch.wanted))
    fetch = fetches(world)[2]
    answer(world, fetch, bring(columns(P8, 0, 300)))
    fetch = fetches(world)[2]
    taken = world.state.handover.take(300)
    answer(world, fetch, bring(columns(P8, 300, 200)))
    fetch = fetches(world)[2]
    world.state.handover.put_back(taken)
    answer(world, fetch)
    assert not fetches(world)


def test_a_call_that_a_signal_interrupts_wakes_all_in_the_end(
    resting: tuple[World, Fetch], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, fetch = resting

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Resting, "wake", interrupted)
        with pytest.raises(KeyboardInterrupt):
            world.state.seek(P8, 0)
    answer(world, fetch)
    assert not context_of(world.state).underway.nodes[1].resting
    assert fetches(world)


def test_an_answer_out_of_session_leaves_the_others_at_rest(resting: tuple[World, Fetch]) -> None:
    world, fetch = resting
    world.state.seek(P0, 0)
    world.now += 1
    (apart,) = fetches(world).values()
    assert (apart.node_id, apart.is_out_of_session) == (1, True)
    answer(world, fetch)
    node = context_of(world.state).underway.nodes[1]
    assert fetches(world)[1].session.told == ()
    assert node.resting
    answer(world, apart, bring(Columns(P0, 0)))
    assert node.resting


def test_a_node_that_was_answered_while_there_was_no_room_waits_for_it() -> None:
    """Nothing else does: what fills the buffers has been read to its end."""
    world = World(FetchState(FetchSettings(buffer_bytes=100_000)), cluster(LEADERS))
    world.start(*PARTITIONS[:9])
    for fetch in fetches(world).values():
        answer(world, fetch, *(bring(Columns(tp, 0)) for tp in fetch.wanted))
    first, second = fetches(world).values()
    world.state.assign(PARTITIONS[:9], [P8], ranges={P8: OffsetRange(0, 3_200)})
    world.state.release([P8])
    world.now += 1
    (apart,) = fetches(world).values()
    answer(world, second)
    answer(world, apart, bring(columns(P8, 0, 3_200)))
    fetches(world)
    answer(world, first)
    assert not fetches(world)
    assert world.state.planning.waits_for_room
    world.take(3_200)
    assert 1 in fetches(world)


def test_the_state_is_steady_although_another_node_has_not_answered_yet() -> None:
    """The ends of its partitions are not known: the node that is followed is another one."""
    world = World(FetchState(FetchSettings()), cluster(LEADERS))
    world.start(*PARTITIONS[:12])
    first, second = fetches(world).values()
    answer(world, first, *(bring(Columns(tp, 0)) for tp in first.wanted))
    fetch = fetches(world)[1]
    answer(world, fetch)
    fetch = fetches(world)[1]
    assert steady(world.state, fetch, world.image)
    assert not steady(world.state, second, world.image)


# ---- what was handed over


@pytest.mark.parametrize("count", [1, 10], ids=["one run", "many runs"])
def test_what_was_handed_over_counts_as_processed_with_the_next_poll(resting: tuple[World, Fetch], count: int) -> None:
    world, fetch = resting
    for offset in range(count):
        answer(world, fetch, bring(columns(P0, offset, 1)))
        fetch = fetches(world)[1]
    handover = world.state.handover
    handover.mark_consumed()
    handover.hand_over_all(handover.peek(100))
    handover.mark_consumed()
    assert handover.consumed_offsets()[P0].offset == count
