"""What drives the machine of a member's own assignors, as ``engine.member.assigning_driver`` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field

from kafka_nextgen.assignors.spec import GroupAssignment
from kafka_nextgen.membership.assigning import effects as fx
from kafka_nextgen.membership.assigning import events as ev
from kafka_nextgen.membership.assigning.machine import AssigningMachine
from kafka_nextgen.membership.assigning.settings import AssigningSettings
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.membership.events import TargetInstalled
from kafka_nextgen.requests.extensions import consumer_group_install_assignment as install
from kafka_nextgen.requests.extensions import consumer_group_prepare_assignment as prepare
from kafka_nextgen.wire.apis import CONSUMER_GROUP_INSTALL_ASSIGNMENT, CONSUMER_GROUP_PREPARE_ASSIGNMENT, Api
from tests.verification.simulation.assignors import compute
from tests.verification.simulation.dice import Dice
from tests.verification.simulation.exchanges import read, write
from tests.verification.simulation.timeline import Timer

if TYPE_CHECKING:
    from tests.verification.simulation.clients import Client


@define(eq=False)
class Assigning:
    owner: Client
    settings: AssigningSettings
    machine: AssigningMachine = field(init=False)
    _dice: Dice = field(init=False)
    _timer: Timer = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.machine = AssigningMachine(self.settings)
        self._dice = self.owner.dice.stream(f"assigning of {self.owner.name}")
        self._timer = Timer(self.owner.time, lambda: self.feed(ev.TimePassed()))

    def feed(self, event: ev.AssigningEvent) -> None:
        if self.owner.time.is_over:
            return
        for effect in self.machine.handle(event, self.owner.clock(), self._dice.chance()):
            self._CARRY_OUT[type(effect)](self, effect)
        self._timer.set(self.machine.deadline())

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

        self.owner.network.call(
            write(api, message, self.owner.name, api.max_version),
            answered,
            lambda reason: self.feed(ev.Lost(effect.number, reason)),
            max(0.0, effect.deadline - self.owner.clock()),
        )

    def _compute(self, effect: fx.Compute) -> None:
        def ended(made: GroupAssignment | str) -> None:
            failed = isinstance(made, str)
            self.feed(ev.ComputationFailed(effect.number, made) if failed else ev.Computed(effect.number, made))  # type: ignore[arg-type]

        compute(self.owner, effect.assignor, effect.spec, ended)

    def _tell_installed(self, _effect: fx.TellInstalled) -> None:
        self.owner.feed(TargetInstalled())

    def _find_coordinator(self, _effect: FindCoordinator) -> None:
        self.owner.network.coordinator = None

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
