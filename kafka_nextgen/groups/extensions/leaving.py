"""Members that are announced before they leave, and the result for each."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.extension_requests import ExtensionRequest, ExtensionResponse
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["AnnounceLeaving", "AnnouncedMember", "LeavingAnnounced", "NamedMember"]


@frozen
class NamedMember:
    """A member, identified by its instance id if it is static, otherwise by its member id."""

    member_id: str = ""
    instance_id: str | None = None


@frozen
class AnnouncedMember:
    """The result for a member that was named."""

    member_id: str = ""
    instance_id: str | None = None
    error: ErrorCode = ErrorCode.NONE
    message: str | None = None


@frozen
class LeavingAnnounced(ExtensionResponse):
    """The result for each member, in the order of the request; ``error`` concerns the whole group."""

    members: tuple[AnnouncedMember, ...] = ()


@frozen
class AnnounceLeaving(ExtensionRequest):
    """Announce members: the group rebalances when all of them have left, or after ``timeout_ms``.

    A timeout of 0 cancels the announcement of these members, or of all if none is named.
    """

    response = LeavingAnnounced

    members: tuple[NamedMember, ...]
    timeout_ms: int
