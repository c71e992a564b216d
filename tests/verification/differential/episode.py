"""One episode on both brokers: each request to both, and what they answer compared before the next.

A request whose answer may have to wait (JoinGroup, SyncGroup) has its member's connection to itself. After each request
both brokers have to have answered the same of those; a real one may take its time for it. After a change of topics or
configurations the episode goes on when every part of the real broker knows of it.
"""

from __future__ import annotations

import itertools
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from kafka_nextgen.wire import apis
from tests.support.waiting import GUARD_S
from tests.verification.differential.comparing import Leaf, comparable, compared
from tests.verification.differential.differences import explained
from tests.verification.differential.drawing.session import GROUPS, INSTANCES, TOPICS
from tests.verification.differential.sides import Answer, Side
from tests.verification.differential.steps import Step
from tests.verification.differential.symbols import Group, Symbol
from tests.verification.differential.told import Member, Told

_NUMBERS = itertools.count()
_LONGEST_S = 40.0  # sessions last for 60
_GRACE_S = 0.1
_PAUSE_S = 0.02

_JOINS = {apis.JOIN_GROUP, apis.CONSUMER_GROUP_HEARTBEAT}
_TOPIC_CHANGES = {apis.CREATE_TOPICS, apis.DELETE_TOPICS, apis.CREATE_PARTITIONS}


@frozen
class Finding:
    """An answer that differs without explanation: to which request, where, and after which the answer came."""

    step: Step
    leaves: tuple[Leaf, ...]
    after: Step

    @property
    def signature(self) -> tuple[str, ...]:
        """What another finding has in common with it if both are of one difference."""
        return (self.step.api.name, *sorted({leaf.path.rsplit(".", 1)[-1] for leaf in self.leaves}))

    def __str__(self) -> str:
        return "\n".join([str(self.step), *(f"  {leaf}" for leaf in self.leaves)])


@define
class Played:
    """What came of an episode: requests sent to each broker by API, known differences by name, and findings."""

    requests: Counter[str] = field(factory=Counter)
    known: Counter[str] = field(factory=Counter)
    findings: list[Finding] = field(factory=list)


