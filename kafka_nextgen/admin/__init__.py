"""Looking at groups and changing them, from outside: ``GroupAdmin`` waits, ``AsyncGroupAdmin`` is awaited."""

from kafka_nextgen.admin.aio import AsyncGroupAdmin
from kafka_nextgen.admin.group_admin import GroupAdmin
from kafka_nextgen.admin.results import Results
from kafka_nextgen.admin.values import (
    AddedMember,
    ExpectedMember,
    GroupConfigEntry,
    GroupCoordinator,
    GroupDescription,
    GroupListing,
    GroupOffset,
    GroupState,
    GroupType,
    ListedGroups,
    MemberDescription,
    NewMember,
    PastRebalance,
    PatternCheck,
    RemovedMember,
)

__all__ = [
    "AddedMember",
    "AsyncGroupAdmin",
    "ExpectedMember",
    "GroupAdmin",
    "GroupConfigEntry",
    "GroupCoordinator",
    "GroupDescription",
    "GroupListing",
    "GroupOffset",
    "GroupState",
    "GroupType",
    "ListedGroups",
    "MemberDescription",
    "NewMember",
    "PastRebalance",
    "PatternCheck",
    "RemovedMember",
    "Results",
]
