"""Looking at groups and changing them, from outside: ``GroupAdmin`` waits, ``AsyncGroupAdmin`` is awaited."""

from kafka_nextgen.admin.aio import AsyncGroupAdmin
from kafka_nextgen.admin.group_admin import GroupAdmin
from kafka_nextgen.admin.results import Results
from kafka_nextgen.admin.values import (
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
    PastRebalance,
    PatternCheck,
    RemovedMember,
)

__all__ = [
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
    "PastRebalance",
    "PatternCheck",
    "RemovedMember",
    "Results",
]
