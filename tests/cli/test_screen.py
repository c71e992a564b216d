"""The screen says who owns what and how far each partition is, redrawn or line by line."""

from __future__ import annotations

import io

from rich.console import Console

from kafka_nextgen.cli.demonstration.progress import PARTITION_COUNT, Progress
from kafka_nextgen.cli.demonstration.reports import Assigned, Committed, GivenUp, Processed
from kafka_nextgen.cli.demonstration.screen import PlainScreen, TerminalScreen, open_screen


def board_with_two_owners() -> Progress:
    board = Progress([10] * PARTITION_COUNT, on_news=lambda news: None)
    board.note("a", Assigned(tuple(range(6))))
    board.note("b", Assigned(tuple(range(6, PARTITION_COUNT))))
    board.note_produced(0, 0, checksum=1)
    board.note("a", Processed(0, 0, 1))
    return board


def test_plain_lines_name_owners_with_their_partitions() -> None:
    out = io.StringIO()
    PlainScreen(Console(file=out, width=200)).show(board_with_two_owners())
    assert "1 of 120 flights written, 1 processed; a flights[0-5]; b flights[6-11]" in out.getvalue()


def test_the_table_has_a_line_per_partition_and_marks_the_killed() -> None:
    out = io.StringIO()
    board = board_with_two_owners()
    board.note_killed("b")
    with open_screen(Console(file=out, width=120, height=40, force_terminal=True)) as screen:
        screen.tell("something happened")
        screen.show(board)
    for text in ("flights[0]", "flights[11]", "b, killed", "something happened"):
        assert text in out.getvalue()


def test_what_is_no_terminal_gets_plain_lines() -> None:
    with open_screen(Console(file=io.StringIO())) as screen:
        assert isinstance(screen, PlainScreen)
    with open_screen(Console(file=io.StringIO(), force_terminal=True)) as screen:
        assert isinstance(screen, TerminalScreen)


def test_news_tell_what_changes_hands() -> None:
    news: list[str] = []
    board = Progress([1] * PARTITION_COUNT, on_news=news.append)
    board.note("a", Assigned((0, 1)))
    board.note("a", GivenUp((1,)))
    board.note("a", GivenUp((0,), lost=True))
    board.note("a", Assigned(()))
    assert news == ["a takes over flights[0-1]", "a gives up flights[1]", "a has lost flights[0]"]


def test_a_late_goodbye_does_not_take_a_partition_from_its_new_owner() -> None:
    board = Progress([1] * PARTITION_COUNT, on_news=lambda news: None)
    board.note("a", Assigned((0,)))
    board.note("b", Assigned((0,)))
    board.note("a", GivenUp((0,)))
    assert board.owners == {0: "b"}


def test_a_commit_clears_what_is_uncommitted() -> None:
    board = board_with_two_owners()
    assert board.uncommitted["a"] == 1
    board.note("a", Committed({0: 1}))
    assert board.uncommitted["a"] == 0
