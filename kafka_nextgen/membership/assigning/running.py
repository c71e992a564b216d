"""Run a client-side assignor, which is application code, and check its metadata and assignment.

Any mistake is raised as a ``PartitionAssignorError``. Its text describes the mistake and refers to the assignor as
"it"; its cause is the assignor's exception.
"""

from __future__ import annotations

from collections.abc import Set

from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    AssignorMetadata,
    ClientAssignor,
    GroupAssignment,
    Metadata,
    PartitionAssignor,
    PartitionAssignorError,
)
from kafka_nextgen.assignors.validation import flaw_of
from kafka_nextgen.text import describe_error

__all__ = ["compute", "offer_of"]

_INT8 = range(-128, 128)


def offer_of(assignor: PartitionAssignor) -> ClientAssignor:
    """The heartbeat's description of the assignor, with its current metadata. Raises ``PartitionAssignorError``."""
    try:
        said = assignor.metadata()
    except BaseException as error:
        raise PartitionAssignorError(f"its metadata() raised {describe_error(error)}") from error
    if not isinstance(said, AssignorMetadata) or not _is_metadata(said.metadata) or not _is_int8(said.reason):
        raise PartitionAssignorError(f"its metadata() returned {said!r}")
    low, high, version = assignor.minimum_version, assignor.maximum_version, said.metadata.version
    if not low <= version <= high:
        raise PartitionAssignorError(
            f"its metadata() returned version {version}, but it reads versions {low} to {high}"
        )
    return ClientAssignor(assignor.name, low, high, said.reason, said.metadata)


def _is_metadata(value: object) -> bool:
    return isinstance(value, Metadata) and type(value.version) is int and isinstance(value.payload, bytes)


def _is_int8(value: object) -> bool:
    return type(value) is int and value in _INT8


def compute(assignor: PartitionAssignor, group: AssignmentSpec) -> GroupAssignment:
    """Run the assignor; its assignment is checked. Raises ``PartitionAssignorError``."""
    try:
        assignment = assignor.assign(group)
    except BaseException as error:
        raise PartitionAssignorError(f"it raised {describe_error(error)}") from error
    flaw = _flaw(assignment, group)
    if flaw is not None:
        raise PartitionAssignorError(f"it {flaw}")
    return assignment


def _flaw(assignment: object, group: AssignmentSpec) -> str | None:
    if not isinstance(assignment, GroupAssignment):
        return f"returned {type(assignment).__name__} instead of a GroupAssignment"
    if not _is_int8(assignment.error):
        return f"returned the error {assignment.error!r}, which is not between -128 and 127"
    try:
        return _flaw_of_shape(assignment) or flaw_of(assignment, group)
    except (AttributeError, TypeError, ValueError) as error:
        return f"returned an assignment that can't be read: {error}"


def _flaw_of_shape(assignment: GroupAssignment) -> str | None:
    for member_id, share in assignment.members.items():
        for numbers in share.partitions.values():
            if not isinstance(numbers, Set) or any(type(number) is not int for number in numbers):
                return f"gave {member_id} {numbers!r}, which is not a set of numbers"
        if share.metadata is not None and not _is_metadata(share.metadata):
            return f"gave {member_id} invalid metadata: {share.metadata!r}"
    return None
