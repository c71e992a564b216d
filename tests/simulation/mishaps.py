"""What happens to a client from time to time, by itself, its application or an administrator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from kafka_nextgen.codes import ErrorCode
from tests.simulation.administrators import remove, take_rights
from tests.simulation.applications import Application
from tests.simulation.cluster import Cluster
from tests.simulation.dice import Dice, Fault

__all__ = ["MISHAPS", "Mishap", "Stage"]


class Stage(Protocol):
    """Where it happens."""

    cluster: Cluster
    applications: list[Application]

    def begin(self, name: str) -> None:
        """Begin a life of a client."""

    def end(self, application: Application) -> None:
        """End a client without a word."""


#: Whether it could be done.
Mishap = Callable[[Stage, Application, Dice], bool]


def _crash(stage: Stage, application: Application, dice: Dice) -> bool:
    stage.end(application)
    return True


def _freeze(stage: Stage, application: Application, dice: Dice) -> bool:
    seconds = dice.tail(10.0)
    application.client.time.freeze(seconds)
    if seconds > stage.cluster.settings.session_timeout_s:
        dice.note(Fault.ZOMBIE)
    return True


def _stall(stage: Stage, application: Application, dice: Dice) -> bool:
    application.client.time.freeze(dice.between(0.005, 0.5))
    return True


def _go_offline(stage: Stage, application: Application, dice: Dice) -> bool:
    application.client.network.go_offline(dice.between(0.1, 40.0))
    return True


def _replace(stage: Stage, application: Application, dice: Dice) -> bool:
    """A static member is frozen for longer than its session; another one with its instance id begins meanwhile."""
    if not application.client.is_static:
        return False
    application.client.time.freeze(dice.between(15.0, 40.0))
    stage.begin(application.client.name.partition("/")[0])
    return True


def _change_subscription(stage: Stage, application: Application, dice: Dice) -> bool:
    if application.wanted is None:
        return False
    application.subscribe(dice.pick(application.wishes))
    return True


def _unsubscribe(stage: Stage, application: Application, dice: Dice) -> bool:
    if application.wanted is None:
        return False
    application.unsubscribe()
    return True


def _close(stage: Stage, application: Application, dice: Dice) -> bool:
    application.close()
    return True


def _storm(stage: Stage, application: Application, dice: Dice) -> bool:
    application.storm()
    return True


def _say_more(stage: Stage, application: Application, dice: Dice) -> bool:
    application.client.think_again()
    return bool(application.client.assignors)


def _take_topic_rights(stage: Stage, application: Application, dice: Dice) -> bool:
    take_rights(application.client, ErrorCode.TOPIC_AUTHORIZATION_FAILED, dice.between(0.5, 20.0))
    return True


def _take_group_rights(stage: Stage, application: Application, dice: Dice) -> bool:
    take_rights(application.client, ErrorCode.GROUP_AUTHORIZATION_FAILED, dice.between(0.5, 20.0))
    return True


def _remove(stage: Stage, application: Application, dice: Dice) -> bool:
    return remove(application.client, by_instance=dice.chance() < 0.5)


#: How often each comes at most, when it is rolled for.
MISHAPS: Mapping[Fault, tuple[float, Mishap]] = {
    Fault.CLIENT_CRASH: (0.2, _crash),
    Fault.CLIENT_FREEZE: (0.2, _freeze),
    Fault.CLIENT_STALL: (0.5, _stall),
    Fault.OFFLINE: (0.15, _go_offline),
    Fault.REPLACED: (0.2, _replace),
    Fault.SUBSCRIPTION_CHANGED: (0.2, _change_subscription),
    Fault.UNSUBSCRIBED: (0.1, _unsubscribe),
    Fault.CLOSED: (0.15, _close),
    Fault.STORM: (0.15, _storm),
    Fault.ASSIGNOR_SAYS_MORE: (0.3, _say_more),
    Fault.TOPIC_RIGHTS_TAKEN: (0.1, _take_topic_rights),
    Fault.GROUP_RIGHTS_TAKEN: (0.05, _take_group_rights),
    Fault.REMOVED: (0.2, _remove),
}
