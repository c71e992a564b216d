"""The short way from an answer to the next fetch: it comes to what the long way does, or is not taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from attrs import evolve
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kafka_nextgen.bridge.offset_for_leader_epoch import EpochEnd
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.fetching import (
    Arrival,
    DecodedPartition,
    Fetch,
    FetchSettings,
    FetchState,
    NeedCommittedOffset,
    NeedEpochEnds,
    NeedMetadata,
    NeedOffsetReset,
    SessionAnswer,
)
from kafka_nextgen.offset_reset import OffsetReset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.sessions import LEADERS, P0, P1, P2, P3, PARTITIONS, SESSION, begin, read_on, simple, told
from tests.fetching.world import World, bring, cluster, columns
from tests.support.examples import examples


def test_the_next_fetch_goes_on_behind_what_came(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    following = read_on(world, fetch, columns(P1, 0, 3))
    assert following is not None
    assert {tp: position.offset for tp, position in following.wanted.items()} == {P0: 0, P1: 3}
    assert following.session == fetch.session._replace(epoch=fetch.session.epoch + 1, told=(following.wanted[P1],))
    assert world.take() == [(1, 0), (1, 1), (1, 2)]
    assert world.plan() == []  # it is on its way


def test_it_is_taken_again_and_again(world: World) -> None:
    fetch: Fetch | None = begin(world, P0, P1)[1]
    for first in range(5):
        assert fetch is not None
        fetch = read_on(world, fetch, columns(P0, first, 1))
    assert [offset for _, offset in world.take()] == [0, 1, 2, 3, 4]


def test_an_answer_without_news_goes_on_as_well(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    following = read_on(world, fetch)
    assert following is not None
    assert following.session.told == ()


def test_what_was_told_of_is_asked_for_last_when_all_is_asked_for_again(world: World) -> None:
    fetch = read_on(world, begin(world, P0, P1)[1], columns(P0, 0, 1))
    assert fetch is not None
    world.receive(fetch, told(error=ErrorCode.FETCH_SESSION_ID_NOT_FOUND))
    assert list(world.fetch().wanted) == [P1, P0]


def test_what_is_paused_does_not_matter(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    world.state.pause([P1])
    assert read_on(world, fetch, columns(P0, 0, 1)) is None  # P1 is asked for still
    world.receive(fetch, told(P0))
    world.state.fetched(fetch, [bring(columns(P0, 0, 1))], world.now)
    assert read_on(world, world.fetch(), columns(P0, 1, 1)) is not None


def test_partitions_of_which_there_is_no_news_are_not_silent(world: World) -> None:
    fetches = begin(world, *PARTITIONS)
    world.now += 5
    assert read_on(world, fetches[1], columns(P0, 0, 1)) is not None
    world.now += 2
    world.take()
    assert world.state.silence_s(world.now) == {P0: 2, P1: 2, P2: 7, P3: 7}


# ---- the long way


Result = DecodedPartition | Columns

NOT_JUST_RECORDS: dict[str, Callable[[], Result]] = {
    "an error": lambda: DecodedPartition(P0, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    "corrupt records": lambda: DecodedPartition(P0, corrupt=CorruptRecordError("corrupt", P0, 0)),
    "no records": lambda: Columns(P0, 0),
    "control records only": lambda: Columns(P0, 4),
    "another replica": lambda: bring(columns(P0, 0, 1))._replace(preferred_replica=2),
    "more than its share": lambda: columns(P0, 0, 2000),
    "more than there is room for": lambda: columns(P0, 0, 3000),
}


@pytest.mark.parametrize("result", NOT_JUST_RECORDS.values(), ids=NOT_JUST_RECORDS)
def test_whatever_is_not_just_records_goes_the_long_way(result: Callable[[], Result]) -> None:
    world = World(FetchState(FetchSettings(buffer_bytes=100_000)), cluster(LEADERS))
    fetch = begin(world, P0, P1)[1]
    before = world.state.standings()
    assert read_on(world, fetch, columns(P1, 0, 1), result()) is None
    assert world.state.standings() == before
    assert world.receive(fetch, told(P0)), "it still waits for its answer"


def test_what_leaves_too_little_room_goes_the_long_way() -> None:
    world = World(FetchState(FetchSettings(buffer_bytes=100_000)), cluster(LEADERS))
    assert read_on(world, begin(world, P0)[1], columns(P0, 0, 3000)) is None  # less than its share, which is all


@pytest.mark.parametrize(
    "head",
    [
        told(P0, error=ErrorCode.FETCH_SESSION_ID_NOT_FOUND),
        told(P0, session_id=0),
        told(P0, session_id=8),
        told(P0, P0),
        told(P3),
    ],
    ids=["refused", "ended", "another", "told twice", "not asked for"],
)
def test_a_session_that_does_not_go_on_goes_the_long_way(world: World, head: SessionAnswer) -> None:
    fetch = begin(world, P0, P1)[1]
    decoded = [bring(columns(P0, 0, 1))] if P0 in head.partitions else []
    assert world.state.read_on(fetch, head, decoded, world.image, world.now) is None


def test_a_partition_that_the_session_does_not_have_goes_the_long_way(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    assert read_on(world, fetch, columns(P3, 0, 1)) is None


def test_without_a_session_it_goes_the_long_way(world: World) -> None:
    world.start(P0)
    assert read_on(world, world.fetch(), columns(P0, 0, 1)) is None


def test_a_partition_that_failed_of_late_goes_the_long_way(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    world.receive(fetch, told(P0))
    world.state.fetched(fetch, [DecodedPartition(P0, ErrorCode.UNKNOWN_SERVER_ERROR)], world.now)
    assert read_on(world, world.fetch(), columns(P1, 0, 1)) is None  # P0 is not asked for meanwhile


def test_what_is_decoded_meanwhile_goes_the_long_way(world: World) -> None:
    fetches = begin(world, *PARTITIONS)
    world.receive(fetches[2], told(P2), {P2: Arrival(5, 100)})
    assert read_on(world, fetches[1], columns(P0, 0, 1)) is None


def test_another_image_of_the_cluster_goes_the_long_way(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    assert world.state.read_on(fetch, told(), [], evolve(world.image), world.now) is None


def test_a_partition_that_is_led_elsewhere_by_now_goes_the_long_way(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    world.image = cluster({**LEADERS, P1: 2})
    assert world.plan() == []  # P1 is asked for still
    assert read_on(world, fetch, columns(P0, 0, 1)) is None


@pytest.mark.parametrize("epoch", [6, -1])
def test_a_leader_that_leads_at_another_epoch_by_now_goes_the_long_way(world: World, epoch: int) -> None:
    fetches = begin(world, *PARTITIONS)
    world.image = cluster(LEADERS, epoch=epoch)
    assert world.plan() == []  # all are asked for still
    assert read_on(world, fetches[1], columns(P0, 0, 1)) is None


def test_a_partition_that_is_to_come_from_another_node_goes_the_long_way(world: World) -> None:
    fetches = begin(world, *PARTITIONS)
    world.image = cluster({**LEADERS, P2: 1})
    assert world.plan() == []  # P2 is asked for at node 2 still
    assert read_on(world, fetches[1], columns(P0, 0, 1)) is None


def test_a_partition_that_was_given_up_goes_the_long_way(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    world.state.assign([P0], [])
    assert read_on(world, fetch, columns(P0, 0, 1)) is None


def test_what_is_new_to_a_node_goes_the_long_way(world: World) -> None:
    fetch = begin(world, P0)[1]
    world.assign(P0, P1)
    (need,) = world.plan()
    assert isinstance(need, NeedCommittedOffset)
    world.state.committed_found(need, {P1: OffsetAndMetadata(0)}, world.now)
    assert read_on(world, fetch, columns(P0, 0, 1)) is None
    world.now += 1
    (aside,) = world.plan()
    assert isinstance(aside, Fetch)
    assert aside.is_aside
    assert read_on(world, fetch, columns(P0, 0, 1)) is None


#: What only looks, or concerns what is here already: what is to be asked next stays as it is.
LOOKS_ONLY = {
    *("finished", "is_all_finished"),
    *("assignment", "topic_ids", "gone", "paused", "position", "standings", "truncations", "take_truncations"),
    *("has_records", "take", "peek", "holds", "hand_over", "runs_done", "preview", "mark_consumed"),
    *("put_back", "pass_turn"),
    *("consumed_offsets", "found_offsets", "handed_over_offsets", "deadline", "session_ends", "silence_s", "read_on"),
    *("lost_uncommitted", "of_old_topics", "note_committed", "note_told", "let_go"),
    *("find_routine_of", "is_in_force", "room_for_relay", "read_along", "settle"),
}

#: All else, each with arguments by which it changes as little as may be.
CHANGES: dict[str, Callable[[World, Fetch], object]] = {
    "find_topics": lambda world, _: world.state.find_topics(evolve(world.image)),
    "plan": lambda world, _: world.state.plan(world.image, world.now),
    "received": lambda world, fetch: world.state.received(fetch, told(), {}, world.now),
    "fetched": lambda world, fetch: world.state.fetched(fetch, [], world.now),
    "failed": lambda world, fetch: world.state.failed(fetch, world.now),
    "committed_found": lambda world, _: world.state.committed_found(NeedCommittedOffset({}), {}, world.now),
    "reset_found": lambda world, _: world.state.reset_found(NeedOffsetReset(1, {}, {}, {}), {}, world.now),
    "epoch_ends_found": lambda world, _: world.state.epoch_ends_found(NeedEpochEnds(1, {}, {}), {}, world.now),
    "metadata_refreshed": lambda world, _: world.state.metadata_refreshed(NeedMetadata(frozenset(), {}), world.now),
    "assign": lambda world, _: world.state.assign([P0, P1], []),
    "release": lambda world, _: world.state.release([]),
    "stop": lambda world, _: world.state.stop([]),
    "seek": lambda world, _: world.state.seek(P0, 0),
    "seek_to": lambda world, _: world.state.seek_to([], OffsetReset.EARLIEST),
    "pause": lambda world, _: world.state.pause([]),
    "resume": lambda world, _: world.state.resume([]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_may_change_something_ends_the_routine(world: World, change: Callable[[World, Fetch], object]) -> None:
    fetch = read_on(world, begin(world, P0, P1)[1])
    assert fetch is not None
    assert world.state._routine is not None  # nothing else tells, as long as nothing has changed
    change(world, fetch)
    assert world.state._routine is None


def test_everything_that_can_be_done_either_looks_only_or_ends_the_routine() -> None:
    public = {name for name in dir(FetchState) if not name.startswith("_")} - {"waits_for_room", "has_ranges"}
    assert public == LOOKS_ONLY | CHANGES.keys()


# ---- beside the long way


class Twins(RuleBasedStateMachine):
    """Two consumers that get the same; one of them never goes the short way, and both end up alike."""

    def __init__(self) -> None:
        super().__init__()
        settings_ = FetchSettings(reset=OffsetReset.EARLIEST, buffer_bytes=40_000)
        self.short, self.long = (World(FetchState(settings_), cluster(LEADERS)) for _ in range(2))
        self.open: dict[tuple[int, bool], tuple[Fetch, Fetch]] = {}  # by node, and whether it is fetched aside
        self.epoch = 5

    @initialize()
    def begin(self) -> None:
        pairs = zip(begin(self.short, *PARTITIONS).items(), begin(self.long, *PARTITIONS).values(), strict=True)
        self.open = {(node_id, False): (one, other) for (node_id, one), other in pairs}

    @precondition(lambda self: self.open)
    @rule(which=st.integers(0, 3), counts=st.tuples(*[st.integers(0, 30)] * 4), passed=st.floats(0, 1))
    def answer(self, which: int, counts: tuple[int, ...], passed: float) -> None:
        one, other = self.open.pop(list(self.open)[which % len(self.open)])
        brought = {tp: count for tp, count in zip(PARTITIONS, counts, strict=True) if count and tp in one.wanted}
        results = [bring(columns(tp, one.wanted[tp].offset, count)) for tp, count in brought.items()]
        for world in (self.short, self.long):
            world.now += passed
        head = told(*brought, session_id=0 if one.is_aside or one.session.epoch == -1 else SESSION)
        following = self.short.state.read_on(one, head, results, self.short.image, self.short.now)
        if following is None:
            self.go_the_long_way(self.short, one, head, results)
        self.go_the_long_way(self.long, other, head, results)
        self.plan(following)

    def go_the_long_way(
        self, world: World, fetch: Fetch, head: SessionAnswer, results: Iterable[DecodedPartition]
    ) -> None:
        if fetch.session.epoch == 0:  # a full answer tells of all
            told_of = {result.partition for result in results}
            rest = [tp for tp in fetch.wanted if tp not in told_of]
            head = head._replace(partitions=[*head.partitions, *rest])
            results = [*results, *(bring(Columns(tp, fetch.wanted[tp].offset)) for tp in rest)]
        assert world.state.received(fetch, head, {}, world.now)
        world.state.fetched(fetch, results, world.now)

    @rule(leads_p1=st.sampled_from([1, 2]))
    def elect(self, leads_p1: int) -> None:
        """All leaders lead at another epoch, one perhaps elsewhere."""
        self.epoch += 1
        for world in (self.short, self.long):
            world.image = cluster({**LEADERS, P1: leads_p1}, epoch=self.epoch)
        self.plan()

    def plan(self, following: Fetch | None = None) -> None:
        """Plan, unless the short way has said what follows; logs are what they were at whoever leads them now."""
        ones = self.short.plan() if following is None else [following]
        others = self.long.plan()
        assert [simple(one) for one in ones] == [simple(other) for other in others]
        asked_ends = False
        for one, other in zip(ones, others, strict=True):
            if isinstance(one, Fetch) and isinstance(other, Fetch):
                self.open[one.node_id, one.is_aside] = one, other
            elif isinstance(one, NeedEpochEnds) and isinstance(other, NeedEpochEnds):
                asked_ends = True
                for world, need in ((self.short, one), (self.long, other)):
                    ends = {tp: EpochEnd(asked.epoch, asked.offset) for tp, asked in need.questions.items()}
                    world.state.epoch_ends_found(need, ends, world.now)
        if asked_ends:
            self.plan()

    @rule(max_records=st.integers(1, 100))
    def take(self, max_records: int) -> None:
        assert self.short.take(max_records) == self.long.take(max_records)
        self.plan()

    @rule(max_records=st.integers(1, 100))
    def take_and_put_back(self, max_records: int) -> None:
        for world in (self.short, self.long):
            taken = world.state.take(max_records)
            for partition in PARTITIONS:
                world.state.put_back([part for part in taken if part.partition == partition])
            world.state.pass_turn(P0)
        self.plan()

    @rule(which=st.sampled_from(PARTITIONS), is_paused=st.booleans())
    def pause_or_resume(self, which: TopicPartition, is_paused: bool) -> None:
        for world in (self.short, self.long):
            (world.state.pause if is_paused else world.state.resume)([which])
        self.plan()

    @precondition(lambda self: self.open)
    @rule()
    def look_at_silence(self) -> None:
        assert self.short.state.silence_s(self.short.now) == self.long.state.silence_s(self.long.now)

    @invariant()
    def all_stands_alike(self) -> None:
        assert self.short.state.standings() == self.long.state.standings()
        assert self.short.state.deadline(self.short.now) == self.long.state.deadline(self.long.now)


Twins.TestCase.settings = settings(max_examples=examples(150), stateful_step_count=40)
TestTwins = Twins.TestCase
