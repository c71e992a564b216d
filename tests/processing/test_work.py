"""The machine: records in, tasks out, what became of them in, what to commit out."""

from __future__ import annotations

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kafka_nextgen.processing.arguments import Order
from kafka_nextgen.processing.lane_scheduler import Task
from kafka_nextgen.processing.progress import Stage
from kafka_nextgen.processing.work import FailureOutcome, Work, format_tickets
from kafka_nextgen.types import TopicPartition
from tests.processing.stage import P0, P1, record, settings
from tests.support.examples import examples

BAD = ValueError("no such order")


def work_on(*places: tuple[TopicPartition, int], has_dead_letter: bool = False, attempts: int = 2) -> Work:
    work = Work(settings(attempts=attempts), has_dead_letter)
    work.add(record(partition, offset) for partition, offset in places)
    return work


def take(work: Work, now: float = 0.0) -> Task:
    task = work.take(now)
    assert task is not None, "there is nothing to work on"
    return task


def committable(work: Work) -> dict[TopicPartition, int]:
    return {partition: offset.offset for partition, offset in work.committable().items()}


def test_a_failed_record_is_tried_again_after_a_pause() -> None:
    work = work_on((P0, 0))
    assert work.failed(take(work), BAD, now=10.0) is FailureOutcome.TRY_AGAIN
    assert work.take(10.9) is None
    assert work.deadline() == 11.0
    work.finished(take(work, 11.0))
    assert committable(work) == {P0: 1}


def test_a_dead_letter_counts_as_finished_once_it_was_taken() -> None:
    work = work_on((P0, 0), has_dead_letter=True, attempts=1)
    task = take(work)
    assert work.failed(task, BAD, now=0.0) is FailureOutcome.DEAD_LETTER
    assert committable(work) == {}
    work.finished(task)
    assert committable(work) == {P0: 1}


def test_without_a_dead_letter_everything_ends_with_the_error() -> None:
    work = work_on((P0, 0), (P0, 1), (P1, 0), attempts=1)
    failing, other = take(work), take(work)
    assert work.failed(failing, BAD, now=0.0) is FailureOutcome.STOP
    assert work.error is BAD
    assert work.is_ending
    assert work.take(100.0) is None
    assert not work.is_drained()
    work.finished(other)
    assert work.is_drained()
    assert committable(work) == {P1: 1}
    assert work.positions() == {P0: 0}


def test_a_dead_letter_that_is_refused_ends_everything_and_is_not_committed() -> None:
    work = work_on((P0, 0), has_dead_letter=True, attempts=1)
    task = take(work)
    work.failed(task, BAD, now=0.0)
    refused = OSError("the dead letter topic is gone")
    work.failed_for_good(task, refused)
    assert work.error is refused
    assert committable(work) == {}


def test_the_first_error_is_the_one_that_is_raised() -> None:
    work = work_on((P0, 0), (P1, 0), attempts=1)
    first, second = take(work), take(work)
    work.failed(first, BAD, now=0.0)
    work.failed(second, ValueError("later"), now=0.0)
    assert work.error is BAD


def test_at_the_end_only_what_was_begun_is_finished() -> None:
    work = work_on((P0, 0), (P0, 1))
    begun = take(work)
    work.begin_to_end()
    assert not work.is_drained()
    work.finished(begun)
    assert work.take(0.0) is None
    assert work.is_drained()
    assert (committable(work), work.positions()) == ({P0: 1}, {P0: 1})


def test_at_the_end_what_lies_before_something_begun_is_worked_on_too() -> None:
    work = Work(settings(Order.KEY, concurrency=2), has_dead_letter=False)
    work.add([record(P0, 0, b"a"), record(P0, 1, b"a"), record(P0, 2, b"b"), record(P0, 3, b"a")])
    first, third = take(work), take(work)
    work.begin_to_end()
    work.finished(third)
    work.finished(first)
    assert not work.is_drained()
    second = take(work)
    assert second.record.offset == 1
    work.finished(second)
    assert work.is_drained()
    assert (committable(work), work.positions()) == ({P0: 3}, {P0: 3})


def test_records_that_come_after_the_end_began_are_read_again_later() -> None:
    work = work_on()
    work.begin_to_end()
    work.add([record(P0, 7)])
    work.add([record(P0, 8)])
    assert work.take(0.0) is None
    assert work.positions() == {P0: 7}


def test_reading_goes_on_at_the_first_record_that_is_open_though_later_ones_were_polled() -> None:
    work = work_on((P0, 0), (P0, 1))
    polled = [record(P0, 1), record(P0, 2), record(P0, 3), record(P1, 5), record(P1, 6)]
    assert work.positions(polled) == {P0: 0, P1: 5}


def test_everything_is_paused_at_the_end() -> None:
    work = work_on((P0, 0))
    assert work.to_pause([P0, P1], paused=()) == frozenset()
    work.begin_to_end()
    assert work.to_pause([P0, P1], paused=()) == {P0, P1}


def test_a_slow_partition_is_paused() -> None:
    work = Work(settings(limit=8), has_dead_letter=False)
    assert work.max_records([P0, P1]) == 2
    work.add([record(P0, 0), record(P0, 1)])
    assert work.to_pause([P0, P1], paused=()) == {P0}


