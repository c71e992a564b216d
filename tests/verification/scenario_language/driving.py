"""Tells a client's machine what happened, carries out what it answers, and writes that down.

What the network and the application can see is told: heartbeats and commits, callbacks, what stops flowing, errors,
the end, and the member's status. What only the driver sees is watched instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.assignors.spec import AssignorMetadata, ClientAssignor
from kafka_nextgen.assignors.user_data import MemberWord
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.assigning.effects import SendInstall, SendPrepare
from kafka_nextgen.membership.member import is_late
from kafka_nextgen.membership.offsets import effects as offsets_fx
from kafka_nextgen.membership.offsets.events import CommitBeforeRevokingAsked, GroupEntered
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from tests.verification.scenario_language import offset_desk
from tests.verification.scenario_language.arrows import Arrow, Trail
from tests.verification.scenario_language.assigning_desk import AssigningDriver, under_way
from tests.verification.scenario_language.assignor_words import write_member_word
from tests.verification.scenario_language.calling import Call, finished, tell, tell_call
from tests.verification.scenario_language.client import Client, Task
from tests.verification.scenario_language.network import Kind, Message
from tests.verification.scenario_language.notation import write_duration, write_offsets
from tests.verification.scenario_language.offset_desk import NO_JITTER, OffsetDriver
from tests.verification.scenario_language.telling import Write
from tests.verification.scenario_language.world import GROUP

__all__ = ["NO_JITTER", "REQUEST_TIMEOUT_S", "Driver", "write_heartbeat"]

REQUEST_TIMEOUT_S = 30.0


class Driver:
    """Drives the clients of one world; ``trail`` notes what their machines went through."""

    def __init__(self, write: Write) -> None:
        self.trail = Trail()
        self.assigning: AssigningDriver[Client] = AssigningDriver(write, _bring_on_its_way, self._installed)
        self.offsets: OffsetDriver[Client] = OffsetDriver(self.trail, _put_on_its_way, self._end_commit)
        self._write = write

    def feed(self, client: Client, event: ev.Event, now: float) -> Iterator[str]:
        member = client.member
        if member is None:
            return
        if isinstance(event, ev.Subscribed):
            yield from self.offsets.feed(client, GroupEntered(), now)
        before, late = member.status, is_late(member.state, event)
        effects = member.handle(event, now, NO_JITTER)
        if not late:
            self._note(Arrow(before, type(event), member.status), event)
        if member.status is not before:
            yield f"   {client.name} {before.value} => {member.status.value}"
        for effect in effects:
            client.watch.sees(effect)
            yield from self._carry_out(client, effect, now)
            yield from self.offsets.follow(client, effect, now)
            yield from self.assigning.follow(client, effect, now)

    def _installed(self, client: Client, now: float) -> Iterator[str]:
        yield from self.feed(client, ev.TargetInstalled(), now)

    def _note(self, arrow: Arrow, event: ev.Event) -> None:
        self.trail.arrows.add(arrow)
        if isinstance(event, ev.HeartbeatRefused):
            self.trail.refusals.add((type(event), event.code))

    def _carry_out(self, client: Client, effect: fx.Effect, now: float) -> Iterator[str]:
        match effect:
            case fx.SendHeartbeat():
                yield self._send_heartbeat(client, effect, now)
            case fx.CommitConsumed():
                yield from self._commit(client, effect, now)
            case fx.CallOnAssigned() | fx.CallOnRevoked() | fx.CallOnLost():
                client.calls.append(effect)
                yield tell_call(client.name, effect)
            case fx.ResolveTopics():
                client.to_resolve = effect
            case _:
                yield from tell(client.name, effect)

    def _send_heartbeat(self, client: Client, effect: fx.SendHeartbeat, now: float) -> str:
        question = _heartbeat(effect)
        client.to_coordinator.messages.append(Message(Kind.HEARTBEAT, _id_of(client), effect.number, question))
        client.answer_by[Kind.HEARTBEAT, effect.number] = now + REQUEST_TIMEOUT_S
        return f"{client.name} -> {write_heartbeat(effect, self._write)}"

    def _commit(self, client: Client, effect: fx.CommitConsumed, now: float) -> Iterator[str]:
        client.commit = effect
        offsets = client.consumed()
        if not offsets or Task.COMMIT in client.slow:
            yield f"   {client.name} commits {write_offsets(offsets)}"
            return
        desk = client.desk
        desk.before_revoking = desk.number()
        asked = CommitBeforeRevokingAsked(desk.before_revoking, offsets, max(0.0, effect.deadline - now))
        yield from self.offsets.feed(client, asked, now)

    def _end_commit(self, client: Client, said: offsets_fx.TellMember | str | None, now: float) -> Iterator[str]:
        assert not isinstance(said, offsets_fx.TellMember), "by this protocol heartbeats tell a member where it stands"
        if client.commit is not None:
            number, client.commit = client.commit.number, None
            yield from self.feed(client, ev.CommitFinished(number, said), now)

    def end_call(self, client: Client, call: Call, error: str | None, now: float) -> Iterator[str]:
        client.calls.remove(call)
        client.watch.callback_ended(call, error is not None)
        yield from self.feed(client, finished(call, error), now)


def _id_of(client: Client) -> str:
    assert client.member is not None, "only a client that runs sends"
    return client.member.member_id


def _put_on_its_way(client: Client, effect: offsets_fx.SendCommit | offsets_fx.SendLookup, _now: float) -> None:
    message = offset_desk.under_way(effect, _id_of(client))
    client.to_coordinator.messages.append(message)
    client.answer_by[message.kind, message.number] = effect.deadline


def _bring_on_its_way(client: Client, effect: SendPrepare | SendInstall) -> None:
    message = under_way(effect, _id_of(client))
    client.to_coordinator.messages.append(message)
    client.answer_by[message.kind, message.number] = effect.deadline


def _heartbeat(effect: fx.SendHeartbeat) -> ConsumerGroupHeartbeat:
    topics = effect.subscribed_topics
    return ConsumerGroupHeartbeat(
        group_id=GROUP,
        member_id=effect.member_id,
        member_epoch=effect.member_epoch,
        instance_id=effect.instance_id,
        rack_id=effect.rack_id,
        rebalance_timeout_ms=effect.rebalance_timeout_ms,
        subscribed_topics=None if topics is None else frozenset(topics),
        subscribed_pattern=effect.subscribed_pattern,
        server_assignor=effect.server_assignor,
        client_assignors=effect.client_assignors,
        join_reason=effect.join_reason,
        standby_state=effect.standby_state,
        owned=effect.owned,
    )


def write_heartbeat(effect: fx.SendHeartbeat, write: Write) -> str:
    """``heartbeat full epoch=0 topics=foo``."""
    timeout, topics = effect.rebalance_timeout_ms, effect.subscribed_topics
    fields = {
        "epoch": effect.member_epoch,
        "instance": effect.instance_id,
        "rack": effect.rack_id,
        "timeout": None if timeout == -1 else write_duration(timeout),
        "topics": None if topics is None else " ".join(topics) or "-",
        "pattern": effect.subscribed_pattern,
        "assignor": effect.server_assignor,
        "says": None if effect.client_assignors is None else " ".join(map(_said, effect.client_assignors)) or "-",
        "states": effect.join_reason.name.lower() if effect.join_reason else None,
        "standby": effect.standby_state.name.lower() if effect.standby_state else None,
        "owns": None if effect.owned is None else write(effect.owned),
    }
    said = [f"{key}={value}" for key, value in fields.items() if value is not None]
    return " ".join(["heartbeat", *(["full"] if effect.full else []), *said])


def _said(assignor: ClientAssignor) -> str:
    """``mine!v1:heavy/r3``."""
    return f"{assignor.name}!{write_member_word(MemberWord(AssignorMetadata(assignor.reason, assignor.metadata)))}"
