"""The scripted world: members of a classic group, each against a coordinator that is the scenario itself.

Nothing moves by itself but in ``settle``, which goes on until nothing is left to do at this time, and in ``tick``,
which settles whenever something was due. Applications poll when their member waits for them, finish their callbacks
and commits at once, topics are described and heartbeats answered without an error: unless a member is made slow in
it. Every other request waits for ``answer``, or until it counts as lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from kafka_nextgen.assignors.spec import TopicMetadata
from kafka_nextgen.assignors.uniform import UniformAssignor
from kafka_nextgen.membership import events as common
from kafka_nextgen.membership.classic import events as ev
from kafka_nextgen.membership.classic.events import JoinedMember
from kafka_nextgen.membership.offsets import events as offsets_ev
from tests.verification.scenario_language.arrows import Trail
from tests.verification.scenario_language.assignors import Raised
from tests.verification.scenario_language.client import TASKS, Task
from tests.verification.scenario_language.grammar import ScenarioError
from tests.verification.scenario_language.keepalives import without_keepalives
from tests.verification.scenario_language.network import Kind as NetworkKind
from tests.verification.scenario_language.scripted.client import Kind, ScriptedClient
from tests.verification.scenario_language.scripted.driving import ScriptedDriver

#: What needs more steps than this at one time never settles.
_MOST_STEPS = 2_000

_LOST: dict[Kind, Callable[[int, str], ev.ClassicEvent]] = {
    Kind.JOIN: ev.JoinLost,
    Kind.SYNC: ev.SyncLost,
    Kind.HEARTBEAT: common.HeartbeatLost,
    Kind.LEAVE: lambda number, _: ev.LeaveEnded(number),
}


class ScriptedWorld:
    """Clients by name, other members of the group as their leader learns of them, and topics with their sizes."""

    def __init__(self) -> None:
        self.clients: dict[str, ScriptedClient] = {}
        self.peers: dict[str, JoinedMember] = {}
        self.parts: dict[str, ev.DescribedPart] | None = {}  # of peers, as the group is described; None if it is not
        self.topics: dict[str, int] = {}
        self.now = 0.0
        self.driver = ScriptedDriver()
        self._kept: Counter[str] = Counter()

    @property
    def trail(self) -> Trail:
        return self.driver.trail

    def feed(self, client: ScriptedClient, event: ev.ClassicEvent) -> Iterator[str]:
        yield from self.driver.feed(client, event, self.now)

    def broken(self) -> list[str]:
        return [f"{client.name}: {rule}" for client in self.clients.values() for rule in client.watch.broken]

    def tell_desk(self, client: ScriptedClient, event: offsets_ev.OffsetEvent) -> Iterator[str]:
        client.desk.ended(event)
        yield from self.driver.offsets.feed(client, event, self.now)

    def take_back(self, client: ScriptedClient, kind: NetworkKind, number: int) -> None:
        """Let a request be under way no more: there is no network that would have it."""

    # What the network does.

    def end(self, client: ScriptedClient, kind: Kind, event: ev.ClassicEvent, *, succeeded: bool) -> Iterator[str]:
        """Let the request of that kind come to its end."""
        request = client.requests.pop(kind)
        client.answer_by.pop(kind)
        if kind is Kind.HEARTBEAT:
            client.watch.answered(request.number, succeeded)
        yield from self.feed(client, event)

    def lose(self, client: ScriptedClient, kind: Kind) -> Iterator[str]:
        lost = _LOST[kind](client.requests[kind].number, "no answer")
        yield from self.end(client, kind, lost, succeeded=False)

    def keep_session(self, client: ScriptedClient) -> Iterator[str]:
        number = client.requests[Kind.HEARTBEAT].number
        yield from self.end(client, Kind.HEARTBEAT, ev.SessionKept(number), succeeded=True)

    def _keep_session_quietly(self, client: ScriptedClient) -> Iterator[str]:
        self._kept[client.name] += 1
        return self.keep_session(client)

    # What the clients do by themselves.

    def settle(self) -> Iterator[str]:
        """Go on until nothing is left to do at this time."""
        for _ in range(_MOST_STEPS):
            step = next(filter(None, map(self._next_step, self.clients.values())), None)
            if step is None:
                return
            yield from step
        raise ScenarioError("this never settles")

    def _next_step(self, client: ScriptedClient) -> Iterator[str] | None:
        if client.calls and TASKS[type(client.calls[0])] not in client.slow:
            return self.driver.end_call(client, client.calls[0], None, self.now)
        if client.commit is not None and client.desk.before_revoking is None and Task.COMMIT not in client.slow:
            return self.end_commit(client, None)
        if client.question is not None and Task.TOPICS not in client.slow:
            return self.describe(client)
        if client.run is not None and Task.ASSIGNOR not in client.slow:
            return self.compute(client)
        if Kind.HEARTBEAT in client.requests and client.is_kept():
            return self._keep_session_quietly(client)
        polls = client.member.wants_poll and client.polls(self.now)
        return self.feed(client, common.Polled()) if polls else None

    def end_commit(self, client: ScriptedClient, error: str | None) -> Iterator[str]:
        """Let the commit of a rebalance come to its end."""
        assert client.commit is not None, "a commit is under way"
        number, client.commit = client.commit.number, None
        yield from self.feed(client, common.CommitFinished(number, error))

    def describe(self, client: ScriptedClient, error: str | None = None) -> Iterator[str]:
        """Answer with the topics there are, and those that match, or say why not."""
        assert client.question is not None, "topics were asked for"
        question, client.question = client.question, None
        if error is not None:
            yield from self.feed(client, ev.TopicsNotDescribed(question.number, error))
            return
        pattern = question.pattern
        matching = frozenset(name for name in self.topics if pattern and re.fullmatch(pattern, name))
        names = (question.topics | matching) & self.topics.keys()
        described = {name: TopicMetadata(name, self.topics[name]) for name in names}
        parts = self._parts(client) if question.with_parts else None
        yield from self.feed(client, ev.TopicsDescribed(question.number, described, matching, parts=parts))

    def _parts(self, client: ScriptedClient) -> tuple[ev.DescribedPart, ...] | None:
        state = client.member.state
        if self.parts is None:
            return None
        owned = state.owned if state.assigned is None else state.assigned
        return (ev.DescribedPart(state.member_id, state.joined_topics, owned), *self.parts.values())

    def compute(self, client: ScriptedClient, error: str | None = None) -> Iterator[str]:
        """Let the assignor that a client runs come to what the uniform one would, or raise."""
        yield from self.driver.end_run(client, UniformAssignor() if error is None else Raised(error), self.now)

    def tell_kept(self) -> Iterator[str]:
        """How many heartbeats were answered, and told nothing, since this was last asked."""
        yield from (f"{name} heartbeats={count}" for name, count in sorted(self._kept.items()))
        self._kept.clear()

    # What time brings.

    def pass_time(self, seconds: float) -> Iterator[str]:
        """Let time pass; what is due happens at its time, and settles."""
        began = self.now
        told = [(began, list(self.settle()))]
        while (due := self._next_event()) is not None and due <= began + seconds:
            self.now = max(self.now, due)
            told.append((self.now, [*self._wake_all(), *self.settle()]))
        self.now = began + seconds
        yield from without_keepalives(began, told)
        yield from (f"   {line}" for line in self.tell_kept())

    def _next_event(self) -> float | None:
        times: list[float | None] = []
        for client in self.clients.values():
            times += [client.member.deadline(), *client.answer_by.values(), *client.desk.deadlines()]
            times.append(client.silent_until if client.silent_until > self.now else None)
        return min((time for time in times if time is not None), default=None)

    def _wake_all(self) -> Iterator[str]:
        for client in self.clients.values():
            for kind, deadline in list(client.answer_by.items()):
                if deadline <= self.now:
                    yield f"-> {client.name} no answer"
                    yield from self.lose(client, kind)
            for lost in client.desk.overdue(self.now):
                yield f"-> {client.name} no answer"
                yield from self.tell_desk(client, lost)
            yield from self._wake(client)

    def _wake(self, client: ScriptedClient) -> Iterator[str]:
        if client.polls(self.now) and (self._is_due(client) or client.silent_until == self.now):
            yield from self.feed(client, common.Polled())
        if self._is_due(client):
            yield from self.feed(client, common.TimePassed())
        deadline = client.desk.machine.deadline()
        if deadline is not None and deadline <= self.now:
            yield from self.tell_desk(client, offsets_ev.TimePassed())

    def _is_due(self, client: ScriptedClient) -> bool:
        deadline = client.member.deadline()
        return deadline is not None and deadline <= self.now
