"""Plain functions in place of a rebalance listener, with the names of confluent-kafka's arguments.

Partitions that were lost are passed to ``on_lost`` only. Java's consumer and confluent-kafka pass them to ``on_revoke``
if there is no ``on_lost``. But another member may have read on by then, so what is written for them can appear twice,
and can't be committed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias, overload

from kafka_nextgen.engine.application.rebalance_listener import (
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    RebalanceConsumer,
    RebalanceListener,
)
from kafka_nextgen.engine.mailbox import CallbackKind
from kafka_nextgen.types import TopicPartition

__all__ = ["AsyncRebalanceFunction", "RebalanceFunction", "listener_of"]

#: A function in place of a method of ``RebalanceListener``.
RebalanceFunction: TypeAlias = Callable[[RebalanceConsumer, Sequence[TopicPartition]], object]
#: The same for ``AsyncConsumer``, which awaits its result.
AsyncRebalanceFunction: TypeAlias = Callable[[AsyncRebalanceConsumer, Sequence[TopicPartition]], Awaitable[object]]

Function: TypeAlias = Callable[..., object] | None


class _Functions(RebalanceListener):
    """A listener whose methods are these functions; those that are not given do nothing."""

    def __init__(self, functions: dict[CallbackKind, Callable[..., object]]) -> None:
        for kind, function in functions.items():
            setattr(self, kind.value, function)


@overload
def listener_of(
    listener: RebalanceListener | None, on_assign: Function, on_revoke: Function, on_lost: Function
) -> RebalanceListener | None: ...


@overload
def listener_of(
    listener: RebalanceListener | AsyncRebalanceListener | None,
    on_assign: Function,
    on_revoke: Function,
    on_lost: Function,
) -> RebalanceListener | AsyncRebalanceListener | None: ...


def listener_of(
    listener: RebalanceListener | AsyncRebalanceListener | None,
    on_assign: Function,
    on_revoke: Function,
    on_lost: Function,
) -> RebalanceListener | AsyncRebalanceListener | None:
    """Return the listener, or one that calls these functions. Raises TypeError for both, or for anything else."""
    given = {"on_assign": on_assign, "on_revoke": on_revoke, "on_lost": on_lost}
    named = [name for name, function in given.items() if function is not None]
    if listener is not None:
        if named:
            raise TypeError(f"subscribe() takes a listener or functions ({', '.join(named)}), not both")
        _check_listener(listener)
        return listener
    for name in named:
        if not callable(given[name]):
            raise TypeError(f"{name} must be a function of a consumer and partitions, not {given[name]!r}")
    kinds = CallbackKind.ASSIGNED, CallbackKind.REVOKED, CallbackKind.LOST
    functions = {kind: each for kind, each in zip(kinds, given.values(), strict=True) if each is not None}
    return _Functions(functions) if functions else None


def _check_listener(listener: object) -> None:
    if isinstance(listener, type):
        raise TypeError(f"a listener is an object, not the class {listener.__name__}: pass an instance of it")
    if callable(listener) and not hasattr(listener, CallbackKind.ASSIGNED.value):
        raise TypeError("a listener is not a function: pass functions as on_assign=..., on_revoke=... or on_lost=...")
