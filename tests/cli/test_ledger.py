"""The proof of the demonstration must fail whenever there is something wrong, and say what."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from kafka_nextgen.cli.demonstration import reports
from kafka_nextgen.cli.demonstration.ledger import Ledger
from kafka_nextgen.cli.demonstration.progress import PARTITION_COUNT, Progress
from kafka_nextgen.cli.demonstration.reports import Assigned, Committed, Finished, GivenUp, Processed, Report
from kafka_nextgen.cli.demonstration.screen import PlainScreen, TerminalScreen, open_screen

CHECKSUM = 7


def ledger_of(produced: int, *steps: str) -> Ledger:
    """Of so many records; a step is who processed them (``a:0,1``), committed (``a<1``) or was killed (``a!``)."""
    ledger = Ledger()
    for offset in range(produced):
        ledger.produced(0, offset, CHECKSUM)
    for name, what, rest in ((step[0], step[1], step[2:]) for step in steps):
        if what == ":":
            for offset in rest.split(","):
                ledger.processed(name, Processed(0, int(offset), CHECKSUM))
        elif what == "<":
            ledger.committed(name, Committed({0: int(rest)}))
        else:
            ledger.killed(name)
    return ledger


def test_all_processed_once_holds() -> None:
    proof = ledger_of(3, "a:0,1", "b:2").prove()
    assert (proof.produced, proof.faults, proof.repeated) == (3, (), {})


def test_what_a_killed_process_had_not_committed_may_come_again() -> None:
    proof = ledger_of(4, "a:0,1,2", "a<1", "a!", "b:1,2,3").prove()
    assert (proof.faults, proof.repeated) == ((), {"a": 2})


@pytest.mark.parametrize(
    ("produced", "steps", "fault"),
    [
        pytest.param(3, ["a:0,2"], "offset 1: never processed", id="a record that no one processed"),
        pytest.param(1, ["a:0,1"], "offset 1: processed by a, never produced", id="a record that no one produced"),
        pytest.param(1, ["a:0", "b:0"], "offset 0: processed 2 times, by a, b", id="twice without a kill"),
        pytest.param(
            2, ["a:0,1", "a<1", "a!", "b:0,1"], "offset 0: processed 2 times, by a, b", id="again what was committed"
        ),
        pytest.param(
            1, ["a:0", "a!", "b:0", "c:0"], "offset 0: processed 3 times, by a, b, c", id="a kill excuses one more"
        ),
        pytest.param(1, ["a:0,0", "a!"], "offset 0: processed 2 times, by a, a", id="twice by the one that is killed"),
    ],
)
def test_what_is_wrong_is_named(produced: int, steps: list[str], fault: str) -> None:
    assert ledger_of(produced, *steps).prove().faults == (f"partition 0 {fault}",)


def test_a_record_with_other_content_is_named() -> None:
    ledger = ledger_of(1)
    ledger.processed("a", Processed(0, 0, CHECKSUM + 1))
    assert ledger.prove().faults == ("partition 0 offset 0: processed with a key or value that was not produced",)


@pytest.mark.parametrize(
    "report",
    [
        Assigned((0, 3)),
        GivenUp((1,)),
        GivenUp((1,), lost=True),
        Processed(2, 14, 99),
        Committed({0: 5, 3: 9}),
        Finished(),
    ],
)
def test_a_report_survives_the_pipe_in_one_write(report: Report) -> None:
    line = reports.write(report)
    assert reports.read(line) == report
    assert len(line) <= 512  # what POSIX promises at the least for PIPE_BUF


@pytest.mark.parametrize("line", [b"", b"nonsense", b"[]", b'["processed",1]', b'["danced"]', b'{"a":1}'])
def test_what_is_no_report_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match="not a report"):
        reports.read(line)


# ---- the screen says who owns what and how far each partition is, redrawn or line by line


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
