"""A client's own assignors in the pair world: the machine that has them compute, for one life of the client.

What an assignor comes to is the uniform assignor's thoughts, as soon as things settle, unless its client is slow in
that or a scenario says otherwise. What the network and the application can see is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from attrs import define

from kafka_nextgen.assignors import PartitionAssignor, PartitionAssignorError
from kafka_nextgen.assignors.spec import AssignmentSpec
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.assigning import effects as fx
from kafka_nextgen.membership.assigning import events as ev
from kafka_nextgen.membership.assigning.machine import AssigningMachine
from kafka_nextgen.membership.assigning.running import compute
from kafka_nextgen.membership.assigning.settings import AssigningSettings
from kafka_nextgen.membership.effects import PublishEpoch
from kafka_nextgen.testing.coordinator.extensions.requests import InstallAssignment, PrepareAssignment
from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentInstalled, AssignmentPrepared
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from tests.verification.scenario_language.calling import tell
from tests.verification.scenario_language.network import Kind, Message
from tests.verification.scenario_language.offset_desk import NO_JITTER
from tests.verification.scenario_language.telling import Write
from tests.verification.scenario_language.telling_assigning import (
    tell_computation,
    tell_installed,
    tell_on_assignment,
    tell_prepared,
    tell_sent,
)
from tests.verification.scenario_language.world import GROUP


@define
class AssigningDesk:
    """One life of a client's own assignors; ``run`` is what one of them is at."""

    machine: AssigningMachine
    run: fx.Compute | None = None

    @classmethod
    def make(cls, settings: AssigningSettings) -> AssigningDesk:
        return cls(AssigningMachine(settings))


class AtAssigningDesk(Protocol):
    """What a client is here."""

    name: str
    assigning: AssigningDesk


C = TypeVar("C", bound=AtAssigningDesk)


class AssigningDriver(Generic[C]):
    """Drives the assignors of one world's clients.

    ``send`` puts a request on its way, ``on_installed`` tells the member of a target that is in force.
    """

    def __init__(
        self,
        write: Write,
        send: Callable[[C, fx.SendPrepare | fx.SendInstall], None],
        on_installed: Callable[[C, float], Iterator[str]],
    ) -> None:
        self._write = write
        self._send = send
        self._on_installed = on_installed

    def feed(self, client: C, event: ev.AssigningEvent, now: float) -> Iterator[str]:
        for effect in client.assigning.machine.handle(event, now, NO_JITTER):
            if isinstance(effect, fx.TellInstalled):
                yield from self._on_installed(client, now)
            else:
                yield from self._carry_out(client, effect)

    def follow(self, client: C, effect: object, now: float) -> Iterator[str]:
        """Let the machine know what the member wants done, as far as that concerns its membership."""
        if isinstance(effect, PublishEpoch) and effect.member_epoch < 0:
            yield from self.feed(client, ev.MembershipEnded(), now)

    def _carry_out(self, client: C, effect: fx.AssigningEffect) -> Iterator[str]:
        match effect:
            case fx.SendPrepare() | fx.SendInstall():
                self._send(client, effect)
                yield tell_sent(client.name, effect, self._write)
            case fx.Compute():
                client.assigning.run = effect
                yield from tell_computation(client.name, effect.assignor, effect.spec, self._write)
            case fx.CallOnAssignment():
                yield tell_on_assignment(client.name, effect, self._write)
            case fx.TellFailure():
                whose = "" if effect.assignor is None else f"{effect.assignor} failed: "
                yield f"   {client.name} raises AssignorError: {whose}{effect.why}"
            case _:
                yield from tell(client.name, effect)

    def end_run(self, client: C, assignor: PartitionAssignor, now: float) -> Iterator[str]:
        """Let the assignor that is at work come to what this one comes to."""
        run, client.assigning.run = client.assigning.run, None
        assert run is not None, "an assignor is at work"
        event: ev.AssigningEvent
        try:
            event = ev.Computed(run.number, compute(assignor, run.spec))
        except PartitionAssignorError as failed:
            event = ev.ComputationFailed(run.number, str(failed))
        yield from self.feed(client, event, now)


# Its requests and answers on the virtual network.


def under_way(request: fx.SendPrepare | fx.SendInstall, member_id: str) -> Message:
    """A request of a life of that member id, as it travels."""
    if isinstance(request, fx.SendPrepare):
        asked = PrepareAssignment(GROUP, request.member_id, request.member_epoch)
        return Message(Kind.PREPARE, member_id, request.number, asked)
    brought = InstallAssignment(
        GROUP,
        request.member_id,
        request.member_epoch,
        request.group_epoch,
        request.error,
        request.members,
        request.message,
    )
    return Message(Kind.INSTALL, member_id, request.number, brought)


def heard(number: int, answer: AssignmentPrepared | AssignmentInstalled) -> ev.AssigningEvent:
    if answer.error is not ErrorCode.NONE:
        return ev.Refused(number, answer.error, answer.message)
    if isinstance(answer, AssignmentInstalled):
        return ev.Installed(number)
    members = {member_id: member.spec for member_id, member in answer.members.items()}
    return ev.Prepared(number, answer.group_epoch, answer.assignor, AssignmentSpec(members, answer.topics))


def told(name: str, answer: AssignmentPrepared | AssignmentInstalled) -> str:
    return tell_installed(name, answer) if isinstance(answer, AssignmentInstalled) else tell_prepared(name, answer)


def is_about_assigning(kind: Kind) -> bool:
    return kind in (Kind.PREPARE, Kind.INSTALL)


def lost(message: Message) -> ev.Lost:
    """What a client learns when no answer to such a message will come."""
    return ev.Lost(message.number, "no answer")


def heartbeat_heard(answer: ConsumerGroupHeartbeatAnswer, member_id: str) -> ev.HeartbeatHeard:
    share = None
    if answer.assignment is not None:
        share = ev.TargetShare(
            answer.assignment | answer.pending,
            answer.assignment_assignor,
            answer.assignment_error,
            answer.assignment_metadata,
        )
    return ev.HeartbeatHeard(
        answer.member_id or member_id, answer.member_epoch, answer.should_compute, answer.assignment_message, share
    )
