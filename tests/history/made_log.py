"""The answers to a log that a group might have left: made from a seed, of any size.

Members come, go, stop polling and are fenced. Each change makes a target that moves as little as it can. The owner of a
partition takes a while to give it up, and its lag grows until the next one has it.
"""

from __future__ import annotations

import random
from collections import Counter

from attrs import define, field

from kafka_nextgen.history.analysis import Analysis, analyze
from kafka_nextgen.history.events import Event, EventKind

_BEGAN = 1_790_000_000_000
_COORDINATOR = "coordinator:1"


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
    events: list[Event] = []
    for number in range(groups):
        made = _MadeGroup(random.Random(f"{seed}/{number}"), f"billing-{number}", lag_every_s * 1000, events)
        made.owners = dict.fromkeys(range(partitions))
        for count in range(rebalances):
            made.rebalance("member joined" if count < members else made.any_cause(members))
            made.wait(int(made.chance.expovariate(1 / (pause_s * 1000))) + 20_000)
    return analyze(events)


@define
class _MadeGroup:
    chance: random.Random
    group: str
    lag_every_ms: int
    events: list[Event]
    now: int = _BEGAN
    epoch: int = 0
    members: list[str] = field(factory=list)
    owners: dict[int, str | None] = field(factory=dict)
    offsets: Counter[int] = field(factory=Counter)
    next_lag: int = _BEGAN

    def any_cause(self, members: int) -> str:
        causes = ["member left", "poll timeout", "session timeout", "subscription"]
        if len(self.members) < members:
            return self.chance.choices(["member joined", *causes], [6, 1, 2, 1, 1])[0]
        return self.chance.choices(causes, [4, 3, 1, 2])[0]

    def rebalance(self, cause: str) -> None:
        self.epoch += 1
        is_join = cause == "member joined" or len(self.members) < 2
        member = f"{self.chance.getrandbits(64):016x}" if is_join else self.chance.choice(self.members)
        if is_join:
            client = f"billing-{self.epoch % 9}"
            self.members.append(member)
            self._tell(_COORDINATOR, EventKind.JOINED, 0, member=member, client=client, host="10.0.0.1")
        elif cause != "subscription":
            self._put_out(member, cause)
        self._tell(_COORDINATOR, EventKind.GROUP_EPOCH, 0, member=member, cause=cause, reason="deploy")
        self._move()

    def _put_out(self, member: str, cause: str) -> None:
        self.members.remove(member)
        is_fenced = cause.endswith("timeout")
        self._tell(_COORDINATOR, EventKind.FENCED if is_fenced else EventKind.LEFT, 0, member=member, cause=cause)
        for partition in self._partitions_of(member):
            self.owners[partition] = None
            if is_fenced:
                position = self.offsets[partition] + self.chance.randrange(400)
                self._tell_of(partition, EventKind.LOST, 9_000, member=member, offset=position, cause=cause)
        if cause == "poll timeout":
            gap_ms = self.chance.randrange(300_000, 340_000)
            self._tell(f"consumer:{member}", EventKind.POLL_GAP, 9_000, member=member, ms=gap_ms)

    def _move(self) -> None:
        goals = self._target()
        revoked_after = {member: self._give_up(member, goals) for member in self.members}
        ready_after = max(revoked_after.values())
        for member in self.members:
            gained = [each for each, goal in goals.items() if goal == member and self.owners[each] != member]
            after = ready_after + self.chance.choice([40, 90, 300, 900, 2_600]) if gained else revoked_after[member]
            if gained and self.chance.random() < 0.02:
                after = 1  # before the former owner lets go
            what = {"topic": "payments", "partitions": tuple(gained)} if gained else {}
            self._tell(f"consumer:{member}", EventKind.ASSIGNED, after, member=member, **what)
        self.owners.update(goals)

    def _give_up(self, member: str, goals: dict[int, str]) -> int:
        """Revoke what goes to another member; return after how many ms."""
        lost = [each for each in self._partitions_of(member) if goals[each] != member]
        is_slow = int(member, 16) % 7 == 0 or self.chance.random() < 0.05
        callback_ms = self.chance.randrange(2_000, 14_000) if is_slow else self.chance.randrange(80)
        after = callback_ms + self.chance.randrange(20, 300)
        if lost:
            self._tell(f"consumer:{member}", EventKind.CALLBACK, after, member=member, ms=callback_ms, cause="revoked")
        for partition in lost:
            self._tell_of(partition, EventKind.REVOKED, after, member=member)
        return after

    def _target(self) -> dict[int, str]:
        most = -(-len(self.owners) // len(self.members))
        counts = Counter(dict.fromkeys(self.members, 0))
        goals: dict[int, str] = {}
        for partition, owner in self.owners.items():
            if owner is not None and counts[owner] < most:
                goals[partition] = owner
                counts[owner] += 1
        for partition in self.owners.keys() - goals.keys():
            goals[partition] = min(self.members, key=lambda each: counts[each])
            counts[goals[partition]] += 1
        return goals

    def wait(self, ms: int) -> None:
        self.now += ms
        while self.next_lag <= self.now:
            for partition in self.owners:
                self.offsets[partition] += self.chance.randrange(800, 1_200)
                end = self.offsets[partition] + self.chance.randrange(90)
                before_ms = self.next_lag - self.now
                self._tell_of(partition, EventKind.LAG, before_ms, offset=self.offsets[partition], end=end)
            self.next_lag += self.lag_every_ms

    def _partitions_of(self, member: str) -> list[int]:
        return [partition for partition, owner in self.owners.items() if owner == member]

    def _tell_of(self, partition: int, kind: EventKind, after_ms: int, **fields: object) -> None:
        source = "poller:p" if kind is EventKind.LAG else f"consumer:{fields['member']}"
        self._tell(source, kind, after_ms, topic="payments", partitions=(partition,), **fields)

    def _tell(self, source: str, kind: EventKind, after_ms: int, **fields: object) -> None:
        seq, at = len(self.events), self.now + after_ms
        more = {"protocol": "consumer", "epoch": self.epoch, **fields}
        self.events.append(Event(at, seq, source, "made-cluster", self.group, kind, **more))  # type: ignore[arg-type]