@define
class Episode:
    """Plays requests, as long as no session of a member can have ended.

    After a finding nothing more is said about those topics and groups.
    """

    embedded: Side
    kafka: Side
    played: Played = field(factory=Played)
    _parted: set[str] = field(factory=set)
    _last: Step | None = None
    _end: float = field(factory=lambda: time.monotonic() + _LONGEST_S)

    @classmethod
    def on(cls, embedded: str, kafka: str) -> Episode:
        """An episode with names of its own on the brokers with these ``bootstrap_servers``."""
        prefix = f"d{os.getpid()}n{next(_NUMBERS)}x"
        return cls(Side(embedded, Told(prefix)), Side(kafka, Told(prefix)))

    def play(self, steps: Sequence[Step]) -> Played:
        try:
            for step in steps:
                if time.monotonic() < self._end and self._is_open(step):
                    self._send(step)
        finally:
            self._clear()
        return self.played

    def _is_open(self, step: Step) -> bool:
        """Whether the brokers agree on all that the request is about, and its connection is free."""
        if step.concerns & self._parted or step.who in self.embedded.owed or step.who in self.kafka.owed:
            return False
        return not (_asks_for_an_id(step) and step.who in self.embedded.told.present | self.kafka.told.present)

    def _send(self, step: Step) -> None:
        self.played.requests[step.api.name] += 1
        self._last = step
        if step.waits:
            self.embedded.put(step)
            self.kafka.put(step)
        else:
            self._compare(step, self.embedded.ask(step), self.kafka.ask(step))
        self._collect(step)
        self._settle(step)

    def _compare(self, step: Step, embedded: Answer, kafka: Answer) -> None:
        answers = self._relevant(step, embedded, self.embedded.told), self._relevant(step, kafka, self.kafka.told)
        self._judge(step, tuple(compared(*answers)))

    def _relevant(self, step: Step, answer: Answer, told: Told) -> Any:
        """The answer without the groups of others, and those in which the brokers have parted."""
        if step.api is apis.LIST_GROUPS and "groups" in answer:
            mine = [group for group in answer["groups"] if group["group_id"].startswith(told.prefix)]
            agreed = [group for group in mine if told.alias(group["group_id"]) not in self._parted]
            answer = {**answer, "groups": agreed}
        return comparable(answer, told)

    def _judge(self, step: Step, leaves: tuple[Leaf, ...]) -> None:
        known = explained(step, leaves)
        if known is None:
            self.played.findings.append(Finding(step, leaves, self._last or step))
            self._part(step)
            return
        self.played.known.update({each.name for each in known})
        if any(each.parts for each in known):
            self._part(step)

    def _part(self, step: Step) -> None:
        self._parted |= step.concerns
        for side in (self.embedded, self.kafka):
            side.forget(self._parted)

    def _collect(self, step: Step) -> None:
        """Compare the answers that came of this request to those that waited."""
        if not (self.embedded.owed or self.kafka.owed):
            return
        for group in _groups_of(step):
            self.embedded.pass_barrier(group)
            self.kafka.pass_barrier(group)
        if step.waits and step.who not in self.embedded.arrived() | self.kafka.arrived():
            time.sleep(_GRACE_S)  # a barrier comes by another connection, and may overtake it
        embedded, kafka = self._arrived()
        for who in sorted(embedded | kafka):
            waited = self.embedded.owed.get(who)
            if waited is None:
                continue  # of a group in which the brokers have parted
            if who in embedded and who in kafka:
                self._compare(waited, self.embedded.take(who), self.kafka.take(who))
            else:
                self._judge(waited, (Leaf("", *_late(waited, who in embedded)),))

    def _arrived(self) -> tuple[set[Member], set[Member]]:
        deadline = time.monotonic() + GUARD_S
        while (both := (self.embedded.arrived(), self.kafka.arrived())) and both[0] != both[1]:
            if time.monotonic() > deadline:
                break
            time.sleep(_PAUSE_S)
        return both

    def _settle(self, step: Step) -> None:
        if step.api in _TOPIC_CHANGES:
            self._agree(step, lambda side: side.topics(list(TOPICS)))
        elif step.api is apis.INCREMENTAL_ALTER_CONFIGS:
            for resource in step.fields["resources"]:
                self._agree(step, _given(resource))
        else:
            return
        self.embedded.pass_metadata_barrier()
        self.kafka.pass_metadata_barrier()

    def _agree(self, step: Step, look: Callable[[Side], Any]) -> None:
        """Wait until both brokers tell the same, but for known differences."""
        deadline = time.monotonic() + GUARD_S
        while True:
            leaves = tuple(compared({"afterwards": look(self.embedded)}, {"afterwards": look(self.kafka)}))
            if explained(step, leaves) is not None or time.monotonic() > deadline:
                self._judge(step, leaves)
                return
            time.sleep(_PAUSE_S)

    def _clear(self) -> None:
        """Delete what the episode made."""
        for side in (self.embedded, self.kafka):
            side.close()
            side.delete_topics(list(TOPICS))
            side.close()


def _groups_of(step: Step) -> list[str]:
    return [value.name for value in step.fields.values() if isinstance(value, Group)]


def _late(step: Step, embedded: bool) -> tuple[str, str]:
    return ("an answer", "none yet") if embedded else ("none yet", "an answer")


def _given(resource: Mapping[str, Any]) -> Callable[[Side], Any]:
    kind, name = resource["resource_type"], resource["resource_name"]
    return lambda side: side.given(kind, name.value(side.told) if isinstance(name, Symbol) else name)


def _asks_for_an_id(step: Step) -> bool:
    """Whether a dynamic member of a consumer group comes without its id, and would be a second one if it is there."""
    if step.who is None or step.api not in _JOINS or step.fields["member_id"] != "":
        return False
    return GROUPS[step.who[0]].consumer and step.who[1] not in INSTANCES
