"""The active faults of a cluster, and their effects on a request.

When a request arrives, its faults are chosen in the order in which they were started, so the choice depends only on the
order of requests. Each applies to the part of the request that the faults before it did not affect.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.errors import MisuseError
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.interception import Handle
from kafka_nextgen.testing.faults.fault import Fault
from kafka_nextgen.testing.faults.kind import Course, Taken
from kafka_nextgen.testing.faults.question import Question
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.schema import Message

__all__ = ["Faults"]


class Faults:
    """The active faults of ``cluster``. Use it where the cluster runs.

    With ``may_come_later``, a fault can start before the topic or broker that it changes exists.
    """

    def __init__(self, cluster: Cluster, *, may_come_later: bool = False) -> None:
        self._cluster = cluster
        self._may_come_later = may_come_later
        self._active: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Activate a fault. Raises ``MisuseError`` if the same is active, or it can't happen in the cluster."""
        definition = fault.definition
        complaint = self._complaint(fault)
        if complaint is None and not self._may_come_later:
            complaint = definition.kind.complaint_at(definition.selection, self._cluster)
        if complaint is not None:
            raise MisuseError(complaint)
        self._active.append(fault)
        self._cluster.interceptor = self

    def remove(self, fault: Fault) -> None:
        """End a fault, and release the requests that it holds."""
        self._active.remove(fault)
        fault.ended.set()
        if not self._active:
            self._cluster.interceptor = None

    def meet(self, request: RequestFrame, context: Context) -> _Meeting | None:
        """The effect on a request that arrives now; None if no fault applies to it."""
        question = Question(request, context)
        for fault in self._active:
            fault.saw(question)
        steps = []
        for fault in self._active:
            taken = fault.take(question)
            if taken is not None:
                steps.append(taken)
                question = taken.rest
                if taken.is_final:
                    break
        return _Meeting(steps=steps) if steps else None

    def _complaint(self, fault: Fault) -> str | None:
        definition = fault.definition
        for other in self._active:
            same_place = other.selection.where == definition.selection.where
            if same_place and other.definition.kind == definition.kind:
                return f"the same fault is already active: {other}"
        node = definition.selection.node
        known = [each.node_id for each in self._cluster.nodes]
        if node is not None and node not in known:
            return f"there is no node {node}, only {', '.join(map(str, known))}"
        return None


@define
class _Meeting(Course):
    """A request that meets faults, outermost first."""

    steps: Sequence[Taken] = ()

    async def handle(self, handle: Handle) -> Message | None:
        """Handle the request by its faults, then as usual."""
        return await self._handle_from(0, handle)

    async def _handle_from(self, number: int, handle: Handle) -> Message | None:
        if number == len(self.steps):
            rest = self.steps[-1].rest
            return await handle(rest.request, rest.context)
        return await self.steps[number].serve(lambda: self._handle_from(number + 1, handle), self)
