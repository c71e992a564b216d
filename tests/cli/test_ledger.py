"""The proof of the demonstration must fail whenever there is something wrong, and say what."""

from __future__ import annotations

import pytest

from kafka_nextgen.cli.demonstration import reports
from kafka_nextgen.cli.demonstration.ledger import Ledger
from kafka_nextgen.cli.demonstration.reports import Assigned, Committed, Finished, GivenUp, Processed, Report

CHECKSUM = 7


def ledger_of(*, produced: int) -> Ledger:
    ledger = Ledger()
    for offset in range(produced):
        ledger.produced(0, offset, CHECKSUM)
    return ledger


def process(ledger: Ledger, name: str, *offsets: int) -> None:
    for offset in offsets:
        ledger.processed(name, Processed(0, offset, CHECKSUM))


def test_all_processed_once_holds() -> None:
    ledger = ledger_of(produced=3)
    process(ledger, "a", 0, 1)
    process(ledger, "b", 2)
    proof = ledger.prove()
    assert (proof.produced, proof.faults, proof.repeated) == (3, (), {})


def test_a_record_nobody_processed_is_named() -> None:
    ledger = ledger_of(produced=3)
    process(ledger, "a", 0, 2)
    assert ledger.prove().faults == ("partition 0 offset 1: never processed",)


def test_a_record_nobody_produced_is_named() -> None:
    ledger = ledger_of(produced=1)
    process(ledger, "a", 0, 1)
    assert ledger.prove().faults == ("partition 0 offset 1: processed by a, never produced",)


def test_a_record_with_other_content_is_named() -> None:
    ledger = ledger_of(produced=1)
    ledger.processed("a", Processed(0, 0, CHECKSUM + 1))
    assert ledger.prove().faults == ("partition 0 offset 0: processed with a key or value that was not produced",)


def test_twice_without_a_kill_is_a_fault() -> None:
    ledger = ledger_of(produced=1)
    process(ledger, "a", 0)
    process(ledger, "b", 0)
    assert ledger.prove().faults == ("partition 0 offset 0: processed 2 times, by a, b",)


def test_what_a_killed_process_had_not_committed_may_come_again() -> None:
    ledger = ledger_of(produced=4)
    process(ledger, "a", 0, 1, 2)
    ledger.committed("a", Committed({0: 1}))
    ledger.killed("a")
    process(ledger, "b", 1, 2, 3)
    proof = ledger.prove()
    assert (proof.faults, proof.repeated) == ((), {"a": 2})


def test_what_a_killed_process_had_committed_may_not_come_again() -> None:
    ledger = ledger_of(produced=2)
    process(ledger, "a", 0, 1)
    ledger.committed("a", Committed({0: 1}))
    ledger.killed("a")
    process(ledger, "b", 0, 1)
    assert ledger.prove().faults == ("partition 0 offset 0: processed 2 times, by a, b",)


def test_a_kill_excuses_one_more_owner_not_two() -> None:
    ledger = ledger_of(produced=1)
    process(ledger, "a", 0)
    ledger.killed("a")
    process(ledger, "b", 0)
    process(ledger, "c", 0)
    assert ledger.prove().faults == ("partition 0 offset 0: processed 3 times, by a, b, c",)


def test_no_process_may_process_a_record_twice_even_if_it_is_killed() -> None:
    ledger = ledger_of(produced=1)
    process(ledger, "a", 0, 0)
    ledger.killed("a")
    assert ledger.prove().faults == ("partition 0 offset 0: processed 2 times, by a, a",)


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
