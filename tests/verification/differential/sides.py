"""One of the two brokers: its connections, what it told in this episode, and the answers that it owes."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from typing import Any

from attrs import define, field

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire import apis
from tests.support.plain_messages import as_dict
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker import topic_requests
from tests.testing.broker.client import Client
from tests.testing.broker.configs import GROUP, SET, alter, describe
from tests.testing.broker.requests import metadata
from tests.verification.differential.steps import Step
from tests.verification.differential.told import Member, Told

_BARRIERS = 3
_TIMEOUT_MS = 10_000
_BARRIER_KEY = "consumer.session.timeout.ms"
_TIMES = itertools.cycle(range(45_000, 60_000))

Answer = Mapping[str, Any]


@define
class Side:
    """A broker as an episode knows it."""

    bootstrap_servers: str
    told: Told
    _main: Client | None = None
    _own: dict[Member, Client] = field(factory=dict)
    owed: dict[Member, Step] = field(factory=dict)

    @property
    def main(self) -> Client:
        """The connection of what is answered at once."""
        if self._main is None:
            self._main = Client(self.bootstrap_servers, GUARD_S)
        return self._main

    def ask(self, step: Step) -> Answer:
        """Send a request and take the answer, which may be that the broker hangs up or is silent."""
        try:
            self.main.send(step.message(self.told), step.version)
            return self._learned(step, self._received(self.main, step))
        except OSError as error:
            self._drop_main()
            return _without_answer(error)

    def put(self, step: Step) -> None:
        """Send a request whose answer may have to wait."""
        client = self._own.get(step.who)
        if client is None:
            client = self._own[step.who] = Client(self.bootstrap_servers, GUARD_S, step.who[1])
        client.send(step.message(self.told), step.version)
        self.owed[step.who] = step

    def arrived(self) -> set[Member]:
        """Whose answers are there."""
        return {who for who in self.owed if self._own[who].has_answer(0)}

    def take(self, who: Member) -> Answer:
        """The answer that is there."""
        step = self.owed.pop(who)
        try:
            return self._learned(step, self._received(self._own[who], step))
        except OSError as error:
            self._own.pop(who).close()
            return _without_answer(error)

    def forget(self, groups: Collection[str]) -> None:
        """Hang up where an answer is owed to a member of these groups."""
        for who in [who for who in self.owed if who[0] in groups]:
            del self.owed[who]
            self._own.pop(who).close()

    def pass_barrier(self, group: str) -> None:
        """Have nobody's heartbeats answered by a group's coordinator, which serves its requests in order."""
        name = self.told.real(group)
        for _ in range(_BARRIERS):
            self.main.ask(apis.HEARTBEAT, group_id=name, generation_id=0, member_id="nobody")

    def pass_metadata_barrier(self) -> None:
        """Wait until every part of the broker knows of all changes before.

        Changes are passed on one after the other, so each is known everywhere when a later one is told.
        """
        name, value = self.told.real("barrier"), str(next(_TIMES))
        alter(self.main, GROUP, name, (_BARRIER_KEY, SET, value))
        eventually("a change is told", lambda: describe(self.main, GROUP, name)[_BARRIER_KEY].value == value)

    def close(self) -> None:
        self._drop_main()
        for client in self._own.values():
            client.close()
        self._own.clear()
        self.owed.clear()

    def _received(self, client: Client, step: Step) -> Answer:
        try:
            answer: Answer = as_dict(client.receive(step.api, step.version))
        except DecodeError as error:
            return {"not to be read": str(error)}
        return answer

    def _learned(self, step: Step, answer: Answer) -> Answer:
        self.told.learn(step.api, step.who, answer)
        return answer

    def _drop_main(self) -> None:
        if self._main is not None:
            self._main.close()
            self._main = None

    def topics(self, names: list[str]) -> dict[str, int]:
        """The partitions of each topic that is there, whose ids are learned along with it."""
        answered = {topic.name: topic for topic in metadata(self.main, *map(self.told.real, names)).topics}
        found = {}
        for name in names:
            topic = answered[self.told.real(name)]
            if not topic.error_code:
                found[name] = len(topic.partitions)
                self.told.learn_topic(name, topic.topic_id)
        return found

    def delete_topics(self, names: list[str]) -> None:
        """Delete those of the topics that are there, without looking at the answer."""
        topics = [{"name": self.told.real(name)} for name in names]
        self.main.ask(apis.DELETE_TOPICS, topics=topics, timeout_ms=_TIMEOUT_MS)

    def given(self, kind: int, name: str) -> dict[str, str | None] | None:
        """What a topic or group was given for itself; None if there is no such topic."""
        result = topic_requests.describe(self.main, kind, name)
        if result.error_code:
            return None
        return {config.name: config.value for config in result.configs if config.config_source in _OWN}


_OWN = (1, 8)  # of a topic and of a group


def _without_answer(error: OSError) -> Answer:
    return {"no answer": "silence" if isinstance(error, TimeoutError) else "hung up"}
