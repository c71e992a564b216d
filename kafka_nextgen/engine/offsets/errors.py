"""Errors and log texts for commits and lookups that failed."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.engine.member.identity import MemberIdentity
from kafka_nextgen.errors import CommitFailedError, KafkaNextgenError, RequestTimeoutError
from kafka_nextgen.membership.offsets.effects import Failure, Refused, TimedOut
from kafka_nextgen.transport.failures import error_from_code
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["commit_error", "left_out_text", "lookup_error"]

_MOVED = "other members may own these partitions now and resume at the last commit; continue with what poll() returns"

_ABSENT = "check the topic's name and whether it was deleted"

#: Advice for commits that failed, by error code.
_ADVICE: dict[int, str] = {
    ErrorCode.UNKNOWN_MEMBER_ID: _MOVED,
    ErrorCode.ILLEGAL_GENERATION: _MOVED,
    ErrorCode.REBALANCE_IN_PROGRESS: _MOVED,
    ErrorCode.STALE_MEMBER_EPOCH: _MOVED,
    ErrorCode.FENCED_MEMBER_EPOCH: _MOVED,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: _ABSENT,
    ErrorCode.UNKNOWN_TOPIC_ID: _ABSENT,
    ErrorCode.OFFSET_METADATA_TOO_LARGE: "the broker accepts at most offset.metadata.max.bytes of metadata",
}
_RETRIED = "it was retried until its timeout: commit again, or raise the timeout"
_NOT_JOINED = "a group accepts commits only from its members: poll() until partitions are assigned, then commit"
_STRANGER = "subscribe() to become a member, or commit while the group has no members"


def commit_error(failure: Failure, what: str, identity: MemberIdentity) -> KafkaNextgenError:
    """Create a CommitFailedError with the reason for each partition, the code's own error, or a RequestTimeoutError.

    ``what`` describes what was being committed.
    """
    group_id, member_id = identity.group_id, identity.member_id
    if isinstance(failure, TimedOut):
        return _timed_out(failure, f"group {group_id}: commit of {what}")
    refused = format_partitions(failure.codes)
    if failure.error is not CommitFailedError:
        text = f"group {group_id}: commit of {refused}"
        return error_from_code(failure.code, text, group_id=group_id, member_id=member_id)
    reasons = {tp: name_of(code) for tp, code in failure.codes.items()}
    return CommitFailedError(
        f"group {group_id}: {identity} could not commit {refused} ({', '.join(sorted(set(reasons.values())))})"
        + "".join(f"; {advice}" for advice in _advice(failure.code, identity)),
        code=failure.code,
        retriable=is_retriable(failure.code),
        group=group_id,
        member=member_id,
        failed=reasons,
    )


def _advice(code: int, identity: MemberIdentity) -> tuple[str, ...]:
    """Return advice for a commit that failed with this code, or an empty tuple."""
    if code == ErrorCode.UNKNOWN_MEMBER_ID and identity.member_epoch < 0:
        return (_NOT_JOINED if identity.belongs else _STRANGER,)
    if code in _ADVICE:
        return (_ADVICE[code],)
    return (_RETRIED,) if is_retriable(code) else ()


def left_out_text(codes: Mapping[TopicPartition, int], identity: MemberIdentity) -> str:
    """The log message for partitions that are given up without a commit."""
    reasons = ", ".join(sorted({name_of(code) for code in codes.values()}))
    return (
        f"group {identity.group_id}: {format_partitions(codes)} is given up without a commit ({reasons}):"
        f" the next owner resumes at the last commit; {_ABSENT}"
    )


def lookup_error(failure: Failure, what: str, identity: MemberIdentity) -> KafkaNextgenError:
    """Create the error of a code, or a RequestTimeoutError; ``what`` names the partitions that were looked up."""
    group_id = identity.group_id
    if isinstance(failure, Refused):
        text = f"group {group_id}: committed offset of {format_partitions(failure.codes)}"
        return error_from_code(failure.code, text, group_id=group_id)
    return _timed_out(failure, f"group {group_id}: committed offsets of {what}")


def _timed_out(failure: TimedOut, what: str) -> RequestTimeoutError:
    because = f"; the last failure was: {failure.reason}" if failure.reason is not None else ""
    return RequestTimeoutError(f"{what}: timed out after {failure.timeout_s:g} s{because}")
