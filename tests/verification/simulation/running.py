"""One seed, from its beginning to its verdict.

Faults come until so many events have happened. Then all heal, or some stay for good, and the group has to settle within
a bound of virtual time: every partition has its reader, no epoch moves any more, and no heartbeat of a member that has
something is full.
"""

from __future__ import annotations

import traceback
from collections import Counter
from enum import Enum

from attrs import define, field, frozen

from kafka_nextgen.assignors import RangeAssignor, UniformAssignor
from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, Profile
from tests.verification.simulation.announcements import Announcements
from tests.verification.simulation.applications import Application, Habits
from tests.verification.simulation.assignors import Moody
from tests.verification.simulation.casting import Casting
from tests.verification.simulation.checking.excuses import Excuse
from tests.verification.simulation.checking.judge import Judge
from tests.verification.simulation.classic_clients import ClassicClient
from tests.verification.simulation.clients import Client
from tests.verification.simulation.cluster import GROUP, Cluster
from tests.verification.simulation.consumer_clients import ConsumerClient
from tests.verification.simulation.coverage import counted
from tests.verification.simulation.dice import Dice, Draws, Fault
from tests.verification.simulation.faults import Troubles
from tests.verification.simulation.recording import Recording
from tests.verification.simulation.settling import settle
from tests.verification.simulation.timeline import Timeline


class Mode(Enum):
    """What becomes of the faults in the end."""

    SAFETY = "safety"  # all heal
    LIVENESS = "liveness"  # some stay for good, and the others have to settle


def mode_of(seed: int) -> Mode:
    """The mode of a seed that is run in one alone. Both have the same events until all heals."""
    return Mode.SAFETY if seed % 2 else Mode.LIVENESS


@frozen
class Verdict:
    seed: int
    broken: tuple[str, ...]
    events: int
    faults: Counter[Fault]
    met: Counter[str]
    at: float
    excused: Counter[Excuse]


