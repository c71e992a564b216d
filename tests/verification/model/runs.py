"""Short runs of the simulator, written as the module ``Runs`` that ``docs/proof/model/Trace.tla`` reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

from attrs import define, evolve, field, frozen

from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.testing.coordinator.settings import Profile
from tests.verification.model.draws import TameDraws
from tests.verification.model.notes import Step
from tests.verification.model.recording import Recorder
from tests.verification.model.seeing import PARTITIONS, tla
from tests.verification.simulation import committing
from tests.verification.simulation.applications import Application, Habits
from tests.verification.simulation.casting import Mixture
from tests.verification.simulation.faults import Troubles
from tests.verification.simulation.running import Simulation
from tests.verification.simulation.timeline import Timeline


@define
class _Watched(Timeline):
    """A timeline that says when an event is over."""

    event_is_over: Callable[[], None] = field(kw_only=True)

    def step(self) -> bool:
        goes_on = Timeline.step(self)
        self.event_is_over()
        return goes_on


@define(eq=False)
class _Small(Simulation):
    """Two or three clients that are not static, with room for all, and one topic; a poll hands out one record of each
    partition.
    """

    def _habits_of(self, name: str) -> Habits:
        return evolve(Simulation._habits_of(self, name), records=1, is_static=False)

    def _run(self) -> None:
        self.cluster.settings = evolve(self.cluster.settings, group_consumer_max_size=100, extensions=False)
        self.cluster.start()
        self.cluster.set_topic("t0", len(PARTITIONS))
        Troubles(self, self.timeline, self.dice.stream("troubles")).start()
        for number in range(2 + self.seed % 2):
            self.timeline.after(self.dice.between(1, 10), lambda name=f"c{number}": self.begin(name))  # type: ignore[misc]
        self._run_for(self.most_events)

    def begin(self, name: str) -> None:
        """Begin a life of a client, which will never subscribe to anything else."""
        self.lives[name] += 1
        client = self._client(name)
        self.judge.watch(client)
        wishes = [Subscribed(frozenset({"t0"}))]
        application = Application(client, client.dice, self._habits_of(name), wishes, self._over)
        self.applications.append(application)
        application.start()


@frozen
class Run:
    seed: int
    found: Sequence[str]  # what broke a rule of the simulator
    members: Sequence[str]
    steps: Sequence[Step]


def record(seed: int, events: int) -> Run:
    """Run a seed with what the model has, and write down what happens."""
    recorder = Recorder()
    timeline = _Watched(event_is_over=recorder.event_is_over)
    # The model leaves the assignment epoch of an emptied group where it is, as coordinators did before KAFKA-20442.
    simulation = _Small(seed, events, draws=TameDraws(seed), profile=Profile.V4_3, judge=recorder, timeline=timeline)
    with patch.object(committing, "COMMITS_AGAIN", False):
        simulation.run()
    assert not recorder.broken, f"the recorder, or a machine, has stumbled: {recorder.broken}"
    assert simulation.casting.mixture is Mixture.CONSUMER, "the model has no classic members"
    return Run(seed, recorder.found, sorted(recorder.notes.members), list(recorder.notes.told()))


def write_runs(folder: Path, runs: Sequence[Run]) -> None:
    lines = [
        "---- MODULE Runs ----",
        "EXTENDS Integers",
        f"MembersOfRuns == {tla({name for run in runs for name in run.members})}",
        f"PartitionsOfRuns == {tla(set(PARTITIONS))}",
        *(f"Run{number} == <<\n{_lines(run)}>>" for number, run in enumerate(runs, 1)),
        f"Runs == <<{', '.join(f'Run{number}' for number in range(1, len(runs) + 1))}>>",
        "====",
    ]
    (folder / "Runs.tla").write_text("\n".join(lines).replace("/", "_life"))


def _lines(run: Run) -> str:
    return ",\n".join(tla(step) for step in run.steps)
