"""The cluster world: the whole simulator, where nothing is left to chance. What it lacks of chance, a scenario says.

settings assignment_interval=1s max_size=3 initial_delay=3s migration=upgrade request_timeout=5s    before anything else
topic t0 2, grow t0 3, delete t0, recreate t0 1
member c0 topics=t0 instance=c0 protocol=classic assignors=range interval=5s rate=1.1    a client begins
restart c0 topics=t0               another life of it; the one before may still be there
crash c0, freeze c0 12s, hang c0   it ends; does nothing for so long; its next callback never ends
subscribe c0 t0 t1, unsubscribe c0, close c0
crash-node node1 back=12s leader=node2, fail-over node2 old=5s, compact node1
next c0 answer-lost nth=2          how the second decision about that from now on goes, see ``seams``
heal                               nothing goes wrong any more
settle                             the group has to settle within its bound, and to stay so
tick 5s
draw c0/1 4 0.97, run 213          or, instead of all that, a run by its draws, see ``drawn``
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from attrs import evolve

from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, MigrationPolicy
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import parse_duration
from tests.verification.simulation.checking.judge import Judge
from tests.verification.simulation.dice import Place
from tests.verification.simulation.running import Verdict
from tests.verification.simulation.stories.lines import TellingJudge
from tests.verification.simulation.stories.stage import Stage

#: What the settings are that a scenario may say.
PLAIN_SETTINGS = {
    "assignment_interval": ("group_consumer_assignment_interval_ms", 0),
    "initial_delay": ("group_initial_rebalance_delay_ms", 0),
    "max_size": ("group_consumer_max_size", 100),
    "migration": ("group_consumer_migration_policy", MigrationPolicy.BIDIRECTIONAL),
}
#: How long clients wait for an answer.
PLAIN_REQUEST_TIMEOUT = "30s"


class ClusterWorld:
    """One group, its coordinators and its clients, and what they say to each other."""

    def __init__(self, judge: Judge | None = None) -> None:
        self.stage = Stage(0, judge=judge or Judge())
        self.configure({})
        self.has_begun = False
        self.draws: dict[Place, float] = {}
        self.decided: dict[Place, str] = {}  # what each of them is said to decide
        self.verdict: Verdict | None = None  # what came of them
        self.words: Mapping[Place, str] = {}  # what each decided when it was run

    def configure(self, options: dict[str, str]) -> None:
        """Give coordinators and clients their settings; what is not said is as plain as can be."""
        self.stage._request_timeout_s = parse_duration(options.get("request_timeout", PLAIN_REQUEST_TIMEOUT))
        given: dict[str, Any] = {}
        for option, (field, plain) in PLAIN_SETTINGS.items():
            given[field] = plain if option not in options else _setting(option, options[option])
        given["group_max_size"] = given["group_consumer_max_size"]
        settings: CoordinatorSettings = evolve(self.stage.cluster.settings, **given)
        self.stage.cluster.settings = settings
        self.stage.casting.policy = settings.group_consumer_migration_policy

    def begin(self) -> Stage:
        """What takes part; with the first call its nodes begin."""
        if not self.has_begun:
            self.has_begun = True
            self.stage.cluster.start()
        return self.stage

    @contextmanager
    def saying(self, **now: Any) -> Iterator[Stage]:
        stage = self.begin()
        stage.script.now = {key.replace("__", "."): value for key, value in now.items()}
        yield stage
        stage.script.now = {}

    def told(self, began: float) -> Iterator[str]:
        """What happened since then, if somebody tells it."""
        if isinstance(self.stage.judge, TellingJudge):
            yield from self.stage.judge.take(began)

    def broken(self) -> list[str]:
        return self.stage.judge.broken


def _setting(option: str, value: str) -> object:
    if option == "migration":
        return MigrationPolicy(value)
    return int(value) if option == "max_size" else round(1000 * parse_duration(value))


Verb = Callable[[ClusterWorld, Command], None]


def telling(verb: Verb) -> Callable[[ClusterWorld, Command], Iterator[str]]:
    def carry_out(world: ClusterWorld, command: Command) -> Iterator[str]:
        began = world.stage.timeline.now
        verb(world, command)
        yield from world.told(began)

    return carry_out
