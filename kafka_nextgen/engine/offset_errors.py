"""The error that an application gets for a commit or a lookup that failed."""

from __future__ import annotations

from kafka_nextgen.codes import is_retriable, name_of
from kafka_nextgen.engine.failures import error_from_code
from kafka_nextgen.engine.identity import Identity
from kafka_nextgen.errors import CommitFailedError, KafkaNextgenError, RequestTimeoutError
from kafka_nextgen.membership.offsets.effects import Failure, Refused, TimedOut
from kafka_nextgen.types import format_partitions

__all__ = ["commit_error", "lookup_error"]


def commit_error(failure: Failure, what: str, identity: Identity) -> KafkaNextgenError:
    """CommitFailedError with the reason for each partition, the error a code has of its own, or RequestTimeoutError.

    ``what`` says what was to be committed.
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
        f"group {group_id}: {identity} could not commit {refused} ({', '.join(sorted(set(reasons.values())))})",
        code=failure.code,
        retriable=is_retriable(failure.code),
        group=group_id,
        member=member_id,
        failed=reasons,
    )


def lookup_error(failure: Failure, what: str, identity: Identity) -> KafkaNextgenError:
    """The error of a code, or RequestTimeoutError; ``what`` says whose committed offsets were wanted."""
    group_id = identity.group_id
    if isinstance(failure, Refused):
        text = f"group {group_id}: committed offset of {format_partitions(failure.codes)}"
        return error_from_code(failure.code, text, group_id=group_id)
    return _timed_out(failure, f"group {group_id}: committed offsets of {what}")


def _timed_out(failure: TimedOut, what: str) -> RequestTimeoutError:
    because = f"; the last failure was: {failure.reason}" if failure.reason is not None else ""
    return RequestTimeoutError(f"{what}: not done within {failure.timeout_s:g} s{because}")
