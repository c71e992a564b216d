"""Any sequence of elections, reading ahead and late answers, beside a log that tells who wrote what.

Every new leader's log is a beginning of the one before. Whatever happens, once things have calmed down the application
has been handed what is in the log, and reading goes on at its end: what was read and is not there any more is taken
back by the next record at its offset.
"""

from __future__ import annotations

from bisect import bisect_right

from attrs import define, field
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

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
    SessionAnswer,
)
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.fetch import FetchPosition
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd, EpochQuestion
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.world import bring, cluster, columns, listed
from tests.support.examples import examples

P0 = TopicPartition("orders", 0)
BATCH = 20


@define
class Log:
    """A leader's log: the epoch of each record. Asked as a leader of another epoch, it refuses."""

    epochs: list[int] = field(factory=list)
    leader_epoch: int = 0

    def end_of(self, epoch: int) -> EpochEnd:
        if epoch > self.leader_epoch:
            return EpochEnd()
        end = bisect_right(self.epochs, epoch)
        return EpochEnd(epoch if epoch == self.leader_epoch else self.epochs[end - 1] if end else epoch, end)

    def answer_epoch(self, question: EpochQuestion) -> EpochEnd:
        refused = self._refuse(question.leader_epoch)
        return self.end_of(question.epoch) if refused is None else EpochEnd(error=refused)

    def answer_fetch(self, asked: FetchPosition, compares: bool) -> DecodedPartition:
        refused = self._refuse(asked.leader_epoch)
        if refused is not None:
            return DecodedPartition(P0, refused)
        if compares and asked.last_epoch >= 0:
            found = self.end_of(asked.last_epoch)
            if not found.is_known:
                return DecodedPartition(P0, ErrorCode.OFFSET_OUT_OF_RANGE)
            if found.epoch < asked.last_epoch or found.end_offset < asked.offset:
                return DecodedPartition(P0, columns=columns(P0, asked.offset, 0), diverging=found)
        if asked.offset > len(self.epochs):
            return DecodedPartition(P0, ErrorCode.OFFSET_OUT_OF_RANGE)
        return bring(self._batch(asked.offset))

    def _batch(self, offset: int) -> Columns:
        epoch = self.epochs[offset] if offset < len(self.epochs) else -1
        ours = [at for at in range(offset, min(offset + BATCH, len(self.epochs))) if self.epochs[at] == epoch]
        return columns(P0, offset, len(ours), epoch) if ours else Columns(P0, offset)

    def _refuse(self, leader_epoch: int) -> int | None:
        if leader_epoch in (-1, self.leader_epoch):
            return None
        is_old = leader_epoch < self.leader_epoch
        return ErrorCode.FENCED_LEADER_EPOCH if is_old else ErrorCode.UNKNOWN_LEADER_EPOCH


class Truncating(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.state = FetchState(FetchSettings(reset=OffsetReset.EARLIEST))
        self.log = Log([0] * BATCH)
        self.image = cluster({P0: 1}, epoch=0)
        self.now = 0.0
        self.open: list[tuple[Need, object]] = []  # with the answers of the time when they were asked
        self.decoding: list[tuple[Fetch, DecodedPartition]] = []
        self.view: list[int] = []  # the epochs of what the application has, by offset

    @initialize(compares=st.booleans())
    def begin(self, compares: bool) -> None:
        """Fetches are compared from version 12 on; before, there is validation only."""
        self.compares = compares
        self.state.assign([P0], [P0])
        self.state.release([P0])

    # ---- the cluster

    @rule(count=st.integers(1, 12))
    def write(self, count: int) -> None:
        self.log.epochs += [self.log.leader_epoch] * count

    @rule(loses=st.integers(0, 20), writes=st.integers(0, 12))
    def elect(self, loses: int, writes: int) -> None:
        kept = max(0, len(self.log.epochs) - loses)
        self.log = Log(self.log.epochs[:kept], self.log.leader_epoch + 1)
        self.write(writes)

    @rule()
    def hear_of_the_leader(self) -> None:
        self.image = cluster({P0: 1}, epoch=self.log.leader_epoch)

    # ---- the driver

    @rule(passed=st.floats(0, 2))
    def plan(self, passed: float = 1.0) -> None:
        self.now += passed
        self.open += [(need, self.answer_to(need)) for need in self.state.planning.plan(self.image, self.now).needs]

    @precondition(lambda self: self.open)
    @rule(late=st.booleans(), decodes_later=st.booleans())
    def answer(self, late: bool = False, decodes_later: bool = False) -> None:
        """Give the answer of the time when it was asked, or that of now."""
        need, answer = self.open.pop(0)
        answer = answer if late else self.answer_to(need)
        if isinstance(need, Fetch):
            assert isinstance(answer, DecodedPartition)
            self.bring(need, answer, decodes_later or bool(self.decoding))
        elif isinstance(need, NeedEpochEnds):
            assert isinstance(answer, EpochEnd)
            self.state.results.epoch_ends_found(need, {P0: answer}, self.now)
        elif isinstance(need, NeedCommittedOffset):
            self.state.results.committed_found(need, {P0: None}, self.now)
        elif isinstance(need, NeedOffsetReset):
            self.state.results.reset_found(need, listed(need, 0), self.now)
        else:
            assert isinstance(need, NeedMetadata)
            self.hear_of_the_leader()
            self.state.results.metadata_refreshed(need, self.now)

    @precondition(lambda self: self.decoding)
    @rule()
    def decode(self) -> None:
        fetch, result = self.decoding.pop(0)
        self.state.results.fetched(fetch, [result], self.now)

    def answer_to(self, need: Need) -> DecodedPartition | EpochEnd | None:
        if isinstance(need, Fetch):
            return self.log.answer_fetch(need.positions[0], self.compares)
        return self.log.answer_epoch(need.questions[P0]) if isinstance(need, NeedEpochEnds) else None

    def bring(self, fetch: Fetch, answer: DecodedPartition, decodes_later: bool) -> None:
        records = answer.columns
        arrivals = {}
        if decodes_later and records is not None and len(records):
            arrivals = {P0: Arrival(records.next_offset, records.nbytes, records.end_epoch)}
        assert self.state.results.received(fetch, SessionAnswer(ErrorCode.NONE, 0, [P0]), arrivals, self.now)
        self.decoding.append((fetch, answer))
        if not decodes_later:
            self.decode()

    # ---- the application

    @rule(count=st.integers(1, 12))
    def take(self, count: int) -> None:
        for part in self.state.handover.take(count):
            first = part.columns.offsets[part.start]
            assert first <= len(self.view), "nothing is skipped"
            self.view[first:] = part.columns.leader_epochs[part.start : part.stop].tolist()

    def teardown(self) -> None:
        self.hear_of_the_leader()
        for _ in range(60):
            self.plan()
            while self.open or self.decoding:
                self.answer() if self.open else self.decode()
            self.take(1000)
        assert self.view[: len(self.log.epochs)] == self.log.epochs
        assert self.state.position(P0) == len(self.log.epochs)


Truncating.TestCase.settings = settings(max_examples=examples(100), stateful_step_count=40)
TestTruncating = Truncating.TestCase
