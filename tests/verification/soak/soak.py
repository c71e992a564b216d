"""The course of a soak: everything is set up, disturbed for so many minutes, drained, and judged."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kafka_nextgen import GroupNotFoundError
from kafka_nextgen.admin import GroupAdmin
from tests.support.clients import unique
from tests.support.waiting import eventually
from tests.verification.soak.accounts import FOREVER
from tests.verification.soak.brokers import SoakBroker
from tests.verification.soak.events import Events
from tests.verification.soak.fleet import Fleet
from tests.verification.soak.idle_groups import IdleGroups
from tests.verification.soak.judge import LAG_S, Judge
from tests.verification.soak.ledger import Ledger
from tests.verification.soak.places import key_at, name_of, place_of
from tests.verification.soak.rotation import Rotation
from tests.verification.soak.stage import FLEETING, Stage
from tests.verification.soak.standstill import Standstill
from tests.verification.soak.summary import Summary, minute_line

STANDSTILL_S = 135.0  # a group may be slow or stopped for a while, but then reads of a partition that has more
STUCK_S = 45.0  # the end waits no longer for groups that read nothing
START_S = 90.0
SAMPLE_S = 5.0
STALL_S = 2.0  # the machine did not let this process run


class Soak:
    def __init__(
        self,
        stage: Stage,
        events: Events,
        idle: IdleGroups,
        rotation: Rotation | None,
        minutes: float,
        pause_s: float,
        say: Callable[[str], None],
    ) -> None:
        self._stage, self._events, self._idle, self._rotation, self._say = stage, events, idle, rotation, say
        self._minutes = minutes
        self._pause_s = pause_s
        self._began = time.monotonic()
        self._standstill = Standstill(STANDSTILL_S)
        self._told = 0  # findings
        self._unsettled = {name for name, shape in stage.shapes.items() if shape.is_steady}
        self.stalls = 0

    def disturb(self) -> None:
        minute, next_event, next_sample, before = 1, 0.0, 0.0, time.monotonic()
        self._events.begin()
        while (now := time.monotonic()) < self._began + self._minutes * 60:
            self._look_for_stall(before, now)
            if now > next_event and self._stage.is_ready():
                self._events.one()
                next_event = now + self._stage.chance.expovariate(1 / self._pause_s)
            self._events.tick()
            self._reap()
            if now > next_sample:
                next_sample = now + SAMPLE_S
                self._sample(now)
            if now > self._began + minute * 60:
                self._say(minute_line(self._stage, minute))
                self._tell_findings()
                minute += 1
            before = time.monotonic()
            time.sleep(0.1)

    def drain(self) -> None:
        """Write no more, read all there is, and end all members; say what is wrong then."""
        self._events.end()
        self._end_what_is_steady()
        for member in list(self._stage.fleet.members.values()):
            if member.kind == "visitor":
                self._stage.end(member)
        for shape, each in self._stage.shapes.items():
            for _ in range(each.most - len(self._stage.workers(shape))):
                self._stage.start_worker(shape)
        self._stage.ledger.stop()
        self._wait_until_read()
        for member in list(self._stage.fleet.members.values()):
            if member.asked_at is None:
                self._stage.end(member)
        while self._stage.fleet.members:
            self._reap()
            time.sleep(0.05)
        self._stage.judge.advance(FOREVER)
        self._judge_the_end()

    def _wait_until_read(self) -> None:
        """Return once all groups have read everything, or read nothing for ``STUCK_S``, not even what they had read."""
        judge = self._stage.judge
        ends = {self._stage.group(shape): self._stage.ends(shape) for shape in self._stage.shapes}
        heard, heard_at = judge.heard, time.monotonic()
        while any(judge.left(group, those) for group, those in ends.items()) and time.monotonic() < heard_at + STUCK_S:
            self._reap()
            time.sleep(0.1)
            if judge.heard > heard:
                heard, heard_at = judge.heard, time.monotonic()

    def _judge_the_end(self) -> None:
        judge = self._stage.judge
        for what in self._stage.ledger.wrong:
            judge.find(what)
        for shape in self._stage.shapes:
            group, ends = self._stage.group(shape), self._stage.ends(shape)
            for key, (top, end) in judge.unread(group, ends).items():
                judge.find(f"{group}: {end - top} records of {name_of(key)} were never processed, the first at {top}")
            stored = self._stored(group)
            self._stage.note("stored", group, json.dumps(stored))
            for key, end in ends.items():
                if end and stored.get(key) != end and (group, key) not in judge.uncommitted:
                    judge.find(f"{group}: {stored.get(key)} is stored for {name_of(key)}, whose end is {end}")

    def _tell_findings(self) -> None:
        findings = self._stage.judge.findings
        for what in findings[self._told :]:
            self._say(what)
        self._told = len(findings)

    def _reap(self) -> None:
        for what in self._stage.fleet.reap():
            self._stage.judge.find(what)

    def _look_for_stall(self, before: float, now: float) -> None:
        """If this process was not let run, others may not have been either: that explains what they lose."""
        if now - before > STALL_S:
            self.stalls += 1
            for name in self._stage.fleet.members:
                self._stage.judge.trouble(name, before, now)
                self._stage.note("trouble", name, f"{before} {now}")

    # ---- groups in which nothing happens

    def _look_at_what_is_steady(self) -> None:
        for shape in [shape for shape in self._unsettled if self._stage.is_settled(shape)]:
            self._stage.tell("settled", self._stage.group(shape))
            self._unsettled.discard(shape)
            if self._rotation is not None and not self._unsettled:
                self._rotation.begin()

    def _end_what_is_steady(self) -> None:
        if self._rotation is not None:
            self._rotation.end()
        self._idle.judge_the_end()
        for name, shape in self._stage.shapes.items():
            if name in self._unsettled:
                self._stage.judge.find(f"{self._stage.group(name)} has never settled")
            elif shape.is_steady:
                self._stage.tell("ending", self._stage.group(name))

    def steady_rows(self) -> dict[str, str]:
        refusals = self._stage.judge.steadiness.refusals
        gone_s = self._idle.gone_after_s
        rows = {"idle readers' offsets": f"kept for {self._idle.kept_s:.0f} s"}
        if gone_s is not None:
            rows["offsets that no one keeps"] = f"gone after {gone_s:.0f} s"
        if self._rotation is not None:
            rows["credentials changed"] = ", ".join(f"{name} {n:,}" for name, n in self._rotation.counts.items())
            rows["members refused meanwhile, and let in after"] = ", ".join(f"{by} {n}" for by, n in refusals.items())
        return rows

    # ---- looking from outside

    def _sample(self, now: float) -> None:
        self._stage.judge.advance(now - LAG_S)
        self._idle.look()
        self._look_at_what_is_steady()
        for shape in self._stage.shapes:
            group = self._stage.group(shape)
            self._stage.tell("asking", group)
            stored = {key: offset for key, offset in self._stored(group).items() if key % 1_000_000 // 1000 != FLEETING}
            self._stage.tell("stored", group, offsets=stored)
        for (group, key), offset in self._standstill.look(now, self._unread()):
            self._stage.judge.find(
                f"{group} has read nothing of {name_of(key)} from {offset} on for {STANDSTILL_S:.0f} s"
            )

    def _unread(self) -> dict[tuple[str, int], int]:
        """Return how far groups have read partitions that have more; a group without veterans may have no members."""
        here = {self._stage.group(name): name for name, shape in self._stage.shapes.items() if shape.veterans}
        return {
            (group, key): top
            for group, shape in here.items()
            for key, (top, _) in self._stage.judge.unread(group, self._stage.ends(shape)).items()
        }

    def _stored(self, group: str) -> dict[int, int]:
        """Return what the coordinator has; librdkafka's AdminClient crashes if another node coordinates meanwhile."""
        try:
            found = self._stage.admin.offsets(group, timeout=30)
        except GroupNotFoundError:
            return {}
        incarnations = {topic.number: topic.incarnation for topic in self._stage.topics}
        places = {place_of(at): offset.committed for at, offset in found.items()}
        return {key_at(place, incarnations[place // 1000]): at.offset for place, at in places.items() if at is not None}


def run_soak(
    broker: SoakBroker,
    place: Path,
    *,
    minutes: float,
    seed: int,
    per_second: float,
    pause_s: float,
    say: Callable[[str], None],
) -> Summary:
    """Run a soak on a broker; ``pause_s`` is the mean time between two events, ``place`` a folder for logs.

    Everything that was started is gone when it returns.
    """
    judge = Judge()
    with (
        GroupAdmin(bootstrap_servers=broker.bootstrap_servers) as admin,
        Ledger(broker.bootstrap_servers, per_second) as ledger,
        ThreadPoolExecutor(1) as pool,
        Fleet(place) as fleet,
    ):
        vitals_s = max(1.0, minutes * 60 / 240)
        stage = Stage(broker, unique("soak"), random.Random(seed), fleet, judge, ledger, admin, place, vitals_s)
        fleet.hear = stage.hear
        stage.set_up()
        idle = IdleGroups(stage)
        idle.set_up()
        eventually("all members are there", stage.is_ready, START_S)
        rotation = None if broker.credentials is None else Rotation(stage, broker.credentials)
        soak = Soak(stage, Events(stage, pool), idle, rotation, minutes, pause_s, say)
        soak.disturb()
        soak.drain()
        if broker.history is not None:  # of those that were killed it is told when they expire
            eventually(
                "no member is left", lambda: not any(map(admin.members, map(stage.group, stage.shapes))), START_S
            )
    return Summary.of(stage, seed, minutes, soak.stalls, soak.steady_rows())
