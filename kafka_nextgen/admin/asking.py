"""Putting one question to a broker until it is answered, within a deadline.

A coordinator that is moving or loading is asked again after a growing pause, and looked up anew. So is one that can't
be reached, or whose answer leaves out what was asked for, unless the question must not be put twice: the answer may be
all that got lost, and a second removal of the same member would report that there is none. All other refusals are the
typed error of their code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from attrs import frozen

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.engine.failures import error_from_code
from kafka_nextgen.errors import (
    BrokerError,
    DecodeError,
    KafkaNextgenError,
    OutageError,
)
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator, Target
from kafka_nextgen.transport.deadline import ClosedError, Deadline
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.schema import Message

__all__ = ["Asking", "Question", "Refusal", "refused"]

M = TypeVar("M", bound=Message)

#: An error code (0 for none), and what the broker says about it.
Refusal = tuple[int, str | None]

#: What passes by itself.
_WEATHER = frozenset(
    {
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NOT_CONTROLLER,
        ErrorCode.REQUEST_TIMED_OUT,
    }
)

_ADVICE: dict[int, str] = {
    ErrorCode.GROUP_ID_NOT_FOUND: "list the groups to see which there are",
    ErrorCode.NON_EMPTY_GROUP: "stop its members, or remove them, first",
    ErrorCode.UNKNOWN_MEMBER_ID: "no such member is in the group; describe it to see who is",
    ErrorCode.GROUP_AUTHORIZATION_FAILED: "grant this principal the operation on the group",
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "grant this principal the operation on the cluster",
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: "grant this principal the operation on the topic",
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC: "members of the group are subscribed to the topic: stop them first",
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "there is no such partition",
    ErrorCode.FENCED_INSTANCE_ID: "another member has this instance id by now",
}


@frozen
class Question(Generic[M]):
    """A request and how its answer is read.

    ``about`` says what it concerns, for errors; ``refusal`` finds the error code in an answer, and raises DecodeError
    for one that leaves out what was asked for; ``is_repeatable`` says whether it may be put again when it is not known
    what became of it.
    """

    about: str
    target: Target
    api: Api
    build: Callable[[int], Message]
    answer: type[M]
    refusal: Callable[[M], Refusal]
    is_repeatable: bool = True


@frozen
class Asking:
    """Asks brokers. ``request_timeout_s`` is for one attempt, in seconds."""

    cluster: ClusterClient
    request_timeout_s: float

    async def ask(self, question: Question[M], deadline: Deadline) -> M:
        """The answer, which is no refusal.

        Raises RequestTimeoutError when the deadline is over, with the last failure; and what won't pass.
        """
        failures = 0
        while True:
            outcome = await self._try(question, deadline)
            if not isinstance(outcome, KafkaNextgenError):
                return outcome
            failures += 1
            if isinstance(question.target, Coordinator):
                self.cluster.forget_coordinator(question.target.group_id)
            await deadline.pause(self.cluster.retry_backoff_s(failures), outcome)

    async def _try(self, question: Question[M], deadline: Deadline) -> M | KafkaNextgenError:
        """The answer, or what may pass; raises what won't."""
        timeout_s = min(deadline.left_s(), self.request_timeout_s)
        try:
            answer = await self.cluster.call(question.target, question.api, question.build, timeout_s)
            assert isinstance(answer, question.answer)
            code, message = question.refusal(answer)
        except ClosedError:
            raise
        except (OutageError, DecodeError) as failure:
            if not question.is_repeatable:
                raise
            return failure
        if code == ErrorCode.NONE:
            return answer
        error = refused(question.about, code, message, _group_of(question.target))
        if code in _WEATHER:
            return error
        raise error


def refused(about: str, code: int, message: str | None = None, group_id: str | None = None) -> BrokerError:
    """The typed error of a code, with what the broker said, and what to do about it."""
    said = f": {message}" if message else ""
    text = f"{about}: {name_of(code)}{said}".rstrip(". ")
    return error_from_code(code, text, group_id=group_id, advice=_ADVICE.get(code))


def _group_of(target: Target) -> str | None:
    return target.group_id if isinstance(target, Coordinator) else None
