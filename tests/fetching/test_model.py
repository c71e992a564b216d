"""Any sequence of assigning, stopping, seeking, pausing, fetching and taking, beside a model of one number each.

Whatever happens: nothing of a partition that is stopped or not released is handed out; offsets follow each other
without a gap or a repeat unless the application sought; the position is the last one handed over plus one.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching import (
    DecodedPartition,
    Fetch,
    FetchSettings,
    FetchState,
    Need,
    NeedCommittedOffset,
    NeedMetadata,
    NeedOffsetReset,
    OffsetReset,
)
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.fetching.world import bring, cluster, columns, listed

PARTITIONS = [TopicPartition("orders", number) for number in range(4)]
IMAGE = cluster({tp: 1 + tp.partition // 2 for tp in PARTITIONS})
END = 1000
SOME = st.sets(st.sampled_from(PARTITIONS))


class Fetching(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.state = FetchState(FetchSettings(reset=OffsetReset.EARLIEST, buffer_bytes=20_000))
        self.now = 0.0
        self.open: list[Need] = []
        self.expected: dict[TopicPartition, int | None] = {}  # the next offset of each assigned partition
        self.live: set[TopicPartition] = set()
        self.paused: set[TopicPartition] = set()
        self.committed: dict[TopicPartition, int] = {}

    @rule(target_set=SOME, again=SOME)
    def assign(self, target_set: set[TopicPartition], again: set[TopicPartition]) -> None:
        stopped = self.expected.keys() - self.live
        added = (target_set - self.expected.keys()) | (target_set & stopped) | (target_set & again & stopped)
        self.state.assign(target_set, added)
        for tp in self.expected.keys() - target_set | added:
            self.expected.pop(tp, None)
            self.live.discard(tp)
            self.paused.discard(tp)
        self.expected.update(dict.fromkeys(added))

    @rule(which=SOME)
    def release(self, which: set[TopicPartition]) -> None:
        self.state.release(which)
        self.live |= which & self.expected.keys() - self.stopped

    @rule(which=SOME)
    def stop(self, which: set[TopicPartition]) -> None:
        self.state.stop(which)
        self.live -= which

    @property
    def stopped(self) -> set[TopicPartition]:
        return {tp for tp in self.expected if self.state._states[tp].stopped}

    @rule(tp=st.sampled_from(PARTITIONS), offset=st.integers(0, END))
    def seek(self, tp: TopicPartition, offset: int) -> None:
        if tp in self.expected:
            self.state.seek(tp, offset)
            self.expected[tp] = offset

    @rule(which=SOME)
    def seek_to_beginning(self, which: set[TopicPartition]) -> None:
        which &= self.expected.keys()
        self.state.seek_to(which, OffsetReset.EARLIEST)
        self.expected.update(dict.fromkeys(which, 0))

    @rule(which=SOME)
    def pause(self, which: set[TopicPartition]) -> None:
        which &= self.expected.keys()
        self.state.pause(which)
        self.paused |= which

    @rule(which=SOME)
    def resume(self, which: set[TopicPartition]) -> None:
        which &= self.expected.keys()
        self.state.resume(which)
        self.paused -= which

    @rule(passed=st.floats(0, 2))
    def plan(self, passed: float) -> None:
        self.now += passed
        needs = self.state.plan(IMAGE, self.now)
        self.open += needs
        nodes = [need.node_id for need in self.open if isinstance(need, Fetch)]
        assert len(nodes) == len(set(nodes))

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        need = self.open.pop(data.draw(st.integers(0, len(self.open) - 1)))
        if data.draw(st.integers(0, 5)) == 0:
            self.state.failed(need, self.now)
        elif isinstance(need, Fetch):
            self.state.fetched(need, [self.result(p.partition, p.offset, data) for p in need.positions], self.now)
        elif isinstance(need, NeedCommittedOffset):
            found = {tp: OffsetAndMetadata(self.committed[tp]) for tp in need.fences if tp in self.committed}
            self.state.committed_found(need, found, self.now)
        elif isinstance(need, NeedOffsetReset):
            self.state.reset_found(need, listed(need, 0), self.now)
        else:
            assert isinstance(need, NeedMetadata)
            self.state.metadata_refreshed(need, self.now)

    def result(self, tp: TopicPartition, offset: int, data: st.DataObject) -> DecodedPartition:
        count = min(data.draw(st.integers(0, 40)), END - offset)
        if count > 0:
            return bring(columns(tp, offset, count))
        codes = [ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.UNKNOWN_TOPIC_ID]
        return DecodedPartition(tp, data.draw(st.sampled_from(codes)))

    @rule(max_records=st.integers(1, 60))
    def take(self, max_records: int) -> None:
        parts = self.state.take(max_records)
        assert sum(map(len, parts)) <= max_records
        for part in parts:
            tp = part.partition
            assert tp in self.live - self.paused
            offsets = list(part.columns.offsets[part.start : part.stop])
            first = self.committed.get(tp, 0) if self.expected[tp] is None else self.expected[tp]
            assert first is not None
            assert offsets == list(range(first, first + len(part)))
            self.expected[tp] = first + len(part)

    @rule()
    def commit(self) -> None:
        self.state.mark_consumed()
        self.committed.update({tp: found.offset for tp, found in self.state.consumed_offsets().items()})

    @invariant()
    def positions_follow_what_was_handed_over(self) -> None:
        assert self.state.assignment() == self.expected.keys()
        for tp, expected in self.expected.items():
            position = self.state.position(tp)
            if expected is not None and position is not None:
                assert position == expected
            elif position is not None:
                self.expected[tp] = position  # committed or reset, and nothing handed over yet


Fetching.TestCase.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
TestFetching = Fetching.TestCase
