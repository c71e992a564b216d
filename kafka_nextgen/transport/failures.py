"""Maps a broker's error codes to the errors that an application gets, with advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.membership.error_classes import error_class
from kafka_nextgen.properties.value_types import GroupProtocol

if TYPE_CHECKING:
    from kafka_nextgen.errors import BrokerError
    from kafka_nextgen.membership.effects import RaiseToApplication

__all__ = ["error_from_code", "error_from_coordinator"]

_ADVICE: dict[int, str] = {
    ErrorCode.GROUP_AUTHORIZATION_FAILED: "grant READ on the group to this principal",
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: (
        "grant DESCRIBE and READ on the topics subscribed to; the member keeps trying"
    ),
    ErrorCode.UNSUPPORTED_ASSIGNOR: "name one of the broker's group.consumer.assignors in group.remote.assignor",
    ErrorCode.FENCED_INSTANCE_ID: ("another process took over this group.instance.id; make sure only one runs with it"),
    ErrorCode.UNRELEASED_INSTANCE_ID: (
        "another live member holds this group.instance.id, or one that crashed has not reached its session timeout: "
        "stop that member, or raise instance.id.retry.timeout.ms above the broker's session timeout"
    ),
    ErrorCode.GROUP_MAX_SIZE_REACHED: (
        "raise group.consumer.max.size (with the classic protocol group.max.size) or run fewer consumers"
    ),
    ErrorCode.INCONSISTENT_GROUP_PROTOCOL: (
        "all members of a classic group need a common assignor, in partition.assignment.strategy or "
        "group.local.assignors"
    ),
    ErrorCode.INVALID_SESSION_TIMEOUT: (
        "session.timeout.ms must be between the broker's group.min.session.timeout.ms and group.max.session.timeout.ms"
    ),
    ErrorCode.INVALID_REGULAR_EXPRESSION: "patterns are RE2 and match whole topic names",
    ErrorCode.GROUP_ID_NOT_FOUND: "the group was deleted, or is not a consumer group",
    ErrorCode.INVALID_REQUEST: "client and broker disagree about the protocol: report it, with both versions",
    ErrorCode.UNKNOWN_SERVER_ERROR: "see the coordinator's log for details; a failed assignor is one possible cause",
}

#: Advice for a member whose cluster does not support its group protocol, by that protocol.
_UNSERVED: dict[GroupProtocol, str] = {
    GroupProtocol.CONSUMER: (
        "this cluster does not support the consumer group protocol (Kafka 4.0 or newer with group.version=1 does); "
        "upgrade it, or use group.protocol=classic or auto"
    ),
    GroupProtocol.CLASSIC: (
        "this cluster does not support what a member of the classic protocol needs; upgrade it or, if it runs Kafka "
        "4.0 or newer, use group.protocol=consumer"
    ),
}


def error_from_coordinator(
    effect: RaiseToApplication,
    protocol: GroupProtocol,
    group_id: str,
    member_id: str,
    member_epoch: int,
    *,
    has_own_assignors: bool = False,
) -> BrokerError:
    """The error that ``poll`` raises for the coordinator: what happened, to which group and member, and what to do.

    ``protocol`` is the group protocol in use. ``member_epoch`` is the member's epoch before the refusal, negative if it
    had not joined yet. With ``has_own_assignors``, no advice is added about an unsupported assignor, since the
    coordinator's message already includes it.
    """
    standing = f" at epoch {member_epoch}" if member_epoch >= 0 else ", which is joining"
    text = f"group {group_id}: member {member_id or '-'}{standing}: {effect.message}"
    advice = _UNSERVED[protocol] if effect.code == ErrorCode.UNSUPPORTED_VERSION else None
    if effect.code == ErrorCode.UNSUPPORTED_ASSIGNOR and has_own_assignors:
        advice = ""
    return error_from_code(effect.code, text, group_id=group_id, member_id=member_id, advice=advice)


def error_from_code(
    code: int, text: str, *, group_id: str | None = None, member_id: str | None = None, advice: str | None = None
) -> BrokerError:
    """The typed error for an error code; ``text`` describes what it concerned, ``advice`` replaces the usual advice."""
    advice = _ADVICE.get(code) if advice is None else advice
    named = text if name_of(code) in text else f"{text} ({name_of(code)})"
    message = f"{named}; {advice}" if advice else named
    return error_class(code)(message, code=code, retriable=is_retriable(code), group=group_id, member=member_id)
