"""``getone``: one record of any partition, or of some.

A poll ends as soon as there are records of any partition. For some partitions it is therefore repeated until these have
records; in between, it waits for the next wakeup, because any arriving record causes one. Records of other partitions
stay buffered, and fetching them does not delay the requested ones.

A call must not wait for a record that can't arrive. It is refused if a partition is not assigned, once the member has
joined its group and no rebalance is under way; if all its partitions are paused; or if all offsets of their ranges are
read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafka_nextgen.engine.application.idle import is_settled
from kafka_nextgen.engine.application.polling import Step, WaitForWakeup, poll_steps
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.types import TopicPartition, format_partitions

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.core import ConsumerCore

__all__ = ["one_steps"]


def one_steps(core: ConsumerCore, only: tuple[TopicPartition, ...], timeout_s: float) -> Iterator[Step]:
    """Yield the steps of polls until there is a record of ``only`` (empty: of any partition), or after ``timeout_s``.

    Raises the errors of a poll, and MisuseError if no record can come.
    """
    deadline = core.now() + timeout_s
    while True:
        seen = core.wakeup.count  # first: any later notification ends the wait below
        yield from poll_steps(core, min(max(0.0, deadline - core.now()), core.note_interval_s))
        if core.fetches.has_records_of(only):
            return
        _refuse_waiting(core, only)
        left_s = deadline - core.now()
        if left_s <= 0:
            return
        if core.fetches.has_records():  # of other partitions, so a poll would not wait
            yield WaitForWakeup(seen, min(left_s, core.note_interval_s))


def _refuse_waiting(core: ConsumerCore, only: tuple[TopicPartition, ...]) -> None:
    """Raise MisuseError if there will be no record of these partitions."""
    if core.topics is None or is_settled(core.engine.health()):
        core.require_assigned(only)
    if only and core.fetches.look(lambda state: state.paused()).issuperset(only):
        raise MisuseError(f"getone() has nothing to wait for: {format_partitions(only)} paused; resume() first")
    wanted = set(only) or core.fetches.assignment()
    if wanted and wanted <= core.fetches.look(lambda state: state.finished()):
        raise MisuseError(f"getone() has nothing to wait for: all ranges of {format_partitions(wanted)} are read")
