"""The common interface of all kinds of faults: whether the fault can happen, and how it handles a request.

A request meets the active faults in the order in which they were started. Each can act before and after the request is
handled, like nested ``with`` blocks. A *final* one answers the request itself, so that later faults do not meet it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar, Protocol

from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.faults.question import Question
from kafka_nextgen.testing.faults.selection import Selection
from kafka_nextgen.wire.schema import Message

__all__ = ["Active", "Course", "Kind", "Next", "Taken"]

#: Handles the rest of a request: by later faults, then as usual.
Next = Callable[[], Awaitable["Message | None"]]


@define
class Course:
    """The changes to the answer of a request; see ``kafka_nextgen.testing.broker.interception.Meeting``."""

    throttle_ms: int = 0
    is_cut: bool = False


@frozen
class Taken:
    """A request that meets a fault: how it is handled, and the ``rest`` that is left to later faults.

    ``counts_itself`` if the fault applies later, and counts that itself.
    """

    serve: Callable[[Next, Course], Awaitable[Message | None]]
    rest: Question
    is_final: bool = False
    counts_itself: bool = False


class Active(Protocol):
    """An active fault, for the code of its kind."""

    selection: Selection
    ended: asyncio.Event

    @property
    def is_used_up(self) -> bool:
        """Whether it has applied the maximum number of times."""

    def count(self) -> None:
        """Count that it applied."""


class Kind:
    """One kind of fault. ``usual_times`` is how often it applies by default; None means no limit.

    ``has_target`` if it changes the selected topic or partition, whether or not a request names that.
    """

    usual_times: ClassVar[int | None] = None
    has_target: ClassVar[bool] = False

    def complaint(self, selection: Selection) -> str | None:
        """The reason why this can't happen to such requests; None if it can."""
        return None

    def complaint_at(self, selection: Selection, cluster: Cluster) -> str | None:
        """The reason why this can't happen in the current state of ``cluster``; None if it can."""
        return None

    def take(self, question: Question, active: Active) -> Taken | None:
        """The effect on a selected request, which the caller carries out; None if this can't happen to it."""
        raise NotImplementedError
