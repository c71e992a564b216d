"""Answers that a group might have had: made from a seed, of any size, and consistent with each other.

Members come, go, stop polling and are put out. Each change makes a target that moves as little as it can; the owner of
a partition takes a while to give it up, and its lag grows until the next one has it.
"""

from __future__ import annotations

import random

from attrs import define, field

from kafka_nextgen.history.analysis import Analysis
from kafka_nextgen.history.facts import (
    FACTS,
    Fact,
    GroupSummary,
    Holdup,
    LagPoint,
    MemberSummary,
    Overlap,
    Owner,
    Rebalance,
    Repeat,
    Standstill,
    Tenure,
)

__all__ = ["made_answers"]

_BEGAN = 1_790_000_000_000
_CLUSTER = "made-cluster"
_REASONS = {
    "member joined": "scaled up",
    "member left": "rolling restart",
    "poll timeout": None,
    "session timeout": None,
    "subscription": "topics changed",
}


def made_answers(
    *,
    seed: int = 1,
    rebalances: int = 40,
    partitions: int = 24,
    members: int = 6,
    groups: int = 1,
    pause_s: int = 90,
    lag_every_s: int = 15,
) -> Analysis:
    """Facts of ``groups`` groups with so many rebalances each, on average ``pause_s`` apart."""
    facts: dict[str, list[Fact]] = {name: [] for name in FACTS}
    for number in range(groups):
        made = _Made(
            random.Random(f"{seed}/{number}"), f"billing-{number}", partitions, pause_s, lag_every_s * 1000, facts
        )
        made.run(rebalances, members)
    return Analysis(facts=facts)


@define
class _Member:
    name: str
    summary: dict[str, int]
    client: str


