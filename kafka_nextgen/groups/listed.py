"""The groups of a coordinator (ListGroups), and the results of deletions (DeleteGroups)."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["GroupsDeleted", "GroupsListed", "ListedGroup"]


@frozen
class ListedGroup:
    """An entry of ListGroups."""

    group_id: str
    protocol_type: str
    state: str
    group_type: str


@frozen
class GroupsListed:
    """The groups that passed the filters, by group id."""

    groups: tuple[ListedGroup, ...] = ()
    error: ErrorCode = ErrorCode.NONE


@frozen
class GroupsDeleted:
    """The result for each group, and the coordinator's error messages for groups that failed (Kafka 4.4)."""

    results: Mapping[str, ErrorCode]
    messages: Mapping[str, str] = field(factory=dict)
