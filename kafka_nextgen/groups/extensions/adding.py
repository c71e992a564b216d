"""Static members that are announced before they join, and the result for each."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.extension_requests import ExtensionRequest, ExtensionResponse
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["AddMembers", "ExpectedMember", "MembersAdded"]


@frozen
class MembersAdded(ExtensionResponse):
    """The result for each instance; ``error`` concerns the whole group."""

    results: Mapping[str, tuple[ErrorCode, str | None]] = field(factory=dict)


@frozen
class ExpectedMember:
    """A static member that will join: the maximum time for which its slot is reserved, and defaults for its request.

    A timeout of -1 means no limit; ``assignor`` is the server-side assignor that it votes for, if any.
    """

    instance_id: str
    session_timeout_ms: int = -1
    rebalance_timeout_ms: int = -1
    assignor: str | None = None


@frozen
class AddMembers(ExtensionRequest):
    """Announce instances: the group rebalances when all of them have joined, or after ``timeout_ms``.

    A timeout of 0 removes the slots of these instances, or all slots if none is named.
    """

    response = MembersAdded

    members: tuple[ExpectedMember, ...]
    timeout_ms: int
