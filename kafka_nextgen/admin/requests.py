"""Send one request to a broker until it succeeds, within a deadline.

If the coordinator is moving or loading, the request is repeated after growing pauses, and the coordinator is looked up
again. The same holds if it can't be reached or its response is incomplete, unless the request must not be repeated:
perhaps only the response was lost, and a second removal of a member would report that it does not exist. All other
error codes raise their typed errors.
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

__all__ = ["AdminRequest", "ErrorInResponse", "RequestSender", "broker_error"]

M = TypeVar("M", bound=Message)

#: An error code (0 for none), and the broker's message.
ErrorInResponse = tuple[int, str | None]

#: Errors that pass without intervention.
_TRANSIENT = frozenset(
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
class AdminRequest(Generic[M]):
    """A request, and how to find errors in its response.

    ``about`` describes it in errors. ``error_in`` returns the error code of a response, and raises DecodeError for an
    incomplete one. ``is_repeatable`` says whether it may be repeated when its result is unknown.
    """

    about: str
    target: Target
    api: Api
    build: Callable[[int], Message]
    response: type[M]
    error_in: Callable[[M], ErrorInResponse]
    is_repeatable: bool = True


@frozen
class RequestSender:
    """Sends requests to brokers. ``request_timeout_s`` is the time limit of one attempt."""

    cluster: ClusterClient
    request_timeout_s: float

    async def send(self, admin_request: AdminRequest[M], deadline: Deadline) -> M:
        """Return the response, which has no error.

        Raises RequestTimeoutError with the last failure after the deadline, and errors that are not transient.
        """
        failures = 0
        while True:
            outcome = await self._attempt(admin_request, deadline)
            if not isinstance(outcome, KafkaNextgenError):
                return outcome
            failures += 1
            if isinstance(admin_request.target, Coordinator):
                self.cluster.forget_coordinator(admin_request.target.group_id)
            await deadline.pause(self.cluster.retry_backoff_s(failures), outcome)

    async def _attempt(self, admin_request: AdminRequest[M], deadline: Deadline) -> M | KafkaNextgenError:
        """Return the response or a transient error; raise other errors."""
        timeout_s = min(deadline.left_s(), self.request_timeout_s)
        try:
            response = await self.cluster.call(admin_request.target, admin_request.api, admin_request.build, timeout_s)
            assert isinstance(response, admin_request.response)
            code, message = admin_request.error_in(response)
        except ClosedError:
            raise
        except (OutageError, DecodeError) as failure:
            if not admin_request.is_repeatable:
                raise
            return failure
        if code == ErrorCode.NONE:
            return response
        error = broker_error(admin_request.about, code, message, _group_of(admin_request.target))
        if code in _TRANSIENT:
            return error
        raise error


def broker_error(about: str, code: int, message: str | None = None, group_id: str | None = None) -> BrokerError:
    """Return the typed error of a code, with the broker's message and advice."""
    detail = f": {message}" if message else ""
    text = f"{about}: {name_of(code)}{detail}".rstrip(". ")
    return error_from_code(code, text, group_id=group_id, advice=_ADVICE.get(code))


def _group_of(target: Target) -> str | None:
    return target.group_id if isinstance(target, Coordinator) else None
