"""Whether the history of a soak's groups tells what the script did and what the members said.

* A process that reads a partition owns it then, by the history. A classic member reads on until it hears of the
  generation that takes the partition away; so does one that was put out.
* A process that was killed while it was a member was put out; one that was asked to end, and did, left.
* An administrator put out those whom the script had removed, and no others; sessions ended of members in trouble only,
  and of members that come for a moment: a leave that is lost when a coordinator fails is never sent again.
* A process that read in a group of the consumer protocol began a rebalance when it came. Members that come and go are
  counted.
* No two members owned a partition, except where the first had been put out.
* What was committed last is what the brokers have.
"""

from __future__ import annotations

import ast
import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from attrs import Factory, define

from kafka_nextgen.history.analysis import Analysis, analyze
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.facts import Fact, MemberSummary, Overlap, Owner, Rebalance, Tenure
from kafka_nextgen.history.log_reader import Problems, read_log
from tests.endtoend.report import Line
from tests.verification.soak.accounts import FOREVER
from tests.verification.soak.places import name_of, partition_at
from tests.verification.soak.replay import lines_of
from tests.verification.soak.stage import FLEETING

CLOCK_S = 0.1  # a line is told a moment after what it tells of
CLASSIC_S = 12.0  # a member hears of its next generation at a heartbeat, and finishes what it has then
EXPIRES_S = 40.0  # a session, begun anew by each coordinator

_Kind = TypeVar("_Kind", bound=Fact)


@define
class Script:
    """What was done, from the log of a soak; times are seconds of the machine's monotonic clock, but for ``wall_s``."""

    wall_s: float = 0.0  # what to add to get the time of day
    groups: dict[str, str] = Factory(dict)  # by process
    protocols: dict[str, str] = Factory(dict)
    reads: list[tuple[str, int, float]] = Factory(list)  # process, key, when
    killed: dict[str, float] = Factory(dict)
    closed: dict[str, float] = Factory(dict)
    removed: set[str] = Factory(set)
    failures: list[float] = Factory(list)  # of coordinators
    troubles: dict[str, list[tuple[float, float]]] = Factory(lambda: defaultdict(list))
    visits: dict[str, int] = Factory(dict)
    stored: dict[str, dict[int, int]] = Factory(dict)

    @classmethod
    def of(cls, log: Path) -> Script:
        script = cls()
        for at, what, about, more in lines_of(log):
            script._take(at, what, about, more)
        return script

    def _take(self, at: float, what: str, about: str, more: str) -> None:
        if what == "clock":
            self.wall_s = float(more)
        elif what == "start":
            kind, _, specification = more.partition(" ")
            config = ast.literal_eval(specification)["config"]
            if kind != "idle":  # a reader by hand is no member
                self.groups[about], self.protocols[about] = config["group.id"], config["group.protocol"]
        elif what == "trouble":
            begin, end = map(float, more.split())
            self.troubles[about].append((begin, end))
        elif what == "event" and about == "remove":
            self.removed.add(more.strip())
        elif what == "event" and about == "fail-over":
            self.failures.append(at)
        elif what == "stored":
            self.stored[about] = {int(key): offset for key, offset in json.loads(more).items()}
        elif what == "told" and about in self.groups:
            self._hear(about, Line.load(more))

    def _hear(self, name: str, line: Line) -> None:
        if line.what == "delivered":
            self.reads += ((name, run.partition, line.at) for run in line.runs)
        elif line.what == "closed":
            self.closed[name] = line.at
        elif line.what == "dead" and line.note == "killed" and name not in self.closed:
            self.killed[name] = line.at
        elif line.what == "vitals" and name.startswith("visitor"):
            self.visits[name] = json.loads(line.note)["rebalances"]


