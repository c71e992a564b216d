"""What both kinds of members ask of their applications, and how that and the rest of what they do is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kafka_nextgen.codes import name_of
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.types import format_partitions

#: A callback to run, and how it ended.
Call = fx.CallOnAssigned | fx.CallOnRevoked | fx.CallOnLost
CallFinished = ev.AssignFinished | ev.RevokeFinished | ev.LossFinished

_NAMES: dict[type[Call], str] = {
    fx.CallOnAssigned: "on_assigned",
    fx.CallOnRevoked: "on_revoked",
    fx.CallOnLost: "on_lost",
}

_FINISHED: dict[type[Call], Callable[[int, str | None], CallFinished]] = {
    fx.CallOnAssigned: ev.AssignFinished,
    fx.CallOnRevoked: ev.RevokeFinished,
    fx.CallOnLost: ev.LossFinished,
}


def finished(call: Call, error: str | None) -> CallFinished:
    """What to tell the member when a callback returned, or raised ``error``."""
    return _FINISHED[type(call)](call.number, error)


def tell_call(name: str, call: Call) -> str:
    """``A on_revoked foo[0]``."""
    return f"   {name} {_NAMES[type(call)]} {format_partitions(call.partitions)}"


def tell(name: str, effect: object) -> Iterator[str]:
    """What an application or the network could see of an effect, if anything."""
    match effect:
        case fx.StopFetching():
            yield f"   {name} stops {format_partitions(effect.partitions)}"
        case fx.RaiseToApplication():
            yield f"   {name} raises {name_of(effect.code)}{' fatal' if effect.fatal else ''}"
        case fx.FindCoordinator():
            yield f"   {name} looks for the coordinator"
        case fx.Left():
            yield f"   {name} left"
