"""The pair world: membership machines and the coordinator machine, joined by a virtual network, in virtual time.

Nothing moves by itself but in ``settle``, which goes on until nothing is left to do at this time, and in ``tick``,
which settles whenever something was due. Applications poll when their member wakes or waits for them, and finish
their callbacks at once, unless they are made slow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kafka_nextgen.assignors import UniformAssignor
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.assigning import events as assigning_ev
from kafka_nextgen.membership.effects import ResolveTopics
from kafka_nextgen.membership.offsets import events as offsets_ev
from kafka_nextgen.membership.states import Status
from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentInstalled, AssignmentPrepared
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer, OffsetsCommitted, OffsetsFetched
from kafka_nextgen.types import format_partitions
from tests.verification.scenario_language import assigning_desk, offset_desk
from tests.verification.scenario_language.arrows import Trail
from tests.verification.scenario_language.client import TASKS, Client, Task
from tests.verification.scenario_language.driving import Driver
from tests.verification.scenario_language.grammar import ScenarioError
from tests.verification.scenario_language.keepalives import without_keepalives
from tests.verification.scenario_language.network import Kind, Link, Message
from tests.verification.scenario_language.notation import NotationError
from tests.verification.scenario_language.pure import PureWorld
from tests.verification.scenario_language.telling import tell_heartbeat, tell_standby_place
from tests.verification.scenario_language.telling_assigning import tell_besides, tell_complaint

#: What needs more steps than this at one time never settles.
_MOST_STEPS = 2_000

_ANSWERS = (
    ConsumerGroupHeartbeatAnswer,
    OffsetsCommitted,
    OffsetsFetched,
    AssignmentPrepared,
    AssignmentInstalled,
)


class PairWorld(PureWorld):
    """Clients by name, in the order they were made, and their coordinator, which may be down."""

    def __init__(self) -> None:
        super().__init__()
        self.clients: dict[str, Client] = {}
        self.is_down = False
        self.driver = Driver(self.write)

    @property
    def trail(self) -> Trail:
        return self.driver.trail

    @property
    def now(self) -> float:
        return self.host.now

    def links(self) -> Iterator[Link]:
        for client in self.clients.values():
            yield from (client.to_coordinator, client.from_coordinator)

    def feed(self, client: Client, event: ev.Event) -> Iterator[str]:
        yield from self.driver.feed(client, event, self.host.now)

    # What the network does.

    def deliver(self, link: Link, kind: Kind | None = None) -> Iterator[str]:
        """Deliver the oldest message of a link, or the oldest of its kind."""
        message = link.first(kind)
        if message is None:
            raise NotationError(f"nothing is under way from {link.name.replace('->', ' to ')}")
        link.messages.remove(message)
        client = self._client_of(link)
        if link is client.to_coordinator:
            yield from self._arrive(client, message)
        elif client.member is not None and client.member.member_id == message.member_id:
            yield from self.hear(client, message)

    def _client_of(self, link: Link) -> Client:
        return next(c for c in self.clients.values() if link in (c.to_coordinator, c.from_coordinator))

    def _arrive(self, client: Client, message: Message) -> Iterator[str]:
        if self.is_down:
            yield from self.lose(client, message)
            return
        self.set_up()
        outcome = self.host.ask(message.content)  # type: ignore[arg-type]  # questions travel this way
        yield from self.news(outcome)
        answer = outcome.response
        assert isinstance(answer, _ANSWERS)
        reply = Message(message.kind, message.member_id, message.number, answer)
        client.from_coordinator.messages.append(reply)

    def hear(self, client: Client, message: Message) -> Iterator[str]:
        waited_for = client.answer_by.pop((message.kind, message.number), None) is not None
        late = "" if waited_for else " late"
        if isinstance(message.content, OffsetsCommitted | OffsetsFetched):
            yield from (line + late for line in offset_desk.told(client.name, message.content))
            yield from self.tell_desk(client, offset_desk.heard(message.number, message.content))
            return
        if isinstance(message.content, AssignmentPrepared | AssignmentInstalled):
            yield assigning_desk.told(client.name, message.content) + late
            event = assigning_desk.heard(message.number, message.content)
            yield from self.driver.assigning.feed(client, event, self.host.now)
            return
        assert isinstance(message.content, ConsumerGroupHeartbeatAnswer)
        yield from self._hear_heartbeat(client, message.number, message.content, late)

    def _hear_heartbeat(
        self, client: Client, number: int, answer: ConsumerGroupHeartbeatAnswer, late: str
    ) -> Iterator[str]:
        besides = tell_besides(answer, self.write) + tell_standby_place(answer)
        yield tell_heartbeat(client.name, answer, str(answer.member_epoch), self.write) + besides + late
        yield from tell_complaint(client.name, answer)
        client.watch.answered(number, answer.error is ErrorCode.NONE, answer.assignment)
        assert client.member is not None, "only a client that runs hears"
        if not late and answer.error is ErrorCode.NONE and answer.member_epoch > 0 and client.words:
            heard = assigning_desk.heartbeat_heard(answer, client.member.member_id)
            yield from self.driver.assigning.feed(client, heard, self.host.now)
        yield from self.feed(client, _event(number, answer))

    def lose(self, client: Client, message: Message) -> Iterator[str]:
        """Let a client learn that no answer to a message will come."""
        if client.answer_by.pop((message.kind, message.number), None) is None:
            return
        yield f"-> {client.name} no answer"
        about_offsets = offset_desk.lost(message)
        if about_offsets is not None:
            yield from self.tell_desk(client, about_offsets)
            return
        if assigning_desk.is_about_assigning(message.kind):
            yield from self.driver.assigning.feed(client, assigning_desk.lost(message), self.host.now)
            return
        client.watch.answered(message.number, succeeded=False)
        yield from self.feed(client, ev.HeartbeatLost(message.number, "no answer"))

    def tell_desk(self, client: Client, event: offsets_ev.OffsetEvent) -> Iterator[str]:
        client.desk.ended(event)
        yield from self.driver.offsets.feed(client, event, self.host.now)

    def take_back(self, client: Client, kind: Kind, number: int) -> None:
        """Let a request, or its answer, be under way no more."""
        for link in (client.to_coordinator, client.from_coordinator):
            link.forget(kind, number)
        client.answer_by.pop((kind, number), None)

    def end_commit(self, client: Client, error: str | None) -> Iterator[str]:
        """Let a commit end that was not sent: there was nothing to commit, or the client is slow in it."""
        assert client.commit is not None, "a commit is under way"
        number, client.commit = client.commit.number, None
        yield from self.feed(client, ev.CommitFinished(number, error))

    # What the clients do by themselves.

    def settle(self) -> Iterator[str]:
        """Go on until nothing is left to do at this time."""
        self.set_up()
        for _ in range(_MOST_STEPS):
            step = self._next_step()
            if step is None:
                return
            yield from step
        raise ScenarioError("this never settles")

    def _next_step(self) -> Iterator[str] | None:
        for client in self.clients.values():
            step = self._own_step(client)
            if step is not None:
                return step
        link = next((link for link in self.links() if link.can_deliver), None)
        return None if link is None else self.deliver(link)

    def _own_step(self, client: Client) -> Iterator[str] | None:
        if client.member is None:
            return None
        if client.calls and TASKS[type(client.calls[0])] not in client.slow:
            return self.driver.end_call(client, client.calls[0], None, self.host.now)
        if client.commit is not None and self._is_ready(client):
            return self.end_commit(client, None)
        if client.to_resolve is not None and Task.TOPICS not in client.slow:
            return self.resolve(client)
        if client.assigning.run is not None and Task.ASSIGNOR not in client.slow:
            return self.driver.assigning.end_run(client, UniformAssignor(), self.host.now)
        polls = client.member.wants_poll and client.polls(self.host.now)
        return self.feed(client, ev.Polled()) if polls else None

    def _is_ready(self, client: Client) -> bool:
        """Whether nothing was sent, because there was nothing to commit."""
        return client.desk.before_revoking is None and Task.COMMIT not in client.slow

    def resolve(self, client: Client, topics: Collection[str] = ()) -> Iterator[str]:
        """Answer with the names of those topics that there are, or of those among ``topics``, for now."""
        assert client.to_resolve is not None, "names were asked for"
        known = {each for name, each in self.topic_ids.items() if name in topics or not topics}
        there = client.to_resolve.topic_ids & known
        rest = client.to_resolve.topic_ids - known
        client.to_resolve = ResolveTopics(rest) if topics and rest else None
        if there:
            yield from self.feed(client, ev.TopicsResolved({each: self.topic_names[each] for each in there}))

    # What time brings.

    def pass_time(self, seconds: float) -> Iterator[str]:
        """Let time pass; what is due happens at its time, and settles. Keepalives are only counted."""
        began = self.host.now
        told = [(began, list(self.settle()))]
        while (due := self._next_event()) is not None and due <= began + seconds:
            self.host.now = max(self.host.now, due)
            told.append((self.host.now, [*self._wake_all(), *self.settle()]))
        self.host.now = began + seconds
        yield from without_keepalives(began, told)

    def _next_event(self) -> float | None:
        times = [self.host.coordinator.deadline()] if not self.is_down else []
        for client in self.clients.values():
            times += [*_deadlines(client), *client.answer_by.values()]
            times.append(client.silent_until if client.silent_until > self.host.now else None)
        return min((time for time in times if time is not None), default=None)

    def _wake_all(self) -> Iterator[str]:
        if not self.is_down:
            for outcome in self.host.expire():
                yield from self.news(outcome)
        for client in self.clients.values():
            yield from self._time_out(client)
            yield from self._wake(client)

    def _time_out(self, client: Client) -> Iterator[str]:
        for (kind, number), deadline in list(client.answer_by.items()):
            if deadline <= self.host.now and client.member is not None:
                lost = Message(kind, client.member.member_id, number, ConsumerGroupHeartbeatAnswer())
                yield from self.lose(client, lost)

    def _wake(self, client: Client) -> Iterator[str]:
        if client.member is None:
            return
        deadline = client.member.deadline()
        is_due = deadline is not None and deadline <= self.host.now
        if client.polls(self.host.now) and (is_due or client.silent_until == self.host.now):
            yield from self.feed(client, ev.Polled())
        deadline = client.member.deadline()
        if deadline is not None and deadline <= self.host.now:
            yield from self.feed(client, ev.TimePassed())
        deadline = client.desk.machine.deadline()
        if deadline is not None and deadline <= self.host.now:
            yield from self.tell_desk(client, offsets_ev.TimePassed())
        deadline = client.assigning.machine.deadline()
        if deadline is not None and deadline <= self.host.now:
            yield from self.driver.assigning.feed(client, assigning_ev.TimePassed(), self.host.now)

    # What must hold.

    def broken(self) -> list[str]:
        """The coordinator's invariants, those of every client, and that nobody works on what is another's."""
        watched = [f"{client.name}: {rule}" for client in self.clients.values() for rule in client.watch.broken]
        return [*super().broken(), *watched, *self._trespassers(), *self._uninformed()]

    def _trespassers(self) -> Iterator[str]:
        """A member the coordinator counts as such works on nothing but what the coordinator reserves for it."""
        for client in self.clients.values():
            current = self.host.group.currents.get(client.member.member_id) if client.member else None
            if current is None or client.was_misled:
                continue
            reserved = {partition for partition, _ in current.assigned + current.pending_revocation}
            if not client.watch.working_on <= reserved:
                yield f"{client.name} works on {self.write(client.watch.working_on - reserved)}, which is not its own"

    def _uninformed(self) -> Iterator[str]:
        """The driver of a member at rest was told of its epoch and of what it owns."""
        for client in self.clients.values():
            member, told = client.member, (client.watch.published_epoch, client.watch.applied)
            if member is not None and member.status is Status.STABLE and told != (member.member_epoch, member.owned):
                yield f"{client.name}'s driver knows of epoch {told[0]} and {format_partitions(told[1])}"


def _deadlines(client: Client) -> tuple[float | None, ...]:
    if client.member is None:
        return ()
    return client.member.deadline(), client.desk.machine.deadline(), client.assigning.machine.deadline()


def _event(number: int, answer: ConsumerGroupHeartbeatAnswer) -> ev.HeartbeatAnswered | ev.HeartbeatRefused:
    if answer.error is not ErrorCode.NONE:
        return ev.HeartbeatRefused(number, answer.error, answer.message)
    return ev.HeartbeatAnswered(
        number, answer.member_id, answer.member_epoch, answer.heartbeat_interval_ms, answer.assignment
    )
