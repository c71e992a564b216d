"""Kills a streaming query again and again, starts it again from its checkpoint, and judges the outcome.

The query appends the records of a topic to Parquet files, while a producer writes more. When all kills are done, the
producer stops, and a last run reads to the end. ``judging`` has the rules for the group and the rows. It is also a
finding if

- a query ends by itself, goes on without its planner, or ends because one worker died;
- a process of a driver outlives it;
- a query does not come to a stage, or a batch is not done, in two minutes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet
from attrs import define, field, frozen

from tests.pyspark.killing.driver import begun_in, found_in
from tests.pyspark.killing.judging import Row, differences, unequal
from tests.pyspark.killing.kills import Kill, Killed
from tests.pyspark.killing.observer import Observer
from tests.pyspark.killing.places import Place, end_of_batch, place_of
from tests.pyspark.killing.processes import Driver, Target
from tests.pyspark.killing.writer import PARTITIONS, Records, Writer
from tests.support.clients import create_topic, stored_offsets, unique
from tests.support.waiting import GUARD_S, eventually

LOOKS_EVERY_S = 0.004  # each look costs processor time that the query lacks
_MOST_SHOWN = 20


@frozen
class Summary:
    """The figures of a run, and what was wrong."""

    killed: Sequence[Killed]
    starts: int
    batches: int
    records: int
    rows: int
    looks: int
    findings: Sequence[str]

    def lines(self) -> Iterator[str]:
        """A table, and what was found."""
        targets = Counter(killed.kill.target.value for killed in self.killed)
        stages = Counter(killed.place.stage.value for killed in self.killed)
        yield from ("| what | figure |", "|---|---|")
        yield f"| killed | {_joined(targets)} |"
        yield f"| where | {_joined(stages)} |"
        yield f"| starts of the driver, the last one included | {self.starts} |"
        yield f"| batches | {self.batches:,} |"
        yield f"| committed records written, rows found | {self.records:,}, {self.rows:,} |"
        yield f"| times the group was compared with the checkpoint | {self.looks:,} |"
        yield f"| findings | {len(self.findings)} |"
        yield from list(dict.fromkeys(self.findings))[:_MOST_SHOWN]


def run_kills(bootstrap_servers: str, home: Path, kills: Sequence[Kill], say: Callable[[str], None]) -> Summary:
    """Kill a query of its own topic and group; its files and the log of its drivers are in ``home``."""
    topic, group = create_topic(bootstrap_servers, "killed", PARTITIONS), unique("killed")
    writer, observer = Writer(bootstrap_servers, topic), Observer(bootstrap_servers, group, home)
    run = _Run([bootstrap_servers, topic, group, str(home)], home, observer, say)
    try:
        run.kill_all(kills)
        expected = writer.stop()
        run.finish()  # it takes seconds to start; by then brokers have the marker of the last transaction
    finally:
        writer.stop()
        observer.stop()
    rows = run.rows()
    run.judge(expected, rows, stored_offsets(bootstrap_servers, group))
    return Summary(
        killed=run.killed,
        starts=run.starts,
        batches=place_of(home).planned + 1,
        records=len(expected),
        rows=len(rows),
        looks=observer.looks,
        findings=[*run.findings, *observer.findings],
    )


@define
class _Run:
    arguments: list[str]
    home: Path
    observer: Observer
    say: Callable[[str], None]
    killed: list[Killed] = field(factory=list)
    findings: list[str] = field(factory=list)
    starts: int = 0

    def kill_all(self, kills: Sequence[Kill]) -> None:
        """Start drivers until all kills are done."""
        left = list(kills)
        while left:
            with self._start() as driver:
                while left and driver.exit_code is None:
                    self._kill(driver, left.pop(0))  # leaving the block kills a driver that survived the last one

    def finish(self) -> None:
        """Read to the end."""
        with self._start("--to-the-end") as driver:
            eventually("the last run is over", lambda: driver.exit_code is not None, 3 * GUARD_S)
            if driver.exit_code != 0:
                self.findings.append(f"the last run ended with exit code {driver.exit_code}")

    def rows(self) -> list[Row]:
        if not found_in(self.home).exists():
            return []
        columns = pyarrow.parquet.read_table(found_in(self.home)).to_pydict()
        return list(zip(columns["partition"], columns["offset"], columns["value"], strict=True))

    def judge(self, expected: Records, rows: Sequence[Row], group: dict[int, int]) -> None:
        """Check the outcome, after the last run."""
        place = place_of(self.home)
        if place.planned != place.done:
            self.findings.append(f"batch {place.planned} is planned, and {place.done} is the last one done")
        self.findings += [*differences(expected, rows), *unequal(group, end_of_batch(self.home, place.planned))]

    @contextmanager
    def _start(self, *options: str) -> Iterator[Driver]:
        """Run a driver, whose query has begun; at the end nothing is left of it."""
        begun_in(self.home).unlink(missing_ok=True)
        self.starts += 1
        with Driver([*self.arguments, *options], self.home / "driver.log") as driver:
            eventually("the query has begun", lambda: self._has_begun(driver))
            yield driver
            if driver.exit_code is not None and not _in_time(lambda: not driver.processes()):
                self.findings.append(f"these processes outlived their driver: {driver.processes()}")

    def _has_begun(self, driver: Driver) -> bool:
        has_begun = begun_in(self.home).exists()
        assert has_begun or driver.exit_code is None, f"the driver did not start, see {self.home / 'driver.log'}"
        return has_begun

    def _kill(self, driver: Driver, kill: Kill) -> None:
        time.sleep(kill.delay_s)
        place = self._strike(driver, kill)
        if place is None:
            self.findings.append(f"the query ended, or did not come to this: {kill}")
            return
        self.killed.append(Killed(kill, place))
        self.say(f"{len(self.killed)}: {self.killed[-1]}")
        self._see_what_follows(driver, kill.target, place)

    def _strike(self, driver: Driver, kill: Kill) -> Place | None:
        """Kill as soon as the query is at the stage, and return where it was; None if it ends, or never is."""
        deadline = time.monotonic() + GUARD_S
        while driver.exit_code is None and time.monotonic() < deadline:
            if self._is_time(driver, kill):
                with driver.stopped():  # it may have gone on since, and must not while the target is looked for
                    if self._is_time(driver, kill):
                        place = place_of(self.home)
                        driver.kill(kill.target, kill.chance)
                        return place
            time.sleep(LOOKS_EVERY_S)
        return None

    def _is_time(self, driver: Driver, kill: Kill) -> bool:
        is_there = kill.stage is None or place_of(self.home).stage is kill.stage
        return is_there and bool(driver.pids_of(kill.target))

    def _see_what_follows(self, driver: Driver, target: Target, place: Place) -> None:
        if target is Target.DRIVER:
            self.observer.look()  # nothing moves any more, so this is exact
        elif target is Target.PLANNER:
            if not _in_time(lambda: driver.exit_code is not None):
                self.findings.append("a query goes on without its planner")
        elif not _in_time(lambda: driver.exit_code is not None or place_of(self.home).done > place.done):
            self.findings.append("no batch was done after a worker was killed")
        elif driver.exit_code is not None:
            self.findings.append("a query ended because one worker was killed")


def _in_time(is_so: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + GUARD_S
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.05)
    return is_so()


def _joined(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
