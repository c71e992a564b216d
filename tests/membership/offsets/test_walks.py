"""Random walks: whatever the coordinator answers and whenever, nothing is committed that is not the member's any more,
and nothing behind what was acknowledged or beyond what was read since it was assigned; every operation ends, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.offsets import effects as fx
from kafka_nextgen.membership.offsets import events as ev
from kafka_nextgen.membership.offsets.rules import CLASSIC_RULES as CLASSIC
from kafka_nextgen.membership.offsets.rules import RULES, OffsetRules
from kafka_nextgen.membership.offsets.sending import waits_since
from kafka_nextgen.membership.offsets.settings import OffsetContext
from kafka_nextgen.membership.offsets.state import INTERVAL_COMMIT
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition, format_partitions
from tests.membership.offsets.conversation import Conversation
from tests.support.examples import examples

ALL = [TopicPartition("foo", number) for number in range(3)]
SOME = st.frozensets(st.sampled_from(ALL))
INTERVAL_S, LIMIT_S = 5.0, 20.0

CODES = (
    ErrorCode.NONE,
    ErrorCode.STALE_MEMBER_EPOCH,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.ILLEGAL_GENERATION,
    ErrorCode.UNKNOWN_MEMBER_ID,
    ErrorCode.OFFSET_METADATA_TOO_LARGE,
)

Partitions = frozenset[TopicPartition]


class Watched(Conversation):
    """A conversation in which every commit that goes out is checked against what the application did."""

    def __init__(self, rules: OffsetRules, most_unanswered: int) -> None:
        super().__init__(rules, INTERVAL_S, most_unanswered=most_unanswered)
        self.epoch = -1
        self.owned: Partitions = frozenset()
        self.position = dict.fromkeys(ALL, 0)  # of each since it was assigned
        self.consumed = dict.fromkeys(ALL, 0)
        self.asked_when_stopped: dict[TopicPartition, frozenset[int]] = {}  # the operations that had gone out by then
        self.sent: set[int] = set()  # the operations that went out at least once
        self.hurried: set[int] = set()  # the requests that went out because partitions were stopped
        self.acknowledged: dict[TopicPartition, int] = {}
        self.assignments = Counter[TopicPartition]()  # how often each was assigned
        self.sent_in: dict[int, Counter[TopicPartition]] = {}  # the same when each request went out
        self.asked: set[int] = set()

    def says(self, event: ev.OffsetEvent) -> list[str]:
        before, said = len(self.commits), set(self.ended)
        lines = super().says(event)
        if isinstance(event, ev.PartitionsStopped):
            self.hurried |= {request.number for request in self.commits[before:]}
        for request in self.commits[before:]:
            self._check(request)
        ends = [line.split()[0] for line in lines if line[0].isdigit() and line[0] != "0"]
        assert len(ends) == len(set(ends)), "an operation ends once"
        assert not {int(operation) for operation in ends} & said, "an operation that ended has no other end"
        return lines

    def _check(self, request: fx.SendCommit) -> None:
        operation = self.machine.state.commit_requests[request.number].operation
        assert request.member_epoch == self.epoch >= 0, "a commit carries the epoch the member is in"
        assert request.offsets.keys() <= self.owned, "nothing is committed that is given up or lost"
        for tp, offset in request.offsets.items():
            is_of_interval = operation == INTERVAL_COMMIT
            is_repeated = operation in self.asked_when_stopped.get(tp, ())
            assert is_of_interval or not is_repeated, f"{tp} was stopped after operation {operation} went out"
            assert offset.offset <= self.position[tp], f"{tp} was read up to {self.position[tp]} in this assignment"
            assert offset.offset >= self.acknowledged.get(tp, 0), f"{tp} would go back behind what is acknowledged"
        self.sent.add(operation)
        self.sent_in[request.number] = self.assignments.copy()

    def apply(self, partitions: Partitions) -> None:
        self.forget(self.owned ^ partitions)
        begun = partitions - self.owned
        self.assignments.update(begun)
        self.position |= dict.fromkeys(begun, 0)
        self.consumed |= dict.fromkeys(begun, 0)
        self.owned = partitions
        self.says(ev.AssignmentApplied(partitions))

    def forget(self, partitions: Partitions) -> None:
        for tp in partitions:
            self.acknowledged.pop(tp, None)
            self.asked_when_stopped.pop(tp, None)

    def answer(self, index: int, codes: Mapping[TopicPartition, int]) -> None:
        request = self.next_to_answer(index)
        self.commits.remove(request)
        sent_in = self.sent_in[request.number]
        done = [tp for tp in request.offsets if not codes[tp] and sent_in[tp] == self.assignments[tp]]
        self.acknowledged |= {tp: request.offsets[tp].offset for tp in done if tp in self.owned}
        self.says(ev.CommitAnswered(request.number, codes))

    def next_to_answer(self, index: int) -> fx.SendCommit:
        """What has to be answered before this one, for one connection keeps the order, or else this one."""
        chosen = self.commits[index % len(self.commits)]
        return next(request for request in self.commits if request.offsets.keys() & chosen.offsets.keys())

    def enter_epoch(self) -> None:
        self.last_epoch = getattr(self, "last_epoch", 0) + 1
        self.epoch = self.last_epoch
        self.publish(self.epoch)


class Walk(RuleBasedStateMachine):
    @initialize(classic=st.booleans(), most=st.integers(1, 4), first=st.frozensets(st.sampled_from(ALL), min_size=1))
    def begin(self, classic: bool, most: int, first: Partitions) -> None:
        self.talk = Watched(CLASSIC if classic else RULES, most)
        self.giving_up: Partitions | None = None
        self.talk.enter()
        self.talk.enter_epoch()
        self.talk.apply(first)

    # The application.

    @rule(partition=st.sampled_from(ALL), count=st.integers(1, 3))
    def reads(self, partition: TopicPartition, count: int) -> None:
        self.talk.position[partition] += count

    @rule()
    def reads_and_commits_everything(self) -> None:
        self.talk.position |= {tp: offset + 1 for tp, offset in self.talk.position.items()}
        self._commit(self.talk.owned)

    @rule()
    def polls(self) -> None:
        self.talk.consumed |= self.talk.position

    @rule(which=SOME)
    def commits(self, which: Partitions) -> None:
        self._commit(which & self.talk.owned)

    def _commit(self, which: Partitions) -> None:
        self.talk.commit(" ".join(f"{tp}={self.talk.position[tp]}" for tp in sorted(which)), LIMIT_S)
        self.talk.asked.add(len(self.talk.asked) + 1)

    @precondition(lambda self: self.talk.machine.state.reading)
    @rule()
    def tells_what_is_processed(self) -> None:
        offsets = {tp: OffsetAndMetadata(self.talk.consumed[tp]) for tp in self.talk.owned}
        self.talk.says(ev.ConsumedRead(self.talk.reading, offsets))

    @precondition(lambda self: self.talk.asked)
    @rule(data=st.data())
    def cancels(self, data: st.DataObject) -> None:
        self.talk.withdraw(operation := data.draw(st.sampled_from(sorted(self.talk.asked))))
        self.talk.ended.setdefault(operation, fx.CommitEnded(operation, None))

    @precondition(lambda self: self.talk.epoch >= 0)
    @rule()
    def the_interval_is_over(self) -> None:
        self.talk.passes(INTERVAL_S)
        if self.talk.machine.state.reading:
            self.tells_what_is_processed()

    # The group.

    @precondition(lambda self: self.talk.epoch >= 0)
    @rule()
    def a_new_epoch(self) -> None:
        self.talk.enter_epoch()

    @precondition(lambda self: self.talk.epoch >= 0 and self.giving_up is None)
    @rule(gone=SOME, commits=st.booleans())
    def begins_to_give_up(self, gone: Partitions, commits: bool) -> None:
        talk, self.giving_up = self.talk, gone & self.talk.owned
        talk.asked_when_stopped |= dict.fromkeys(self.giving_up, frozenset(talk.sent))
        talk.stops(format_partitions(self.giving_up))
        if commits:
            talk.consumed |= talk.position
            talk.asked.add(len(talk.asked) + 1)
            talk.commit_before_revoking(" ".join(f"{tp}={talk.consumed[tp]}" for tp in sorted(talk.owned)), LIMIT_S)

    @precondition(lambda self: self.giving_up is not None)
    @rule(added=SOME)
    def has_given_up(self, added: Partitions) -> None:
        assert self.giving_up is not None
        self.talk.apply(self.talk.owned - self.giving_up | added - self.giving_up)
        self.giving_up = None

    @precondition(lambda self: self.talk.epoch >= 0)
    @rule()
    def is_fenced(self) -> None:
        self.talk.forget(self.talk.owned)
        self.giving_up = None
        self.talk.epoch = -1
        self.talk.publish(-1)

    @precondition(lambda self: self.talk.epoch < 0)
    @rule(owned=SOME)
    def joins_again(self, owned: Partitions) -> None:
        self.talk.owned = frozenset()
        self.talk.enter_epoch()
        self.talk.apply(owned)

    # The coordinator, and the network.

    @precondition(lambda self: self.talk.commits)
    @rule(index=st.integers(0, 5), data=st.data())
    def answers(self, index: int, data: st.DataObject) -> None:
        request = self.talk.next_to_answer(index)
        codes = {tp: int(data.draw(st.sampled_from(CODES))) for tp in sorted(request.offsets)}
        self.talk.answer(index, codes)

    @precondition(lambda self: self.talk.commits)
    @rule(index=st.integers(0, 5))
    def is_busy(self, index: int) -> None:
        request = self.talk.next_to_answer(index)
        self.talk.answer(index, dict.fromkeys(request.offsets, int(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)))

    @precondition(lambda self: self.talk.commits)
    @rule(index=st.integers(0, 5))
    def accepts(self, index: int) -> None:
        request = self.talk.next_to_answer(index)
        self.talk.answer(index, dict.fromkeys(request.offsets, 0))

    @precondition(lambda self: self.talk.commits)
    @rule()
    def loses(self) -> None:
        self.talk.lose()

    @rule(seconds=st.sampled_from([0.05, 0.1, 0.5, INTERVAL_S]))
    def time_passes(self, seconds: float) -> None:
        self.talk.passes(seconds)

    @invariant()
    def one_request_carries_a_partition(self) -> None:
        carried: set[TopicPartition] = set()
        for request in self.talk.commits if hasattr(self, "talk") else ():
            assert request.number in self.talk.hurried or not carried & request.offsets.keys()
            carried |= request.offsets.keys()

    @invariant()
    def none_waits_beside_a_free_place(self) -> None:
        if hasattr(self, "talk"):
            state, at = self.talk.machine.state, OffsetContext(self.talk.now, 0.5, self.talk.machine.settings)
            waiting = [operation for operation in state.commits if waits_since(state, operation, at) is not None]
            assert not waiting or len(state.commit_requests) >= at.settings.most_unanswered

    def teardown(self) -> None:
        if not hasattr(self, "talk"):
            return
        while self.talk.commits:
            self.talk.lose()
        for _ in range(60):
            self.talk.passes(1.0)
            while self.talk.commits:
                self.talk.lose()
        assert self.talk.asked <= self.talk.ended.keys(), "every operation ends"


TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=examples(400), stateful_step_count=40)
