"""Many seeds, one after the other or on several cores, and what came of all of them."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from pathlib import Path

from attrs import define, field, frozen

from tests.verification.simulation.checking.excuses import Excuse
from tests.verification.simulation.coverage import NAMES, UNMET
from tests.verification.simulation.dice import Fault
from tests.verification.simulation.faults import STAYING
from tests.verification.simulation.mutants import MUTANTS, planted
from tests.verification.simulation.recording import Recording
from tests.verification.simulation.running import Mode, Simulation, Verdict

#: So many objects may be made between two collections of garbage: those of about ten runs.
_MOST_GARBAGE = 500_000


@frozen
class Order:
    seed: int
    events: int
    mode: Mode
    plant: str | None = None
    has_standbys: bool = False
    has_leaving: bool = False
    log: Path | None = None  # where to add what happens


@frozen
class Outcome:
    """What came of a seed, and how much of a core (seconds) that took."""

    order: Order
    verdict: Verdict
    busy_s: float


def run(order: Order) -> Outcome:
    gc.disable()  # a run leaves few cycles until it is over, and looking for them takes a twentieth of it
    if gc.get_count()[0] > _MOST_GARBAGE:
        gc.collect()
    began = time.process_time()
    with ExitStack() as stack:
        if order.plant is not None:
            stack.enter_context(planted(MUTANTS[order.plant]))
        recording = None if order.log is None else Recording(stack.enter_context(order.log.open("a")))
        simulation = Simulation(
            order.seed,
            order.events,
            order.mode,
            has_standbys=order.has_standbys,
            has_leaving=order.has_leaving,
            recording=recording,
        )
        verdict = simulation.run()
    return Outcome(order, verdict, time.process_time() - began)


def run_all(orders: Sequence[Order], jobs: int) -> Iterator[Outcome]:
    """Run these; with several jobs what is done first comes first."""
    if jobs == 1:
        collects = gc.isenabled()
        try:
            yield from map(run, orders)
        finally:
            if collects:  # a process that does more than this would grow for good
                gc.enable()
        return
    pool = ProcessPoolExecutor(jobs)
    try:
        for done in as_completed([pool.submit(run, order) for order in orders]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)


@define
class Total:
    modes: frozenset[Mode]
    seeds: int = 0
    events: int = 0
    busy_s: float = 0.0
    failed: list[Outcome] = field(factory=list)
    faults: Counter[Fault] = field(factory=Counter)
    met: Counter[str] = field(factory=Counter)
    excused: Counter[Excuse] = field(factory=Counter)

    def add(self, outcome: Outcome) -> None:
        self.seeds += 1
        self.events += outcome.verdict.events
        self.busy_s += outcome.busy_s
        self.faults.update(outcome.verdict.faults)
        self.met.update(outcome.verdict.met)
        self.excused.update(outcome.verdict.excused)
        if outcome.verdict.broken:
            self.failed.append(outcome)

    @property
    def never_met(self) -> list[str]:
        """What has to come in many seeds of these modes, and never did."""
        due = [fault for fault in Fault if fault not in STAYING or Mode.LIVENESS in self.modes]
        faults = [fault.value for fault in due if not self.faults[fault]]
        return faults + [name for name in NAMES if name not in UNMET and not self.met[name]]