def test_a_partition_given_up_is_drained_while_others_go_on() -> None:
    work = work_on((P0, 0), (P0, 1), (P1, 0), (P1, 1))
    given_up, other = take(work), take(work)
    work.give_back([P0])
    assert not work.is_drained([P0])
    assert format_tickets(work.at_work([P0])) == "orders[0] offset 0"
    work.finished(given_up)
    assert work.is_drained([P0])
    work.finished(other)
    assert format_tickets([take(work).ticket]) == "orders[1] offset 1"


def test_a_lost_partition_is_forgotten_also_by_what_still_runs() -> None:
    work = work_on((P0, 0), (P0, 1))
    running = take(work)
    work.forget([P0])
    assert work.is_drained([P0])
    assert not work.is_idle
    work.finished(running)
    assert work.is_idle
    assert work.take(0.0) is None
    assert (committable(work), work.positions()) == ({}, {})


def test_a_failure_in_a_lost_partition_is_nobodys_business() -> None:
    work = work_on((P0, 0), has_dead_letter=True, attempts=1)
    running = take(work)
    work.forget([P0])
    assert work.failed(running, BAD, now=0.0) is FailureOutcome.IGNORED
    assert work.error is None
    assert work.is_idle


def test_a_partition_whose_offsets_go_back_starts_over() -> None:
    work = work_on((P0, 50), (P0, 51))
    old = take(work)
    work.add([record(P0, 3)])  # its log was truncated
    work.finished(old)
    assert committable(work) == {}
    again = take(work)
    assert again.record.offset == 3
    work.finished(again)
    assert committable(work) == {P0: 4}


class WorkMachine(RuleBasedStateMachine):
    """Random work on two partitions that come and go: nothing unfinished is ever committable, and nothing is missed."""

    def __init__(self) -> None:
        super().__init__()
        self.work = Work(settings(Order.KEY, concurrency=3), has_dead_letter=True)
        self.next_offsets = {P0: 0, P1: 0}
        self.open: set[tuple[TopicPartition, int]] = set()
        self.given_up: set[TopicPartition] = set()
        self.at_work: list[Task] = []
        self.last_begun: dict[object, int] = {}
        self.now = 0.0

    @rule(
        partition=st.sampled_from([P0, P1]),
        keys=st.lists(st.sampled_from([None, b"a", b"b"]), min_size=1),
        gap=st.integers(1, 5),
    )
    def read(self, partition: TopicPartition, keys: list[bytes | None], gap: int) -> None:
        for key in keys:
            offset = self.next_offsets[partition]
            self.next_offsets[partition] += gap
            self.open.add((partition, offset))
            self.work.add([record(partition, offset, key)])

    @rule()
    def take(self) -> None:
        self._take()

    def _take(self) -> bool:
        task = self.work.take(self.now)
        if task is None:
            return False
        lane = task.ticket.partition, task.record.key
        assert task.ticket.stage is Stage.BEGUN
        assert self.last_begun.get(lane, 0) <= task.ticket.offset, "the records of a lane keep their order"
        self.last_begun[lane] = task.ticket.offset
        self.at_work.append(task)
        return True

    @precondition(lambda self: self.at_work)
    @rule(index=st.integers(0, 2), fails=st.booleans())
    def end(self, index: int, fails: bool) -> None:
        task = self.at_work.pop(index % len(self.at_work))
        if fails and self.work.failed(task, BAD, self.now) is not FailureOutcome.DEAD_LETTER:
            return
        if task.ticket.stage is not Stage.GIVEN_BACK:
            self.open.discard((task.ticket.partition, task.ticket.offset))
        self.work.finished(task)

    @rule()
    def wait(self) -> None:
        self.now += 1.0

    @rule(partition=st.sampled_from([P0, P1]))
    def lose(self, partition: TopicPartition) -> None:
        self.work.forget([partition])
        self.open = {place for place in self.open if place[0] != partition}
        self.given_up.discard(partition)

    @rule(partition=st.sampled_from([P0, P1]))
    def give_back(self, partition: TopicPartition) -> None:
        self.work.give_back([partition])
        self.given_up.add(partition)

    @invariant()
    def nothing_open_is_covered_and_reading_on_misses_nothing(self) -> None:
        covered, positions = committable(self.work), self.work.positions()
        assert all(offset >= covered.get(partition, 0) for partition, offset in self.open)
        first = {tp: min(offset for partition, offset in self.open if partition == tp) for tp, _ in self.open}
        assert first.items() <= positions.items()

    @invariant()
    def keys_are_worked_on_one_by_one(self) -> None:
        lanes = [(task.ticket.partition, task.record.key) for task in self.at_work]
        assert len(lanes) == len(set(lanes)) <= 3

    @invariant()
    def what_is_drained_has_its_work_behind_it(self) -> None:
        for partition in (P0, P1):
            if self.work.is_drained([partition]):
                assert not [task for task in self.at_work if _counts(task, partition)]

    def teardown(self) -> None:
        """Work until there is nothing left to begin: nothing is left open but of partitions that were given up."""
        self.now += 1_000
        while self._take() or self.at_work:
            if self.at_work:
                self.end(0, fails=False)
        assert {partition for partition, _ in self.open} <= self.given_up


def _counts(task: Task, partition: TopicPartition) -> bool:
    return task.ticket.partition == partition and task.ticket.stage is not Stage.GIVEN_BACK


TestWorkMachine = WorkMachine.TestCase
TestWorkMachine.settings = hypothesis_settings(max_examples=examples(60))
