"""What happens to a client from time to time, by itself, its application or an administrator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kafka_nextgen.codes import ErrorCode
from tests.verification.simulation.applications import Application
from tests.verification.simulation.dice import Dice, Fault
from tests.verification.simulation.whims import remove, take_rights

if TYPE_CHECKING:
    from tests.verification.simulation.running import Simulation

#: It returns False if it could not be done.
Mishap = Callable[["Simulation", Application, Dice], object]


def _freeze(stage: Simulation, application: Application, dice: Dice) -> None:
    seconds = dice.tail(10.0)
    application.client.time.freeze(seconds)
    if seconds > stage.cluster.settings.session_timeout_s:
        dice.note(Fault.ZOMBIE)


def _replace(stage: Simulation, application: Application, dice: Dice) -> bool:
    """A static member is frozen for longer than its session; another one with its instance id begins meanwhile."""
    if not application.client.is_static:
        return False
    application.client.time.freeze(dice.between(15.0, 40.0))
    stage.begin(application.client.name.partition("/")[0])
    return True


def _change_subscription(stage: Simulation, application: Application, dice: Dice) -> bool:
    if application.wanted is None:
        return False
    application.subscribe(dice.pick(application.wishes))
    return True


def _unsubscribe(stage: Simulation, application: Application, dice: Dice) -> bool:
    if application.wanted is None:
        return False
    application.unsubscribe()
    return True


def _say_more(stage: Simulation, application: Application, dice: Dice) -> bool:
    application.client.think_again()
    return bool(application.client.assignors)


#: How often each comes at most, when it is rolled for.
MISHAPS: Mapping[Fault, tuple[float, Mishap]] = {
    Fault.CLIENT_CRASH: (0.2, lambda stage, it, dice: stage.end(it)),
    Fault.CLIENT_FREEZE: (0.2, _freeze),
    Fault.CLIENT_STALL: (0.5, lambda stage, it, dice: it.client.time.freeze(dice.between(0.005, 0.5))),
    Fault.OFFLINE: (0.15, lambda stage, it, dice: it.client.network.go_offline(dice.between(0.1, 40.0))),
    Fault.REPLACED: (0.2, _replace),
    Fault.SUBSCRIPTION_CHANGED: (0.2, _change_subscription),
    Fault.UNSUBSCRIBED: (0.1, _unsubscribe),
    Fault.CLOSED: (0.15, lambda stage, it, dice: it.close()),
    Fault.STORM: (0.15, lambda stage, it, dice: it.storm()),
    Fault.ASSIGNOR_SAYS_MORE: (0.3, _say_more),
    Fault.TOPIC_RIGHTS_TAKEN: (
        0.1,
        lambda stage, it, dice: take_rights(it.client, ErrorCode.TOPIC_AUTHORIZATION_FAILED, dice.between(0.5, 20.0)),
    ),
    Fault.GROUP_RIGHTS_TAKEN: (
        0.05,
        lambda stage, it, dice: take_rights(it.client, ErrorCode.GROUP_AUTHORIZATION_FAILED, dice.between(0.5, 20.0)),
    ),
    Fault.REMOVED: (0.2, lambda stage, it, dice: remove(it.client, by_instance=dice.chance() < 0.5)),
}