@define
class _Made:
    chance: random.Random
    group: str
    partitions: int
    pause_s: int
    lag_every_ms: int
    facts: dict[str, list[Fact]]
    now: int = _BEGAN
    epoch: int = 0
    members: dict[str, _Member] = field(factory=dict)
    gone: list[_Member] = field(factory=list)
    owners: dict[int, tuple[str, int, int] | None] = field(factory=dict)
    free_since: dict[int, int] = field(factory=dict)
    count: int = 0
    totals: dict[str, int] = field(factory=lambda: {"unsettled": 0, "stood": 0, "overlaps": 0, "repeats": 0})
    lags: dict[int, int] = field(factory=dict)
    ends: dict[int, int] = field(factory=dict)
    next_lag: int = _BEGAN

    def run(self, rebalances: int, members: int) -> None:
        self.owners = dict.fromkeys(range(self.partitions))
        self.ends = dict.fromkeys(range(self.partitions), 100_000)
        self.lags = {each: self.chance.randrange(50) for each in range(self.partitions)}
        for number in range(rebalances):
            self._rebalance("member joined" if number < members else self._cause(members))
            self._pass(int(self.chance.expovariate(1 / (self.pause_s * 1000))) + 200)
        self._close()

    def _cause(self, members: int) -> str:
        causes = ["member left", "poll timeout", "session timeout", "subscription"]
        if len(self.members) < members:
            return self.chance.choices(["member joined", *causes], [6, 1, 2, 1, 1])[0]
        return self.chance.choices(causes, [4, 3, 1, 2])[0]

    def _rebalance(self, cause: str) -> None:
        by = self._join() if cause == "member joined" else self.chance.choice(list(self.members))
        self.epoch += 1
        began = self.now
        lag_before = sum(self.lags.values())
        put_out = cause.endswith("timeout")
        if put_out or (cause == "member left" and len(self.members) > 1):
            self._put_out(by, cause, put_out)
        moved, holdups = self._move(began, cause, put_out)
        ended = max([each.ended for each in holdups], default=began + 40)
        slowest = max(holdups, key=lambda each: each.ended, default=None)
        stood = sum(each[1] for each in moved)
        owned = [sum(1 for owner in self.owners.values() if owner and owner[0] == name) for name in self.members]
        self._pass(ended - began)
        self.facts["rebalances"].append(
            Rebalance(
                cluster=_CLUSTER,
                group=self.group,
                epoch=self.epoch,
                began=began,
                ended=ended,
                cause=cause,
                by=by,
                reason=_REASONS[cause],
                members=len(self.members),
                partitions=self.partitions,
                moved=len(moved),
                needless=self.chance.choice([0, 0, 0, 0, 1]) if moved else 0,
                most=max(owned),
                fewest=min(owned),
                stood_ms=stood,
                lag_before=lag_before,
                lag_after=sum(self.lags.values()),
                slowest=slowest.member if slowest else None,
                slowest_ms=slowest.ended - began if slowest else None,
                holder=slowest.member if slowest else None,
                held_by=_most(slowest) if slowest else None,
                marks="",
            )
        )
        self.facts["holdups"].extend(holdups)
        self.totals["unsettled"] += ended - began
        self.totals["stood"] += stood

    def _join(self) -> str:
        self.count += 1
        name = f"{self.chance.getrandbits(64):016x}"
        summary = dict.fromkeys(("first", "fenced", "left", "timeouts", "gap", "callback"), 0)
        self.members[name] = _Member(name, summary | {"first": self.now}, f"billing-{self.count % 9}")
        return name

    def _put_out(self, by: str, cause: str, put_out: bool) -> None:
        if len(self.members) == 1:
            self._join()
        member = self.members.pop(by)
        self.gone.append(member)
        member.summary["last"] = self.now
        member.summary["fenced" if put_out else "left"] += 1
        if cause == "poll timeout":
            member.summary["timeouts"] += 1
            member.summary["gap"] = self.chance.randrange(300_000, 340_000)
        for partition, owner in self.owners.items():
            if owner and owner[0] == by:
                self._end(partition, self.now)
                if put_out and self.chance.random() < 0.3:
                    self._repeat(partition, by, cause)

    def _repeat(self, partition: int, by: str, cause: str) -> None:
        offset = self.ends[partition] - self.lags[partition]
        twice = self.chance.randrange(1, 400)
        self.facts["repeats"].append(
            Repeat(_CLUSTER, self.group, "payments", partition, by, self.now, offset - twice, offset, cause)
        )
        self.totals["repeats"] += twice

    def _move(self, began: int, cause: str, put_out: bool) -> tuple[list[tuple[int, int]], list[Holdup]]:
        goals = self._target()
        moved: list[tuple[int, int]] = []
        delays = {name: self._holdup(name, began) for name in self.members}
        touched: dict[str, Holdup] = {}
        for partition, goal in goals.items():
            owner = self.owners[partition]
            former = owner[0] if owner else None
            if former == goal:
                continue
            if former is not None:
                self._end(partition, delays[former].ended)
                touched[former] = delays[former]
            since = self.free_since.get(partition)
            taken = (touched[former].ended if former else began) + self.chance.choice([40, 90, 300, 900, 2_600])
            self._take(partition, goal, taken)
            touched.setdefault(goal, delays[goal])
            if since is not None or former is not None:
                moved.append((partition, self._stand(partition, taken, former, goal, cause)))
                if put_out and self.chance.random() < 0.05:
                    self._overlap(partition, goal, taken)
        return moved, sorted(touched.values(), key=lambda each: each.ended)

    def _target(self) -> dict[int, str]:
        names = list(self.members)
        most = -(-self.partitions // len(names))
        counts = dict.fromkeys(names, 0)
        goals: dict[int, str] = {}
        for partition, owner in self.owners.items():
            if owner and counts[owner[0]] < most:
                goals[partition] = owner[0]
                counts[owner[0]] += 1
        for partition in self.owners:
            if partition not in goals:
                fewest = min(names, key=lambda name: counts[name])
                goals[partition] = fewest
                counts[fewest] += 1
        return goals

    def _holdup(self, name: str, began: int) -> Holdup:
        is_slow = int(name, 16) % 7 == 0 or self.chance.random() < 0.05
        processing = self.chance.randrange(5, 900)
        commit = self.chance.randrange(2, 40)
        callback = self.chance.randrange(2_000, 14_000) if is_slow else self.chance.randrange(0, 80)
        coordinator = self.chance.randrange(20, 300)
        ended = began + processing + commit + callback + coordinator
        self.members[name].summary["callback"] += callback
        return Holdup(_CLUSTER, self.group, self.epoch, name, began, ended, processing, commit, callback, coordinator)

    def _end(self, partition: int, at: int) -> None:
        owner = self.owners[partition]
        assert owner is not None
        name, began, epoch = owner
        self.facts["tenures"].append(
            Tenure(_CLUSTER, self.group, "payments", partition, name, began, max(at, began + 1), epoch)
        )
        self.owners[partition] = None
        self.free_since[partition] = max(at, began + 1)

    def _take(self, partition: int, goal: str, at: int) -> None:
        self.owners[partition] = (goal, at, self.epoch)

    def _stand(self, partition: int, until: int, former: str | None, goal: str, cause: str) -> int:
        since = self.free_since.pop(partition)
        before = self.lags[partition]
        self.lags[partition] += (until - since) // 12
        self.facts["standstills"].append(
            Standstill(
                cluster=_CLUSTER,
                group=self.group,
                topic="payments",
                partition=partition,
                began=since,
                ended=until,
                ms=until - since,
                epoch=self.epoch,
                former=former,
                member=goal,
                cause=cause,
                lag_before=before,
                lag_after=self.lags[partition],
            )
        )
        return until - since

    def _overlap(self, partition: int, second: str, at: int) -> None:
        first = self.gone[-1].name
        is_excused = self.chance.random() < 0.7
        ended = at + self.chance.randrange(500, 9_000)
        self.facts["overlaps"].append(
            Overlap(_CLUSTER, self.group, "payments", partition, first, second, at, ended, is_excused, "")
        )
        self.totals["overlaps"] += 1

    def _pass(self, ms: int) -> None:
        self.now += ms
        while self.next_lag <= self.now:
            for partition in range(self.partitions):
                self.ends[partition] += self.chance.randrange(800, 1_200)
                self.lags[partition] = int(self.lags[partition] * 0.7) + self.chance.randrange(30)
                self._lag(partition)
            self.next_lag += self.lag_every_ms

    def _lag(self, partition: int) -> None:
        end, lag = self.ends[partition], self.lags[partition]
        self.facts["lags"].append(
            LagPoint(_CLUSTER, self.group, "payments", partition, self.next_lag, end - lag, end, lag)
        )

    def _close(self) -> None:
        for partition, owner in self.owners.items():
            name, began, epoch = owner or (None, None, None)
            if name is not None and began is not None:
                self.facts["tenures"].append(
                    Tenure(_CLUSTER, self.group, "payments", partition, name, began, None, epoch)
                )
            end, lag = self.ends[partition], self.lags[partition]
            self.facts["owners"].append(
                Owner(_CLUSTER, self.group, "payments", partition, name, began, epoch, end - lag, end, lag)
            )
        self.facts["tenures"].sort(key=lambda each: each.began if isinstance(each, Tenure) else 0)
        for member in (*self.members.values(), *self.gone):
            self.facts["members"].append(self._member(member))
        self.facts["groups"].append(
            GroupSummary(
                cluster=_CLUSTER,
                group=self.group,
                protocol="consumer",
                first=_BEGAN,
                last=self.now,
                events=len(self.facts["tenures"]) * 3,
                members=self.count,
                rebalances=self.epoch,
                unsettled_ms=self.totals["unsettled"],
                stood_ms=self.totals["stood"],
                overlaps=self.totals["overlaps"],
                repeated=self.totals["repeats"],
                marks="begins in the middle",
            )
        )

    def _member(self, member: _Member) -> MemberSummary:
        summary = member.summary
        return MemberSummary(
            cluster=_CLUSTER,
            group=self.group,
            member=member.name,
            instance=None,
            client=member.client,
            host=f"10.0.0.{len(member.client)}",
            first=summary["first"],
            last=summary.get("last", self.now),
            joined=1,
            left=summary["left"],
            fenced=summary["fenced"],
            poll_timeouts=summary["timeouts"],
            longest_poll_gap_ms=summary["gap"],
            callback_ms=summary["callback"],
            errors=0,
        )


def _most(holdup: Holdup) -> str:
    parts = {
        "processing": holdup.processing_ms,
        "commit": holdup.commit_ms,
        "callback": holdup.callback_ms,
        "coordinator": holdup.coordinator_ms,
    }
    return max(parts, key=lambda name: parts[name])
