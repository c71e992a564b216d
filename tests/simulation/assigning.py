"""What drives the machine of a member's own assignors, as ``engine.member.assigning_driver`` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

from attrs import define, field

from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment
from kafka_nextgen.bridge import consumer_group_install_assignment as install
from kafka_nextgen.bridge import consumer_group_prepare_assignment as prepare
from kafka_nextgen.membership.assigning import effects as fx
from kafka_nextgen.membership.assigning import events as ev
from kafka_nextgen.membership.assigning.machine import AssigningMachine
from kafka_nextgen.membership.assigning.settings import AssigningSettings
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.membership.events import TargetInstalled
from kafka_nextgen.wire.apis import CONSUMER_GROUP_INSTALL_ASSIGNMENT, CONSUMER_GROUP_PREPARE_ASSIGNMENT, Api
from tests.simulation.calls import Call
from tests.simulation.dice import Dice
from tests.simulation.exchanges import read, write
from tests.simulation.timeline import Plan, Timeline

__all__ = ["Assigning", "Owner"]


class Owner(Protocol):
    """What it needs of its client."""

    name: str
    coordinator: int | None
    dice: Dice
    timeline: Timeline
    is_dead: bool

    def clock(self) -> float:
        """What time it is by the client's own clock."""

    def real(self, own: float) -> float:
        """When it is this time by the client's own clock."""

    def when_awake(self, action: Callable[[], None]) -> None:
        """Do it now, or as soon as the client does anything again."""

    def feed(self, event: object) -> None:
        """Tell the member what happened."""

    def note_heard(self, request: object, answer: object) -> None:
        """Tell who looks at the client from outside."""

    def compute(self, name: str, group: AssignmentSpec, ended: Callable[[GroupAssignment | str], None]) -> None:
        """Have an assignor assign the group."""

    def call(
        self, frame: bytes, answered: Callable[[bytes], None], lost: Callable[[str], None], timeout_s: float
    ) -> Call:
        """Make a call."""


@define(eq=False)
class Assigning:
    """The machine of one client, for one life."""

    owner: Owner
    settings: AssigningSettings
    machine: AssigningMachine = field(init=False)
    _dice: Dice = field(init=False)
    _timer: Plan | None = None

    def __attrs_post_init__(self) -> None:
        self.machine = AssigningMachine(self.settings)
        self._dice = self.owner.dice.stream(f"assigning of {self.owner.name}")

    def feed(self, event: ev.AssigningEvent) -> None:
        """Tell the machine what happened, and carry out what it answers."""
        if self.owner.is_dead:
            return
        for effect in self.machine.handle(event, self.owner.clock(), self._dice.chance()):
            self._CARRY_OUT[type(effect)](self, effect)
        if self._timer is not None:
            self._timer.call_off()
        deadline = self.machine.deadline()
        self._timer = None if deadline is None else self._wake_at(deadline)

    def _wake_at(self, deadline: float) -> Plan:
        owner = self.owner
        return owner.timeline.at(owner.real(deadline), lambda: owner.when_awake(lambda: self.feed(ev.TimePassed())))

    def _prepare(self, effect: fx.SendPrepare) -> None:
        message = prepare.to_request(effect, self.settings.group_id)
        self._send(effect, CONSUMER_GROUP_PREPARE_ASSIGNMENT, message, prepare.to_event)

    def _install(self, effect: fx.SendInstall) -> None:
        message = install.to_request(effect, self.settings.group_id)
        self._send(effect, CONSUMER_GROUP_INSTALL_ASSIGNMENT, message, install.to_event)

    def _send(self, effect: Any, api: Api, message: Any, to_event: Callable[[int, Any], Any]) -> None:
        def answered(frame: bytes) -> None:
            event = to_event(effect.number, read(api, frame, api.max_version))
            self.owner.note_heard(effect, event)
            self.feed(event)

        self.owner.call(
            write(api, message, self.owner.name, api.max_version),
            answered,
            lambda reason: self.feed(ev.Lost(effect.number, reason)),
            max(0.0, effect.deadline - self.owner.clock()),
        )

    def _compute(self, effect: fx.Compute) -> None:
        def ended(made: GroupAssignment | str) -> None:
            failed = isinstance(made, str)
            self.feed(ev.ComputationFailed(effect.number, made) if failed else ev.Computed(effect.number, made))  # type: ignore[arg-type]

        self.owner.compute(effect.assignor, effect.spec, ended)

    def _tell_installed(self, _effect: fx.TellInstalled) -> None:
        self.owner.feed(TargetInstalled())

    def _find_coordinator(self, _effect: FindCoordinator) -> None:
        self.owner.coordinator = None

    def _tell(self, _effect: object) -> None:
        """The application hears of it, and does nothing about it."""

    _CARRY_OUT: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        fx.SendPrepare: _prepare,
        fx.SendInstall: _install,
        fx.Compute: _compute,
        fx.TellInstalled: _tell_installed,
        fx.CallOnAssignment: _tell,
        fx.TellFailure: _tell,
        FindCoordinator: _find_coordinator,
    }
