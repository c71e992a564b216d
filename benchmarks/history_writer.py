"""What a file of history events costs the thread that writes them, and how many a second it takes.

Run as ``python -m benchmarks.history_writer`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. One thread writes events as a consumer does, some at a steady rate, some as fast as it can.
Each call of ``write`` is timed; a round ends when all events are in the file or dropped.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from attrs import frozen

from benchmarks.page import about_the_run, in_digits, in_ms, per_second, spread, table, write_section
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.file_sink import FileSink
from kafka_nextgen.history.queued_sink import QUEUE_CAPACITY

ROUNDS = 5
EVENTS = 100_000
PACED_S = 3.0
CLOSING_S = 300.0


@frozen
class Case:
    """So many events: ``rate`` a second (None: as fast as it goes), into a queue of ``capacity``."""

    name: str
    events: int
    rate: int | None
    capacity: int = QUEUE_CAPACITY


@frozen
class Measured:
    """Of one round: events put down a second, the p50, p99 and longest of ``write`` in seconds, the share dropped."""

    rate: float
    p50_s: float
    p99_s: float
    longest_s: float
    dropped: float


def cases(events: int, paced_s: float) -> list[Case]:
    return [
        Case("1,000 a second", int(1_000 * paced_s), 1_000),
        Case("10,000 a second", int(10_000 * paced_s), 10_000),
        Case("a burst that the queue takes", min(events, QUEUE_CAPACITY), None),
        Case("as fast as it goes, with room for all", events, None, capacity=events),
        Case("as fast as it goes, into the usual queue", events, None),
    ]


def some_event(seq: int) -> Event:
    """A commit, as a consumer of a busy group tells it."""
    return Event(
        at=1_764_122_592_000 + seq,
        seq=seq,
        source="consumer:billing-1/8d2f",
        cluster="8mF3aPZ0RxWfU2sVb1y7qA",
        group="billing",
        protocol="consumer",
        kind=EventKind.COMMITTED,
        member="0ade2448-db1c-4b0e-a4b2-be209d3a45bb",
        topic="orders",
        partitions=(seq % 64,),
        offset=1_000_000 + seq,
        ms=4,
    )


def measure(case: Case, path: Path) -> Measured:
    """One round, into a new file."""
    events = [some_event(seq) for seq in range(case.events)]
    path.unlink(missing_ok=True)
    sink = FileSink(path, capacity=case.capacity)
    began = time.perf_counter()
    took = _paced(sink, events, case.rate) if case.rate else _at_once(sink, events)
    sink.close(CLOSING_S)
    rate = sink.written / (time.perf_counter() - began)
    took.sort()
    return Measured(rate, took[len(took) // 2], took[len(took) * 99 // 100], took[-1], sink.dropped / len(events))


def _at_once(sink: FileSink, events: Iterable[Event]) -> list[float]:
    took, now = [], time.perf_counter
    for event in events:
        begin = now()
        sink.write(event)
        took.append(now() - begin)
    return took


def _paced(sink: FileSink, events: Sequence[Event], rate: int) -> list[float]:
    """In steps of a millisecond or more."""
    step = max(1, rate // 1_000)
    took: list[float] = []
    due = time.perf_counter()
    for first in range(0, len(events), step):
        took += _at_once(sink, events[first : first + step])
        due += step / rate
        time.sleep(max(0.0, due - time.perf_counter()))
    return took


def writer_table(measured: Sequence[tuple[Case, Sequence[Measured]]]) -> str:
    """One row for each case: medians of the rounds, with the least and the most."""
    rows = [
        (
            case.name,
            per_second([each.rate for each in rounds]),
            spread([each.p50_s * 1e6 for each in rounds]),
            spread([each.p99_s * 1e6 for each in rounds]),
            in_ms([each.longest_s for each in rounds]),
            in_digits(100 * max(each.dropped for each in rounds), 3),
        )
        for case, rounds in measured
    ]
    head = ("events", "in the file, per s", "write p50, us", "write p99, us", "longest write, ms", "dropped at most, %")
    return table(head, rows)


def run(rounds: int, events: int, paced_s: float) -> str:
    """All cases in turn, round after round, as a table."""
    found: dict[Case, list[Measured]] = {case: [] for case in cases(events, paced_s)}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for case, so_far in found.items():
                so_far.append(measure(case, Path(folder) / "log.jsonl"))
    return writer_table(list(found.items()))


@click.command(help=__doc__)
@click.option("--rounds", default=ROUNDS, show_default=True)
@click.option("--events", default=EVENTS, show_default=True, help="How many are written as fast as it goes.")
@click.option("--write", is_flag=True, help="Write the figures to the page.")
def main(rounds: int, events: int, write: bool) -> None:
    load = os.getloadavg()[0]
    found = run(rounds, events, PACED_S)
    body = f"{about_the_run(load=load)}\n\n{found}"
    click.echo(body)
    if write:
        write_section("history_writer", body)


if __name__ == "__main__":
    main()
