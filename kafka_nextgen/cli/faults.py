"""The faults of ``kafka-nextgen broker --faults``: active while the broker runs, and reported when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from kafka_nextgen.errors import FaultNotMetError
from kafka_nextgen.testing.broker import Broker
from kafka_nextgen.testing.faults.fault import Definition, Fault
from kafka_nextgen.testing.faults.registry import Faults

__all__ = ["faults_of"]


@contextmanager
def faults_of(broker: Broker, definitions: Sequence[Definition]) -> Iterator[None]:
    """Activate faults inside the block, then print how many requests met each.

    Raises ``MisuseError`` if two are the same, ``FaultNotMetError`` after the block if no request met one of them.
    """
    registry = Faults(broker.state, may_come_later=True)
    faults = [Fault(each, registry, _call).start() for each in definitions]
    yield
    unmet = 0
    for fault in faults:
        try:
            fault.stop()
            click.echo(f"{fault}: met {fault.met} {'time' if fault.met == 1 else 'times'}")
        except FaultNotMetError as error:
            unmet += 1
            click.echo(str(error))
    if unmet:
        raise FaultNotMetError(f"{unmet} of {len(faults)} faults were never met")


def _call(function: Callable[..., Any], *arguments: object) -> Any:
    return function(*arguments)