class History:
    """What the brokers told, by processes in place of members: their client ids are their names."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.answers: Analysis = analyze(events)
        summaries = self.all("members", MemberSummary)
        self.clients = {each.member: each.client or "" for each in summaries}
        self.members: dict[str, list[MemberSummary]] = defaultdict(list)
        for each in summaries:
            self.members[each.client or ""].append(each)
        self._tenures: dict[tuple[str, str, int], list[Tenure]] = defaultdict(list)
        for tenure in sorted(self.all("tenures", Tenure), key=lambda each: each.began):
            client = self.clients.get(tenure.member, "")
            self._tenures[client, tenure.topic, tenure.partition].append(tenure)

    def all(self, name: str, kind: type[_Kind]) -> list[_Kind]:
        return [fact for fact in self.answers.facts[name] if isinstance(fact, kind)]

    def tenure(self, client: str, topic: str, partition: int, at_ms: float) -> Tenure | None:
        """The last tenure of a process that had begun by then."""
        tenures = self._tenures[client, topic, partition]
        place = bisect_right(tenures, at_ms, key=lambda each: each.began)
        return tenures[place - 1] if place else None

    def of_kind(self, kind: EventKind) -> Iterator[tuple[str, Event]]:
        for event in self.events:
            if event.kind is kind:
                yield self.clients.get(event.member or "", ""), event


def what_the_history_has_wrong(log: Path, history: Path, say: Callable[[str], None]) -> list[str]:
    """Compare both; say how much there was to compare."""
    problems = Problems()
    script, told = Script.of(log), History(list(read_log([history], problems)))
    say(
        f"history: {len(told.events):,} events, {len(told.all('rebalances', Rebalance)):,} rebalances,"
        f" {len(told.clients):,} members; compared with {len(script.reads):,} reads, {len(script.killed)} kills,"
        f" {len(script.closed)} ends, {len(script.removed)} removals, {sum(script.visits.values()):,} visits"
    )
    checks = (_unowned_reads, _fates, _put_out, _beginnings, _visits, _overlaps, _offsets)
    found = [f"history: {what}" for check in checks for what in check(script, told)]
    return [*found, *([f"history: {problems}"] if problems else [])]


def _unowned_reads(script: Script, told: History) -> Iterator[str]:
    put_out = {(event.member, event.at) for _, event in told.of_kind(EventKind.FENCED)}
    for name, key, at in script.reads:
        place = partition_at(_prefix(script.groups[name]), key)
        if key % 1_000_000 // 1000 == FLEETING:
            continue  # members read on of a topic that was deleted
        at_ms = (at + script.wall_s + CLOCK_S) * 1000
        tenure = told.tenure(name, place.topic, place.partition, at_ms)
        if tenure is None:
            yield f"{name} read {name_of(key)} at {at:.3f}, and never owned it"
            continue
        grace_s = CLOCK_S if script.protocols[name] == "consumer" else CLASSIC_S
        is_excused = (tenure.member, tenure.ended) in put_out or _in_trouble(script, name, at)
        if tenure.ended is not None and at_ms > tenure.ended + (grace_s + CLOCK_S) * 1000 and not is_excused:
            late_s = at_ms / 1000 - tenure.ended / 1000
            yield f"{name} read {name_of(key)} at {at:.3f}, {late_s:.1f} s after it had given it up"


def _prefix(group: str) -> str:
    return group.rpartition(".")[0]


def _in_trouble(script: Script, name: str, at: float) -> bool:
    return any(begin - 1 < at < end + EXPIRES_S for begin, end in script.troubles[name])


def _fates(script: Script, told: History) -> Iterator[str]:
    for name in {*script.killed, *script.closed}:
        for each in told.members[name]:
            if each.joined > each.left + each.fenced:
                yield f"{name} joined {each.joined} times as {each.member}, and went {each.left + each.fenced} times"
    for name in script.killed:
        is_put_out = any(each.fenced for each in told.members[name])
        if told.members[name] and not is_put_out and not any(each.left for each in told.members[name]):
            yield f"{name} was killed, and not put out"
    for name in script.closed:
        if told.members[name] and not any(each.left or each.fenced for each in told.members[name]):
            yield f"{name} ended, and did not leave"


def _put_out(script: Script, told: History) -> Iterator[str]:
    for name, event in told.of_kind(EventKind.FENCED):
        at = event.at / 1000 - script.wall_s
        if event.cause == "admin" and name not in script.removed:
            yield f"{name} was put out by an administrator, and no one had asked for it"
        if event.cause == "member expired" and not _may_expire(script, name, at):
            yield f"{name} expired at {at:.3f}, and nothing had been done to it"


def _may_expire(script: Script, name: str, at: float) -> bool:
    ends = (script.killed.get(name, FOREVER), script.closed.get(name, FOREVER))
    may_have_left = name.startswith("visitor") and any(failed < at < failed + EXPIRES_S for failed in script.failures)
    return may_have_left or any(end < at for end in ends) or _in_trouble(script, name, at)


def _beginnings(script: Script, told: History) -> Iterator[str]:
    began = {told.clients.get(each.by or "") for each in told.all("rebalances", Rebalance) if each.by}
    for name in {name for name, _, _ in script.reads}:
        if script.groups[name].endswith((".storm", ".consumer")) and name not in began:
            yield f"{name} came, and began no rebalance"


def _visits(script: Script, told: History) -> Iterator[str]:
    for name, visits in script.visits.items():
        joined = sum(each.joined for each in told.members[name])
        if script.protocols[name] == "consumer" and joined < visits:
            yield f"{name} came {visits} times, of which {joined} are told"


def _overlaps(script: Script, told: History) -> Iterator[str]:
    for each in told.all("overlaps", Overlap):
        if not each.is_excused and not each.topic.endswith(f"-{FLEETING}"):
            yield f"{each.first} and {each.second} of {each.group} both owned {each.topic}[{each.partition}]"


def _offsets(script: Script, told: History) -> Iterator[str]:
    last = {(each.group, each.topic, each.partition): each.committed for each in told.all("owners", Owner)}
    for group, offsets in script.stored.items():
        for key, offset in offsets.items():
            place = partition_at(_prefix(group), key)
            if last.get((group, place.topic, place.partition)) != offset:
                there = last.get((group, place.topic, place.partition))
                yield f"{group} has {offset} for {name_of(key)}, and {there} is told"
