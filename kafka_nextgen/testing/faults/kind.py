"""What every kind of fault has in common: whether it can happen, and how it handles a request.

A request meets the active faults in the order in which they were started. Each can act before and after the request is
handled, like nested ``with`` blocks. A *final* one answers the request itself, so that later faults do not meet it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar, Protocol

from attrs import define, frozen

from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.faults.question import Question
from kafka_nextgen.testing.faults.selection import Selection
from kafka_nextgen.wire.schema import Message

__all__ = ["Active", "Course", "Kind", "Next", "Taken"]

#: Handles the rest of a request: by later faults, then as usual.
Next = Callable[[], Awaitable["Message | None"]]


@define
class Course:
    """What happens to the answer of a request; see ``kafka_nextgen.testing.broker.interception.Meeting``."""

    throttle_ms: int = 0
    is_cut: bool = False


@frozen
class Taken:
    """A request that meets a fault: how it is handled, and the ``rest`` that is left to later faults.

    ``counts_itself`` if it is known only later whether the fault applied.
    """

    serve: Callable[[Next, Course], Awaitable[Message | None]]
    rest: Question
    is_final: bool = False
    counts_itself: bool = False


class Active(Protocol):
    """An active fault, as its kind sees it."""

    selection: Selection
    ended: asyncio.Event

    @property
    def is_used_up(self) -> bool:
        """Whether it has applied as often as it may."""

    def count(self) -> None:
        """Count that it applied."""


class Kind:
    """One kind of fault. ``usual_times`` is how often it applies unless the test says so; None is without limit.

    ``has_target`` if it changes the selected topic or partition, whether or not a request names that.
    """

    usual_times: ClassVar[int | None] = None
    has_target: ClassVar[bool] = False

    def complaint(self, selection: Selection) -> str | None:
        """Why this can't happen to such requests; None if it can."""
        return None

    def complaint_at(self, selection: Selection, cluster: Cluster) -> str | None:
        """Why this can't happen in ``cluster`` as it is now; None if it can."""
        return None

    def take(self, question: Question, active: Active) -> Taken | None:
        """What happens to a selected request; None if this can't happen to it. Nothing has happened yet."""
        raise NotImplementedError
