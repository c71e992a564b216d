"""The answers of a broker node that can't leave yet: they wait for replication, or for other members of the group."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Set

from attrs import define, field, frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.coordination.refusals import refuse
from kafka_nextgen.testing.coordinator.requests import Request
from kafka_nextgen.testing.coordinator.responses import Response

Reply = Callable[[Response | None], None]


@frozen(eq=False)
class _Waiting:
    """An answer that waits for replication."""

    offset: int
    request: Request | None
    response: Response | None
    reply: Reply


@define(eq=False)
class HeldAnswers:
    _waiting: deque[_Waiting] = field(factory=deque)
    _parked: dict[int, tuple[Request, Reply]] = field(factory=dict)

    @property
    def parked(self) -> Set[int]:
        """The numbers of the requests that wait for others."""
        return self._parked.keys()

    def park(self, number: int, request: Request, reply: Reply) -> None:
        self._parked[number] = (request, reply)

    def take_back(self, number: int) -> tuple[Request, Reply] | None:
        return self._parked.pop(number, None)

    def refuse_parked(self, number: int, code: ErrorCode) -> None:
        """Tell one that waits for others that it waits in vain."""
        parked = self.take_back(number)
        if parked is not None:
            parked[1](refuse(parked[0], code))

    def hold(self, offset: int, request: Request | None, response: Response | None, reply: Reply) -> None:
        """Keep an answer until the log is replicated up to here."""
        self._waiting.append(_Waiting(offset, request, response, reply))

    def leave_one(self, mark: int) -> bool:
        """Let the first one leave, if the log is replicated so far."""
        if not self._waiting or self._waiting[0].offset > mark:
            return False
        first = self._waiting.popleft()
        first.reply(first.response)
        return True

    def refuse_all(self, code: ErrorCode) -> None:
        waiting, self._waiting = self._waiting, deque()
        parked, self._parked = self._parked, {}
        for each in waiting:
            each.reply(None if each.request is None else refuse(each.request, code))
        for request, reply in parked.values():
            reply(refuse(request, code))

    def clear(self) -> None:
        self._waiting.clear()
        self._parked.clear()
