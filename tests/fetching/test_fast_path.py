"""The fast path from an answer to the next fetch: it has the result of the slow path, or is not taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from attrs import evolve
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kafka_nextgen.codes import ErrorCode
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
    NodeFetches,
    SessionAnswer,
)
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.world import World, bring, cluster, columns, steady, take_steady
from tests.support.examples import examples

P0, P1, P2, P3 = PARTITIONS = [TopicPartition("orders", number) for number in range(4)]
NODES = {1: (P0, P1), 2: (P2, P3)}
LEADERS = {tp: node for node, led in NODES.items() for tp in led}
SESSION = 7


def told(*partitions: TopicPartition, error: int = 0, session_id: int = SESSION) -> SessionAnswer:
    return SessionAnswer(error, session_id, partitions)


def begin(world: World, *partitions: TopicPartition) -> dict[int, Fetch]:
    """Read these partitions from 0 on, in sessions that have been begun; the fetches on their way, by node."""
    world.start(*partitions)
    for need in world.plan():
        assert isinstance(need, Fetch)
        world.receive(need, told(*need.wanted))
        world.state.results.fetched(need, [bring(Columns(tp, 0)) for tp in need.wanted], world.now)
    return {need.node_id: need for need in world.plan() if isinstance(need, Fetch)}


def follow(world: World, fetch: Fetch) -> NodeFetches:
    fetches = steady(world.state, fetch, world.image)
    assert fetches is not None
    return fetches


def is_steady(world: World, fetch: Fetch) -> bool:
    return steady(world.state, fetch, world.image) is not None


def offsets(fetch: Fetch) -> dict[TopicPartition, int]:
    return {tp: position.offset for tp, position in fetch.wanted.items()}


def test_the_next_fetch_goes_on_behind_what_came_again_and_again(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    fetches = follow(world, fetch)
    assert take_steady(world.state, fetches, [], world.now), "without news as well"
    assert all(take_steady(world.state, fetches, [columns(P1, first, 1)], world.now) for first in range(3))
    following = world.state.steady.end(fetches)
    assert offsets(following) == {P0: 0, P1: 3}
    assert following.session.epoch == fetch.session.epoch + 4
    assert world.take() == [(1, 0), (1, 1), (1, 2)]
    assert world.plan() == []  # it is on its way


def test_an_answer_that_is_not_plain_changes_nothing(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    fetches = follow(world, fetch)
    before = world.state.progress()
    assert not take_steady(world.state, fetches, None, world.now)
    assert world.state.progress() == before
    assert world.state.steady.end(fetches) is fetch
    assert world.receive(fetch, told(P0)), "it still waits for its answer"


def test_an_answer_in_the_long_way_follows(world: World) -> None:
    fetches = follow(world, begin(world, P0, P1)[1])
    assert take_steady(world.state, fetches, [columns(P0, 0, 3)], world.now)
    assert take_steady(world.state, fetches, [columns(P1, 0, 1)], world.now)
    fetch = world.state.steady.end(fetches)
    world.receive(fetch, told(P0))
    world.state.results.fetched(fetch, [bring(columns(P0, 3, 1))], world.now)
    assert world.take() == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)]
    assert offsets(world.fetch()) == {P0: 4, P1: 1}


def test_what_goes_the_long_way_meanwhile_knows_what_is_on_its_way(world: World) -> None:
    nodes = begin(world, *PARTITIONS)
    fetches = follow(world, nodes[1])
    assert take_steady(world.state, fetches, [columns(P0, 0, 3)], world.now)
    world.state.steady.settle()
    world.receive(nodes[2], told())
    world.state.results.fetched(nodes[2], [], world.now)
    assert offsets(world.fetch()) == {P2: 0, P3: 0}  # node 1 is asked already
    assert take_steady(world.state, fetches, [columns(P0, 3, 1)], world.now)  # the state is steady again
    assert offsets(world.state.steady.end(fetches)) == {P0: 4, P1: 0}


def test_two_nodes_whose_answers_alternate_are_both_followed(world: World) -> None:
    nodes = begin(world, *PARTITIONS)
    first = follow(world, nodes[1])
    world.receive(nodes[2], told())  # the slow path
    world.state.results.fetched(nodes[2], [], world.now)
    second = follow(world, world.fetch())
    for offset in range(3):
        assert take_steady(world.state, first, [columns(P0, offset, 1)], world.now)
        assert take_steady(world.state, second, [columns(P2, offset, 1)], world.now)
    world.state.steady.settle()
    assert (offsets(first.fetch), offsets(second.fetch)) == ({P0: 3, P1: 0}, {P2: 3, P3: 0})


def test_another_image_of_the_cluster_is_left_to_the_long_way(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    assert steady(world.state, fetch, evolve(world.image)) is None
    fetches = follow(world, fetch)
    assert not take_steady(world.state, fetches, [columns(P0, 0, 1)], world.now, evolve(world.image))


def test_what_was_given_up_meanwhile_is_not_asked_for_again(world: World) -> None:
    fetches = follow(world, begin(world, P0, P1)[1])
    assert take_steady(world.state, fetches, [columns(P0, 0, 3), columns(P1, 0, 1)], world.now)
    world.state.assign([P0], [])
    fetch = world.state.steady.end(fetches)
    world.receive(fetch, told(P1))
    world.state.results.fetched(fetch, [bring(columns(P1, 1, 1))], world.now)
    assert world.take() == [(0, 0), (0, 1), (0, 2)]
    assert list(world.fetch().wanted) == [P0]


def test_what_was_told_of_is_asked_for_last_when_all_is_asked_for_again(world: World) -> None:
    fetches = follow(world, begin(world, P0, P1)[1])
    assert take_steady(world.state, fetches, [columns(P0, 0, 1)], world.now)
    world.receive(world.state.steady.end(fetches), told(error=ErrorCode.FETCH_SESSION_ID_NOT_FOUND))
    assert list(world.fetch().wanted) == [P1, P0]


def test_what_is_paused_does_not_matter(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    world.state.pause([P1])
    assert not is_steady(world, fetch)  # P1 is still asked for
    world.receive(fetch, told(P0))
    world.state.results.fetched(fetch, [bring(columns(P0, 0, 1))], world.now)
    assert is_steady(world, world.fetch())


def test_partitions_of_which_there_is_no_news_are_not_silent(world: World) -> None:
    fetches = follow(world, begin(world, *PARTITIONS)[1])
    world.now += 5
    assert take_steady(world.state, fetches, [columns(P0, 0, 1)], world.now)
    world.now += 2
    world.take()
    assert world.state.planning.silence_s(world.now) == {P0: 2, P1: 2, P2: 7, P3: 7}


# ---- where it is not taken


def test_nearly_full_buffers_are_left_to_the_long_way() -> None:
    world = World(FetchState(FetchSettings(buffer_bytes=2_000_000)), cluster(LEADERS))
    fetches = follow(world, begin(world, P0, P1)[1])
    first, count = 0, 3_000
    while take_steady(world.state, fetches, [columns(P0, first, count)], world.now):
        first += count
    buffered_bytes = world.state.progress().buffered_bytes
    assert 500_000 < buffered_bytes < 1_000_000  # of which one partition may have a half
    assert len(world.take(50_000)) == first
    assert take_steady(world.state, fetches, [columns(P0, first, count)], world.now)


def test_a_fetch_in_full_or_with_little_room_is_not_followed(world: World) -> None:
    world.start(P0)
    assert not is_steady(world, world.fetch())
    world = World(FetchState(FetchSettings(buffer_bytes=16_000)), cluster(LEADERS))
    assert not is_steady(world, begin(world, P0, P1)[1])


def test_answers_are_followed_with_thousands_of_partitions() -> None:
    partitions = [TopicPartition("orders", number) for number in range(2_000)]
    world = World(FetchState(FetchSettings()), cluster(dict.fromkeys(partitions, 1)))
    fetches = follow(world, begin(world, *partitions)[1])
    assert take_steady(world.state, fetches, [columns(P0, 0, 10)], world.now)
    assert not take_steady(world.state, fetches, [columns(P1, 0, 1_500)], world.now), "it might exceed the share of P1"


def test_a_partition_that_failed_of_late_goes_the_long_way(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    world.receive(fetch, told(P0))
    world.state.results.fetched(fetch, [DecodedPartition(P0, ErrorCode.UNKNOWN_SERVER_ERROR)], world.now)
    assert not is_steady(world, world.fetch())  # P0 is not asked for meanwhile


def test_nothing_is_followed_while_something_is_decoded(world: World) -> None:
    fetches = begin(world, *PARTITIONS)
    world.receive(fetches[2], told(P2), {P2: Arrival(5, 100)})
    assert not is_steady(world, fetches[1])


@pytest.mark.parametrize(
    "image",
    [
        cluster({**LEADERS, P1: 2}),
        cluster({**LEADERS, P2: 1}),
        cluster(LEADERS, epoch=6),
        cluster(LEADERS, epoch=-1),
    ],
    ids=["one has moved", "one has come", "a later epoch", "no epoch"],
)
def test_another_leader_is_left_to_the_long_way(world: World, image: ClusterImage) -> None:
    fetches = begin(world, *PARTITIONS)
    world.image = image
    assert world.plan() == []  # all are still asked for
    assert not is_steady(world, fetches[1])


def test_a_partition_that_was_given_up_goes_the_long_way(world: World) -> None:
    fetch = begin(world, P0, P1)[1]
    world.state.assign([P0], [])
    assert not is_steady(world, fetch)


def test_what_is_new_to_a_node_goes_the_long_way(world: World) -> None:
    fetch = begin(world, P0)[1]
    world.assign(P0, P1)
    (need,) = world.plan()
    assert isinstance(need, NeedCommittedOffset)
    world.state.results.committed_found(need, {P1: OffsetAndMetadata(0)}, world.now)
    assert not is_steady(world, fetch)
    world.now += 1
    (out_of_session,) = world.plan()
    assert isinstance(out_of_session, Fetch)
    assert out_of_session.is_out_of_session
    assert not is_steady(world, fetch)


#: What only looks, or concerns what is here already: what is to be asked next stays as it is.
LOOKS_ONLY = {
    *("finished", "is_all_finished", "assignment", "topic_ids", "gone", "paused", "position", "progress"),
    *("of_old_topics", "store", "truncations", "take_truncations", "deadline", "session_ends", "silence_s"),
    *("apply_taken", "note_changed"),
}

#: All else, each with arguments by which it changes as little as may be.
CHANGES: dict[str, Callable[[World, Fetch], object]] = {
    "plan": lambda world, _: world.state.planning.plan(world.image, world.now),
    "received": lambda world, fetch: world.state.results.received(fetch, told(), {}, world.now),
    "fetched": lambda world, fetch: world.state.results.fetched(fetch, [], world.now),
    "failed": lambda world, fetch: world.state.results.failed(fetch, world.now),
    "committed_found": lambda world, _: world.state.results.committed_found(NeedCommittedOffset({}), {}, world.now),
    "reset_found": lambda world, _: world.state.results.reset_found(NeedOffsetReset(1, {}, {}, {}), {}, world.now),
    "epoch_ends_found": lambda world, _: world.state.results.epoch_ends_found(NeedEpochEnds(1, {}, {}), {}, world.now),
    "metadata_refreshed": lambda world, _: world.state.results.metadata_refreshed(
        NeedMetadata(frozenset(), {}), world.now
    ),
    "assign": lambda world, _: world.state.assign([P0, P1], []),
    "release": lambda world, _: world.state.release([]),
    "stop": lambda world, _: world.state.stop([]),
    "seek": lambda world, _: world.state.seek(P0, 0),
    "seek_to": lambda world, _: world.state.seek_to([], OffsetReset.EARLIEST),
    "pause": lambda world, _: world.state.pause([]),
    "resume": lambda world, _: world.state.resume([]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_ends_the_steady_state(world: World, change: Callable[[World, Fetch], object]) -> None:
    fetch = begin(world, P0, P1)[1]
    fetches = follow(world, fetch)
    assert take_steady(world.state, fetches, [], world.now)
    world.state.steady.settle()
    assert world.state._context.steady_state is fetches.state  # nothing else tells, as long as nothing has changed
    change(world, fetches.fetch)
    assert world.state._context.steady_state is None


def test_everything_that_can_be_done_either_looks_only_or_ends_the_steady_state(world: World) -> None:
    state = world.state
    names = {name for part in (state, state.planning, state.results) for name in dir(part) if not name.startswith("_")}
    parts = {
        "planning",
        "results",
        "steady",
        "handover",
        "by_partition",
        "sockets",
        "has_ranges",
        "waits_for_room",
        "new_truncations",
    }
    assert names - parts == LOOKS_ONLY | CHANGES.keys()


# ---- beside the slow path


class Twins(RuleBasedStateMachine):
    """Two consumers that get the same; one of them never takes the fast path, and both end up alike."""

    def __init__(self) -> None:
        super().__init__()
        settings_ = FetchSettings(reset=OffsetReset.EARLIEST, buffer_bytes=4_000_000)
        self.fast, self.long = (World(FetchState(settings_), cluster(LEADERS)) for _ in range(2))
        self.open: dict[tuple[int, bool], tuple[Fetch, Fetch]] = {}  # by node, and whether it is out of session
        self.epoch = 5

    @initialize()
    def begin(self) -> None:
        pairs = zip(begin(self.fast, *PARTITIONS).items(), begin(self.long, *PARTITIONS).values(), strict=True)
        self.open = {(node_id, False): (one, other) for (node_id, one), other in pairs}

    @precondition(lambda self: self.open)
    @rule(which=st.integers(0, 3), counts=st.tuples(*[st.integers(0, 30)] * 4), passed=st.floats(0, 1))
    def answer(self, which: int, counts: tuple[int, ...], passed: float) -> None:
        one, other = self.open.pop(list(self.open)[which % len(self.open)])
        brought = {tp: count for tp, count in zip(PARTITIONS, counts, strict=True) if count and tp in one.wanted}
        results = [bring(columns(tp, one.wanted[tp].offset, count)) for tp, count in brought.items()]
        for world in (self.fast, self.long):
            world.now += passed
        head = told(*brought, session_id=0 if one.is_out_of_session or one.session.epoch == -1 else SESSION)
        following = self.follow(one, results)
        if following is None:
            self.go_the_long_way(self.fast, one, head, results)
        self.go_the_long_way(self.long, other, head, results)
        self.plan(following)

    def follow(self, fetch: Fetch, results: Iterable[DecodedPartition]) -> Fetch | None:
        fetches = None if fetch.is_out_of_session else steady(self.fast.state, fetch, self.fast.image)
        if fetches is None:
            return None
        is_followed = take_steady(self.fast.state, fetches, list(results), self.fast.now)
        following = self.fast.state.steady.end(fetches)
        return following if is_followed else None

    def go_the_long_way(
        self, world: World, fetch: Fetch, head: SessionAnswer, results: Iterable[DecodedPartition]
    ) -> None:
        if fetch.session.epoch == 0:  # a full answer tells of all
            told_of = {result.partition for result in results}
            rest = [tp for tp in fetch.wanted if tp not in told_of]
            head = head._replace(partitions=[*head.partitions, *rest])
            results = [*results, *(bring(Columns(tp, fetch.wanted[tp].offset)) for tp in rest)]
        assert world.state.results.received(fetch, head, {}, world.now)
        world.state.results.fetched(fetch, results, world.now)

    @rule(leads_p1=st.sampled_from([1, 2]))
    def elect(self, leads_p1: int) -> None:
        """All leaders lead at another epoch, one perhaps elsewhere."""
        self.epoch += 1
        for world in (self.fast, self.long):
            world.image = cluster({**LEADERS, P1: leads_p1}, epoch=self.epoch)
        self.plan()

    def plan(self, following: Fetch | None = None) -> None:
        """Plan, unless the fast path has said what follows; logs are what they were at whoever leads them now."""
        ones = self.fast.plan() if following is None else [following]
        others = self.long.plan()
        assert [simple(one) for one in ones] == [simple(other) for other in others]
        asked_ends = False
        for one, other in zip(ones, others, strict=True):
            if isinstance(one, Fetch) and isinstance(other, Fetch):
                self.open[one.node_id, one.is_out_of_session] = one, other
            elif isinstance(one, NeedEpochEnds) and isinstance(other, NeedEpochEnds):
                asked_ends = True
                for world, need in ((self.fast, one), (self.long, other)):
                    ends = {tp: EpochEnd(asked.epoch, asked.offset) for tp, asked in need.questions.items()}
                    world.state.results.epoch_ends_found(need, ends, world.now)
        if asked_ends:
            self.plan()

    @rule(max_records=st.integers(1, 100))
    def take(self, max_records: int) -> None:
        assert self.fast.take(max_records) == self.long.take(max_records)
        self.plan()

    @rule(max_records=st.integers(1, 100))
    def take_and_put_back(self, max_records: int) -> None:
        for world in (self.fast, self.long):
            taken = world.state.handover.take(max_records)
            for partition in PARTITIONS:
                world.state.handover.put_back([part for part in taken if part.partition == partition])
            world.state.handover.pass_turn(P0)
        self.plan()

    @rule(which=st.sampled_from(PARTITIONS), is_paused=st.booleans())
    def pause_or_resume(self, which: TopicPartition, is_paused: bool) -> None:
        for world in (self.fast, self.long):
            (world.state.pause if is_paused else world.state.resume)([which])
        self.plan()

    @precondition(lambda self: self.open)
    @rule()
    def look_at_silence(self) -> None:
        assert self.fast.state.planning.silence_s(self.fast.now) == self.long.state.planning.silence_s(self.long.now)

    @invariant()
    def all_stands_alike(self) -> None:
        assert self.fast.state.progress() == self.long.state.progress()
        assert self.fast.state.planning.deadline(self.fast.now) == self.long.state.planning.deadline(self.long.now)


def simple(need: Need) -> Need:
    """Without what may differ: which positions the last request told, and how many bytes are asked for."""
    if not isinstance(need, Fetch):
        return need
    return need._replace(session=need.session._replace(told=()), max_bytes=0, set_aside_bytes=0)


Twins.TestCase.settings = settings(max_examples=examples(150), stateful_step_count=40)
TestTwins = Twins.TestCase
