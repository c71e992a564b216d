"""What may be committed is what is finished without a gap."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.processing.progress import Progress, Stage, Ticket
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.processing.stage import P0, P1


def hand_out(progress: Progress, *offsets: int, partition: TopicPartition = P0) -> list[Ticket]:
    return [progress.hand_out(partition, offset, leader_epoch=3) for offset in offsets]


def finish(progress: Progress, *tickets: Ticket) -> None:
    for ticket in tickets:
        progress.begin(ticket)
        progress.finish(ticket)


def committable(progress: Progress, partition: TopicPartition = P0) -> int | None:
    found = progress.committable([partition])
    return found[partition].offset if found else None


class Interrupted(deque[Ticket]):
    """A window in which a signal handler raises after a ticket was taken out."""

    def pop(self) -> Ticket:  # type: ignore[override]
        super().pop()
        raise KeyboardInterrupt

    def popleft(self) -> Ticket:
        super().popleft()
        raise KeyboardInterrupt


@pytest.fixture
def interrupted() -> tuple[Progress, Ticket]:
    progress = Progress()
    (ticket,) = hand_out(progress, 5)
    known = progress._partitions[P0]
    known.window = Interrupted(known.window)
    return progress, ticket


def test_a_record_stays_the_next_one_if_giving_it_back_is_interrupted(interrupted: tuple[Progress, Ticket]) -> None:
    progress, _ = interrupted
    with pytest.raises(KeyboardInterrupt):
        progress.give_back([P0])
    assert progress.next_open(P0) == 5


def test_a_finished_record_counts_though_counting_it_is_interrupted(interrupted: tuple[Progress, Ticket]) -> None:
    progress, ticket = interrupted
    with pytest.raises(KeyboardInterrupt):
        finish(progress, ticket)
    assert committable(progress) == 6


def test_offsets_may_have_gaps() -> None:
    progress = Progress()
    finish(progress, *hand_out(progress, 5, 90, 1000))
    assert progress.committable([P0]) == {P0: OffsetAndMetadata(1001, leader_epoch=3)}
    assert progress.window(P0) == 0


def test_partitions_have_nothing_to_do_with_each_other() -> None:
    progress = Progress()
    hand_out(progress, 0)
    finish(progress, *hand_out(progress, 4, partition=P1))
    assert progress.committable([P0, P1]) == {P1: OffsetAndMetadata(5, leader_epoch=3)}


def test_what_ends_after_its_partition_was_lost_changes_nothing() -> None:
    progress = Progress()
    (old,) = hand_out(progress, 5)
    progress.begin(old)
    progress.forget([P0])
    hand_out(progress, 5, 6)  # the partition came back
    progress.finish(old)
    assert committable(progress) is None
    assert progress.window(P0) == 2


def test_what_nobody_began_with_is_given_back() -> None:
    progress = Progress()
    first, second, third = hand_out(progress, 5, 6, 7)
    finish(progress, first)
    progress.give_back([P0])
    assert (second.stage, third.stage) == (Stage.GIVEN_BACK, Stage.GIVEN_BACK)
    assert (committable(progress), progress.next_open(P0), progress.window(P0)) == (6, 6, 0)


def test_after_something_was_given_back_nothing_is_handed_out() -> None:
    progress = Progress()
    hand_out(progress, 5)
    progress.give_back([P0])
    (later,) = hand_out(progress, 6)
    assert (later.stage, progress.next_open(P0), progress.window(P0)) == (Stage.GIVEN_BACK, 5, 0)
    progress.forget([P0])  # a new beginning
    assert hand_out(progress, 5)[0].stage is Stage.WAITING


def test_what_lies_before_something_begun_is_kept() -> None:
    progress = Progress()
    first, second, third = hand_out(progress, 5, 6, 7)
    progress.begin(second)
    progress.give_back([P0])
    assert [ticket.stage for ticket in (first, second, third)] == [Stage.WAITING, Stage.BEGUN, Stage.GIVEN_BACK]
    progress.finish(second)
    finish(progress, first)
    assert (committable(progress), progress.next_open(P0)) == (7, 7)


def test_the_first_open_record_is_where_to_go_on() -> None:
    progress = Progress()
    first, *_ = hand_out(progress, 5, 9)
    assert progress.next_open(P0) == 5
    finish(progress, first)
    assert progress.next_open(P0) == 9
    assert progress.next_open(P1) is None


def test_an_offset_that_goes_back_is_noticed() -> None:
    progress = Progress()
    hand_out(progress, 5)
    assert [progress.goes_back(P0, offset) for offset in (4, 5, 6)] == [True, True, False]
    assert not progress.goes_back(P1, 0)
    with pytest.raises(AssertionError, match="handed out before"):
        hand_out(progress, 5)


def test_a_record_ends_only_after_it_began() -> None:
    progress = Progress()
    with pytest.raises(AssertionError, match="before it was started"):
        progress.finish(hand_out(progress, 5)[0])


@given(st.permutations(range(8)), st.integers(0, 8))
def test_the_prefix_is_what_ended_first_in_any_order(order: list[int], ended: int) -> None:
    progress = Progress()
    tickets = hand_out(progress, *range(0, 16, 2))
    finish(progress, *(tickets[index] for index in order[:ended]))
    still_open = [index for index in range(8) if index not in order[:ended]]
    prefix = min(still_open, default=8)
    assert committable(progress) == (2 * (prefix - 1) + 1 if prefix else None)