@define(eq=False)
class Simulation:
    seed: int
    most_events: int = 2_000
    mode: Mode = Mode.SAFETY
    draws: Draws | None = None  # instead of those of the seed
    settles: bool = True  # it is looked at what becomes of the group after the faults
    has_standbys: bool = False  # coordinators have extensions, and each of them a target size of its own
    has_leaving: bool = False  # coordinators have extensions, and members are announced to leave
    profile: Profile = Profile.V4_4  # the release that the coordinators are like
    recording: Recording | None = None  # takes down all that happens
    timeline: Timeline = field(factory=Timeline)
    judge: Judge = field(factory=Judge)
    dice: Dice = field(init=False)
    cluster: Cluster = field(init=False)
    applications: list[Application] = field(factory=list)
    lives: Counter[str] = field(factory=Counter)
    casting: Casting = field(init=False)
    _request_timeout_s: float = field(init=False)
    _habits: dict[str, Habits] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.dice = self.make_dice()
        self.casting = Casting(self.dice.stream("casting"), self.has_standbys, self.has_leaving)
        self._request_timeout_s = self.dice.pick((30.0, 5.0, 1.0))
        seats = self.dice.pick((100, 100, 100, 3))
        moods = self.dice.stream("moods")
        settings = CoordinatorSettings(
            profile=self.profile,
            group_consumer_session_timeout_ms=12_000,
            group_consumer_heartbeat_interval_ms=3_000,
            group_consumer_assignment_interval_ms=self.dice.pick((0, 1_000)),
            group_consumer_max_size=seats,
            group_max_size=seats,
            group_consumer_regex_refresh_interval_ms=10_000,
            group_consumer_migration_policy=self.casting.policy,
            extensions=self.casting.extends,
            group_initial_rebalance_delay_ms=self.dice.pick((0, 3_000)),
            group_consumer_assignors=(Moody(UniformAssignor(), moods), Moody(RangeAssignor(), moods)),
            offsets_retention_minutes=1 if moods.chance() > 0.7 else 10_080,
            offsets_retention_check_interval_ms=7_000,
        )
        self.timeline.grain = 0.01 if moods.happens(Fault.EQUAL_DEADLINES, 0.5) else 0.0
        target_sizes = self.casting.target_sizes()
        self.cluster = Cluster(self.timeline, self.dice, self.judge, settings, target_sizes, recording=self.recording)
        if self.recording is not None:
            self.recording.timeline = self.timeline
        self.judge.cluster = self.cluster

    def make_dice(self) -> Dice:
        return Dice(self.seed, self.draws)

    def run(self) -> Verdict:
        with counted(self.judge.met):
            try:
                self._run()
            except Exception as bug:  # it is a finding, too, and which one is said with its seed
                self.judge.broken.append(f"{type(bug).__name__}: {bug} ({_place_of(bug)})")
        happened = self.timeline.happened
        return Verdict(
            self.seed,
            tuple(self.judge.broken),
            happened,
            self.dice.counts,
            self.judge.met,
            self.timeline.now,
            self.judge.excuses.counts,
        )

    def _run(self) -> None:
        self.cluster.start()
        for number in range(self.dice.whole(1, 3)):
            self.cluster.set_topic(f"t{number}", self.dice.whole(1, 3))
        troubles = Troubles(self, self.timeline, self.dice.stream("troubles"))
        troubles.start()
        if self.has_leaving:
            Announcements(self, self.dice.stream("announcements")).start()
        for number in range(self.dice.whole(2, 6)):
            self.timeline.after(self.dice.between(0, 20), lambda name=f"c{number}": self.begin(name))  # type: ignore[misc]
        self._run_for(self.most_events)
        if not self.judge.broken and self.settles:
            troubles.heal()
            if self.mode is Mode.LIVENESS:
                troubles.stay()
            settle(self)

    def step(self) -> bool:
        """Let the next thing happen; False if there is none."""
        has_happened = self.timeline.step()
        if self.recording is not None:
            self.recording.note("all", "went on")
        return has_happened

    def _run_for(self, events: int) -> None:
        last = self.timeline.happened + events
        while self.timeline.happened < last and not self.judge.broken and self.step():
            pass

    def begin(self, name: str) -> None:
        self.lives[name] += 1
        client = self._client(name)
        self.judge.watch(client)
        topics = sorted({*self.cluster.topics, "t0"})
        wishes = [Subscribed(frozenset({topic})) for topic in topics] + [
            Subscribed(frozenset(topics)),
            Subscribed(pattern="t.*"),
        ]
        application = Application(client, client.dice, self._habits_of(name), wishes, self._over)
        self.applications.append(application)
        application.start()

    def _client(self, name: str) -> Client:
        dice = self.dice.stream(f"{name}/{self.lives[name]}")
        drifts = dice.happens(Fault.CLOCK_DRIFT)
        instance_id = name if self._habits_of(name).is_static else None
        auto_commit_interval_s = dice.pick((None, 5.0))
        rate = dice.between(0.8, 1.2) if drifts else 1.0
        who = f"{name}/{self.lives[name]}", self.cluster, self.timeline, dice, self.judge, rate
        own = self.casting.own_assignors()
        if self.casting.speaks_classic(name):
            own = self.casting.classic_assignors(own)
            auto_commits = auto_commit_interval_s is not None
            settings = self.casting.classic_settings(GROUP, instance_id, own, auto_commit=auto_commits)
            return ClassicClient(
                *who,
                settings=settings,
                has_standbys=self.has_standbys,
                assignors=own,
                auto_commit_interval_s=auto_commit_interval_s,
                request_timeout_s=self._request_timeout_s,
            )
        return ConsumerClient(
            *who,
            settings=MemberSettings(
                GROUP,
                instance_id=instance_id,
                rebalance_timeout_ms=15_000,
                max_poll_interval_s=30.0,
                leave_timeout_s=10.0,
            ),
            has_standbys=self.has_standbys,
            assignors=own,
            auto_commit_interval_s=auto_commit_interval_s,
            request_timeout_s=self._request_timeout_s,
        )

    def _habits_of(self, name: str) -> Habits:
        if name not in self._habits:
            dice = self.dice.stream(f"habits of {name}")
            processing_s, records = dice.between(0.5, 3.0), dice.whole(1, 20)
            self._habits[name] = Habits(
                processing_s=processing_s,
                records=records,
                is_static=records % 3 == 0,
                commits_waiting=dice.pick((0.0, 0.3)),
                commits_beside=dice.pick((0.0, 0.3)),
                commit_timeout_s=dice.pick((0.5, 5.0, 30.0)),
                max_poll_interval_s=30.0,
            )
        return self._habits[name]

    def _over(self, application: Application) -> None:
        """A consumer was closed; another one begins some time later."""
        self.end(application)

    def end(self, application: Application) -> None:
        """End a client without a word, and begin another life of it later."""
        if application not in self.applications:
            return
        self.applications.remove(application)
        application.is_over = True
        application.client.crash()
        self.judge.forget(application.client)
        name = application.instance
        if any(each.instance == name for each in self.applications):
            return  # another has taken its place
        self.timeline.after(application.client.dice.between(0.1, 20.0), lambda: self.begin(name))


def _place_of(bug: Exception) -> str:
    last = traceback.extract_tb(bug.__traceback__)[-1]
    return f"{last.filename.rpartition('/')[2]}:{last.name}"
