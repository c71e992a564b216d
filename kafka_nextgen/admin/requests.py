"""Send requests to brokers until they succeed, within a deadline.

If the coordinator is moving or loading, the request is repeated with increasing backoff, and the coordinator is looked
up again. The same applies if it can't be reached or its response is incomplete, unless the request must not be
repeated: the request may have succeeded, and a second removal of a member would report that it does not exist. All
other error codes raise their typed errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from kafka_nextgen.admin.values import GroupCoordinator
from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.errors import (
    BrokerError,
    DecodeError,
    KafkaNextgenError,
    OutageError,
)
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator, Target
from kafka_nextgen.transport.cluster_queries import ClusterQueries
from kafka_nextgen.transport.failures import error_from_code
from kafka_nextgen.transport.waiting import ClosedError, Deadline

if TYPE_CHECKING:
    from kafka_nextgen.wire.apis import Api
    from kafka_nextgen.wire.schema import Message

__all__ = ["AdminCall", "ErrorInResponse", "broker_error"]

R = TypeVar("R")

#: An error code (0 for none), and the broker's message.
ErrorInResponse = tuple[int, str | None]

#: Transient errors, which need no intervention.
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
    ErrorCode.GROUP_ID_NOT_FOUND: "list the groups to see which ones exist",
    ErrorCode.NON_EMPTY_GROUP: "stop its members, or remove them, first",
    ErrorCode.UNKNOWN_MEMBER_ID: "the group has no such member; describe the group to see its members",
    ErrorCode.GROUP_AUTHORIZATION_FAILED: "grant this principal the operation on the group",
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "grant this principal the operation on the cluster",
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: "grant this principal the operation on the topic",
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC: "members of the group are subscribed to the topic: stop them first",
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "the partition does not exist",
    ErrorCode.FENCED_INSTANCE_ID: "another member has taken this instance id",
}


@frozen
class AdminCall:
    """One call of an admin: it may send several requests to brokers until its deadline.

    ``request_timeout_s`` is the time limit of one attempt.
    """

    cluster: ClusterClient
    queries: ClusterQueries
    request_timeout_s: float
    deadline: Deadline

    async def send(
        self,
        about: str,
        target: Target,
        api: Api,
        *,
        build: Callable[[int], Message],
        read: Callable[[Any], R],
        error_in: Callable[[R], ErrorInResponse],
        is_repeatable: bool = True,
    ) -> R:
        """Send a request until its response has no error, and return the result of ``read`` for the response.

        Args:
            about: The name of the request in errors.
            target: The broker to ask.
            api: The API, with the versions that may be used.
            build: Builds the request for a version.
            read: Reads the response. Raises DecodeError for an incomplete one.
            error_in: Returns the error code in the value that ``read`` returned, and the broker's message.
            is_repeatable: Whether the request may be repeated when its result is unknown.

        Raises RequestTimeoutError with the last failure after the deadline, and errors that are not transient.
        """
        failures = 0
        while True:
            failure: KafkaNextgenError | None
            try:
                response = read(await self.cluster.call(target, api, build, self.attempt_timeout_s()))
            except ClosedError:
                raise
            except (OutageError, DecodeError) as error:
                if not is_repeatable:
                    raise
                failure = error
            else:
                failure = _transient_error(about, target, *error_in(response))
                if failure is None:
                    return response
            failures += 1
            if isinstance(target, Coordinator):
                self.cluster.forget_coordinator(target.group_id)
            await self.deadline.pause(self.cluster.retry_backoff_s(failures), failure)

    def attempt_timeout_s(self) -> float:
        """Return the time limit of an attempt that begins now."""
        return min(self.deadline.left_s(), self.request_timeout_s)

    async def coordinator_of(self, group_id: str) -> GroupCoordinator:
        """Return the broker that coordinates the group. Raises RequestTimeoutError after the deadline."""
        broker = await self.cluster.find_coordinator(group_id, self.deadline.left_s())
        return GroupCoordinator(broker.node_id, broker.host, broker.port)


def _transient_error(about: str, target: Target, code: int, message: str | None) -> BrokerError | None:
    """Return the error for this code, None for no error. Raises an error that is not transient."""
    if code == ErrorCode.NONE:
        return None
    error = broker_error(about, code, message, target.group_id if isinstance(target, Coordinator) else None)
    if code not in _TRANSIENT:
        raise error
    return error


def broker_error(
    about: str, code: int, message: str | None = None, group_id: str | None = None, advice: str | None = None
) -> BrokerError:
    """Return the typed error of a code, with the broker's message, and with ``advice`` instead of the usual one."""
    detail = f": {message}" if message else ""
    text = f"{about}: {name_of(code)}{detail}".rstrip(". ")
    return error_from_code(code, text, group_id=group_id, advice=advice or _ADVICE.get(code))
