"""Tells a member of a classic group what happened, carries out what it answers, and writes that down.

Its requests wait for the scenario to answer them. A coordinator machine would take them from there.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.assignors.spec import PartitionAssignor, PartitionAssignorError
from kafka_nextgen.membership.assigning.running import compute
from kafka_nextgen.membership.classic import effects as fx
from kafka_nextgen.membership.classic import events as ev
from kafka_nextgen.membership.classic.member import is_late
from kafka_nextgen.membership.effects import CommitConsumed
from kafka_nextgen.membership.events import CommitFinished, HeartbeatRefused, Subscribed
from kafka_nextgen.membership.offsets.effects import SendCommit, SendLookup, TellMember
from kafka_nextgen.membership.offsets.events import CommitBeforeRevokingAsked, GroupEntered
from tests.verification.scenario_language.arrows import Arrow, Trail
from tests.verification.scenario_language.calling import Call, finished, tell, tell_call
from tests.verification.scenario_language.client import Task
from tests.verification.scenario_language.driving import REQUEST_TIMEOUT_S
from tests.verification.scenario_language.offset_desk import NO_JITTER, OffsetDriver
from tests.verification.scenario_language.scripted.client import KINDS, Request, ScriptedClient
from tests.verification.scenario_language.scripted.telling import (
    tell_own_assignor,
    tell_question,
    tell_request,
    tell_run,
)

_REFUSALS = (ev.JoinRefused, ev.SyncRefused, HeartbeatRefused, ev.CommitRefused)


class ScriptedDriver:
    """Drives the clients of one world; ``trail`` notes what their machines went through."""

    def __init__(self) -> None:
        self.trail = Trail()
        self.offsets: OffsetDriver[ScriptedClient] = OffsetDriver(self.trail, _wait_for_the_scenario, self._report)

    def feed(self, client: ScriptedClient, event: ev.ClassicEvent, now: float) -> Iterator[str]:
        if isinstance(event, Subscribed):
            yield from self.offsets.feed(client, GroupEntered(), now)
        before, late = client.member.status, is_late(client.member.state, event)
        effects = client.member.handle(event, now, NO_JITTER)
        if not late:
            self._note(Arrow(before, type(event), client.member.status), event)
        if client.member.status is not before:
            yield f"   {client.name} {before.value} => {client.member.status.value}"
        for effect in effects:
            client.watch.sees(effect)
            yield from self._carry_out(client, effect, now)
            yield from self.offsets.follow(client, effect, now)

    def _note(self, arrow: Arrow, event: ev.ClassicEvent) -> None:
        self.trail.arrows.add(arrow)
        if isinstance(event, _REFUSALS):
            self.trail.refusals.add((type(event), event.code))

    def _carry_out(self, client: ScriptedClient, effect: fx.ClassicEffect, now: float) -> Iterator[str]:
        if isinstance(effect, Request):
            yield from self._send(client, effect, now)
        elif isinstance(effect, Call):
            client.calls.append(effect)
            yield tell_call(client.name, effect)
        elif isinstance(effect, CommitConsumed):
            yield from self._commit(client, effect, now)
        elif isinstance(effect, fx.AskForTopics):
            client.question = effect
            yield tell_question(client.name, effect)
        elif isinstance(effect, fx.RunAssignor):
            client.run = effect
            yield from tell_run(client.name, effect)
        elif isinstance(effect, fx.TellAssignor | fx.RaiseAssignorFailed):
            yield tell_own_assignor(client.name, effect)
        else:
            yield from tell(client.name, effect)

    def _send(self, client: ScriptedClient, request: Request, now: float) -> Iterator[str]:
        client.requests[KINDS[type(request)]] = request
        timeout_s = REQUEST_TIMEOUT_S
        if isinstance(request, fx.SendJoinGroup | fx.SendSyncGroup):
            timeout_s = request.timeout_s
        client.answer_by[KINDS[type(request)]] = now + timeout_s
        if isinstance(request, fx.SendJoinGroup):
            client.last_join = request
        if not (isinstance(request, fx.SendClassicHeartbeat) and client.is_kept()):
            yield tell_request(client.name, request)

    def _commit(self, client: ScriptedClient, effect: CommitConsumed, now: float) -> Iterator[str]:
        client.commit = effect
        offsets = client.consumed()
        if not offsets or Task.COMMIT in client.slow:
            yield f"   {client.name} commits"
            return
        desk = client.desk
        desk.before_revoking = desk.number()
        asked = CommitBeforeRevokingAsked(desk.before_revoking, offsets, max(0.0, effect.deadline - now))
        yield from self.offsets.feed(client, asked, now)

    def _report(self, client: ScriptedClient, said: TellMember | str | None, now: float) -> Iterator[str]:
        """Tell the member what a refused commit says of it, or how the commit before a revocation ended."""
        if isinstance(said, TellMember):
            yield from self.feed(client, ev.CommitRefused(said.code, said.member_epoch), now)
        elif client.commit is not None:
            number, client.commit = client.commit.number, None
            yield from self.feed(client, CommitFinished(number, said), now)

    def end_run(self, client: ScriptedClient, assignor: PartitionAssignor, now: float) -> Iterator[str]:
        """Let the assignor of a client's own come to what this one comes to."""
        assert client.run is not None, "an assignor runs"
        run, client.run = client.run, None
        event: ev.ClassicEvent
        try:
            event = ev.AssignorReturned(run.number, compute(assignor, run.group))
        except PartitionAssignorError as failed:
            event = ev.AssignorFailed(run.number, str(failed))
        yield from self.feed(client, event, now)

    def end_call(self, client: ScriptedClient, call: Call, error: str | None, now: float) -> Iterator[str]:
        client.calls.remove(call)
        client.watch.callback_ended(call, error is not None)
        yield from self.feed(client, finished(call, error), now)


def _wait_for_the_scenario(_client: ScriptedClient, _request: SendCommit | SendLookup, _now: float) -> None:
    """A coordinator machine would take it from here."""
