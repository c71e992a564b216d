"""Any sequence of assigning, stopping, seeking, pausing, fetching and taking, beside a model of one number each.

Whatever happens: nothing of a partition that is stopped or not released is handed out; offsets follow each other
without a gap or a repeat unless the application sought; the position is the last one handed over plus one. A node reads
in each fetch what the fetch is meant to read, whatever of its session was lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    NeedOffsetReset,
    SessionAnswer,
)
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import Columns, ColumnSlice
from tests.fetching.nodes import Node, tell
from tests.fetching.world import bring, cluster, columns, listed, steady, take_steady
from tests.support.examples import examples

PARTITIONS = [TopicPartition("orders", number) for number in range(4)]
IMAGE = cluster({tp: 1 + tp.partition // 2 for tp in PARTITIONS})
END = 1000
ONE = st.sampled_from(PARTITIONS)
SOME = st.sets(st.sampled_from(PARTITIONS))


NOTHING_FOUND = st.sampled_from(
    [ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.UNKNOWN_TOPIC_ID, None]
)


def decoded(tp: TopicPartition, found: Columns | ErrorCode | None, offset: int) -> DecodedPartition:
    return DecodedPartition(tp, found) if isinstance(found, ErrorCode) else bring(found or Columns(tp, offset))


class Fetching(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.open: list[Need] = []
        self.nodes = {1: Node(slots=1), 2: Node(slots=0)}
        self.decoding: list[tuple[Fetch, list[DecodedPartition]]] = []
        self.expected: dict[TopicPartition, int | None] = {}  # the next offset of each assigned partition
        self.live: set[TopicPartition] = set()
        self.stopped: set[TopicPartition] = set()  # released, then stopped, still assigned
        self.paused: set[TopicPartition] = set()
        self.committed: dict[TopicPartition, int] = {}
        self.taken: dict[TopicPartition, list[ColumnSlice]] = {}  # last of each partition
        self.may_go_back: set[TopicPartition] = set()

    @initialize(buffer_bytes=st.sampled_from([20_000, 2_000_000]))
    def begin_with_all(self, buffer_bytes: int) -> None:
        """Little room makes partitions wait for it; where there is much, the state may be steady."""
        self.state = FetchState(FetchSettings(reset=OffsetReset.EARLIEST, buffer_bytes=buffer_bytes))
        self.state.assign(PARTITIONS, PARTITIONS)
        self.state.release(PARTITIONS)
        self.expected = dict.fromkeys(PARTITIONS)
        self.live = set(PARTITIONS)

    # ---- the group

    @rule(tp=ONE)
    def add(self, tp: TopicPartition) -> None:
        """Assign it, anew if it was there already."""
        self.reassign(self.expected.keys() | {tp}, {tp})

    @rule(tp=ONE)
    def remove(self, tp: TopicPartition) -> None:
        self.reassign(self.expected.keys() - {tp}, set())

    def reassign(self, wanted: set[TopicPartition], added: set[TopicPartition]) -> None:
        self.state.assign(wanted, added)
        for tp in self.expected.keys() - wanted | added:
            self.expected.pop(tp, None)
            self.live.discard(tp)
            self.paused.discard(tp)
            self.stopped.discard(tp)
            self.may_go_back.discard(tp)
        self.expected.update(dict.fromkeys(added))
        self.live |= self.stopped  # what is assigned is not being given up
        self.stopped.clear()

    @rule(which=SOME)
    def release(self, which: set[TopicPartition]) -> None:
        which = which & self.expected.keys() - self.stopped
        self.state.release(which)
        self.live |= which

    @rule(tp=ONE)
    def stop(self, tp: TopicPartition) -> None:
        self.state.stop([tp])
        self.may_go_back.discard(tp)
        if tp in self.live:
            self.live.remove(tp)
            self.stopped.add(tp)

    # ---- the application

    @rule(tp=ONE, offset=st.integers(0, END))
    def seek(self, tp: TopicPartition, offset: int) -> None:
        if tp in self.expected:
            self.state.seek(tp, offset)
            self.may_go_back.discard(tp)
            self.expected[tp] = offset

    @rule(tp=ONE)
    def seek_to_beginning(self, tp: TopicPartition) -> None:
        if tp in self.expected:
            self.state.seek_to([tp], OffsetReset.EARLIEST)
            self.may_go_back.discard(tp)
            self.expected[tp] = 0

    @rule(tp=ONE)
    def pause(self, tp: TopicPartition) -> None:
        if tp in self.expected:
            self.state.pause([tp])
            self.paused.add(tp)

    @rule(which=SOME)
    def resume(self, which: set[TopicPartition]) -> None:
        which = which & self.expected.keys()
        self.state.resume(which)
        self.paused -= which

    @rule(max_records=st.integers(1, 60))
    def take(self, max_records: int) -> None:
        parts = self.state.handover.take(max_records)
        assert sum(map(len, parts)) <= max_records
        of_each = {part.partition: [one for one in parts if one.partition == part.partition] for part in parts}
        self.taken.update(of_each)
        self.may_go_back |= of_each.keys()
        for part in parts:
            tp, first = part.partition, self.expected[part.partition]
            assert tp in self.live - self.paused
            assert first is not None
            assert list(part.columns.offsets[part.start : part.stop]) == list(range(first, first + len(part)))
            self.expected[tp] = first + len(part)

    @rule(tp=ONE, given_out=st.integers(0, 10))
    def put_back(self, tp: TopicPartition, given_out: int) -> None:
        """Have what was taken last count as not handed over, but for the first records."""
        first, *others = self.taken.get(tp, [None])
        if first is None:
            return
        part = ColumnSlice(first.columns, min(first.start + given_out, first.stop - 1), first.stop)
        self.state.handover.put_back([part, *others])
        if tp in self.may_go_back:
            self.may_go_back.remove(tp)
            self.expected[tp] = part.columns.offsets[part.start]

    @rule()
    def commit(self) -> None:
        self.state.handover.mark_consumed()
        self.committed.update({tp: found.offset for tp, found in self.state.handover.consumed_offsets().items()})

    # ---- the cluster

    @rule(passed=st.floats(0, 2))
    def plan(self, passed: float) -> None:
        self.now += passed
        self.open += self.state.planning.plan(IMAGE, self.now).needs
        nodes = [(need.node_id, need.is_out_of_session) for need in self.open if isinstance(need, Fetch)]
        assert len(nodes) == len(set(nodes)), "each connection has one fetch at most"

    @rule(data=st.data())
    def plan_and_answer(self, data: st.DataObject) -> None:
        """Three rounds in which all goes well, and a plan that is left open."""
        for _ in range(3):
            self.plan(1.0)
            while self.open:
                self.succeed(self.open.pop(0), data)
            while self.decoding:
                self.decode_one()
        self.plan(0.0)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def answer_one(self, data: st.DataObject) -> None:
        self.succeed(self.open.pop(data.draw(st.integers(0, len(self.open) - 1))), data)

    @precondition(lambda self: self.open)
    @rule(was_heard=st.booleans())
    def fail_one(self, was_heard: bool) -> None:
        need = self.open.pop()
        if was_heard and isinstance(need, Fetch):  # it is the answer that was lost
            turn = self.nodes[need.node_id].take(need.session, need.positions)
            assert isinstance(turn, ErrorCode) or tell(turn, {})
        self.state.results.failed(need, self.now)

    @precondition(lambda self: self.decoding)
    @rule()
    def decode_one(self) -> None:
        """Answers are decoded in the order in which they came."""
        fetch, results = self.decoding.pop(0)
        self.state.results.fetched(fetch, results, self.now)

    @precondition(lambda self: self.decoding)
    @rule()
    def break_while_decoding(self) -> None:
        self.state.results.failed(self.decoding.pop(0)[0], self.now)

    def bring(self, fetch: Fetch, data: st.DataObject) -> None:
        """Answer it, some of its records being decoded later; where their headers say they end may be wrong."""
        node = self.nodes[fetch.node_id]
        if data.draw(st.sampled_from([False, False, False, True])):
            node.forget_sessions()
        turn = node.take(fetch.session, fetch.positions)
        if isinstance(turn, ErrorCode):
            assert not self.state.results.received(fetch, SessionAnswer(turn, 0, []), {}, self.now)
            return
        read = {tp: result for tp, result in self.read(fetch, data) if result is not None}
        answer = tell(turn, read)
        wrong = data.draw(st.sampled_from([0, 0, 0, 1]))
        arrivals = {tp: Arrival(r.next_offset + wrong, r.nbytes) for tp, r in read.items() if isinstance(r, Columns)}
        is_later = bool(self.decoding) or data.draw(st.booleans())
        results = [decoded(tp, read.get(tp), fetch.wanted[tp].offset) for tp in answer.partitions]
        if not is_later and self.goes_on(fetch, answer, results):
            return
        assert self.state.results.received(fetch, answer, arrivals if is_later else {}, self.now)
        self.decoding.append((fetch, results))
        if not is_later:
            self.decode_one()

    def goes_on(self, fetch: Fetch, answer: SessionAnswer, results: Sequence[DecodedPartition]) -> bool:
        """Answer the fast way, if the state is steady and the answer plain."""
        fetches = steady(self.state, fetch, IMAGE)
        if fetches is None:
            return False
        is_in_session = answer.error == 0 and answer.session_id == fetch.session.session_id
        is_followed = take_steady(self.state, fetches, results if is_in_session else None, self.now)
        following = self.state.steady.end(fetches)
        if is_followed:
            self.open.append(following)
        return is_followed

    def succeed(self, need: Need, data: st.DataObject) -> None:
        if isinstance(need, Fetch):
            self.bring(need, data)
        elif isinstance(need, NeedCommittedOffset):
            known = {tp: OffsetAndMetadata(offset) for tp, offset in self.committed.items()}
            found = {tp: known.get(tp) for tp in need.fences if tp in known or not data.draw(st.booleans())}
            self.state.results.committed_found(need, found, self.now)
        elif isinstance(need, NeedOffsetReset):
            self.state.results.reset_found(need, listed(need, 0), self.now)
        else:
            self.state.results.metadata_refreshed(need, self.now)

    def read(self, fetch: Fetch, data: st.DataObject) -> Iterable[tuple[TopicPartition, Columns | ErrorCode | None]]:
        """What is found at each position, None for nothing."""
        for position in fetch.positions:
            count = min(data.draw(st.integers(0, 40)), END - position.offset)
            found = columns(position.partition, position.offset, count) if count > 0 else data.draw(NOTHING_FOUND)
            yield position.partition, found

    @invariant()
    def positions_follow_what_was_handed_over(self) -> None:
        assert self.state.assignment() == self.expected.keys()
        for tp, expected in self.expected.items():
            position = self.state.position(tp)
            if expected is not None and position is not None:
                assert position == expected
            elif position is not None:  # just looked up
                assert position == self.committed.get(tp, 0)
                self.expected[tp] = position


Fetching.TestCase.settings = settings(max_examples=examples(150), stateful_step_count=60)
TestFetching = Fetching.TestCase
