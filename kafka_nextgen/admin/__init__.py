"""Describe and change groups from outside: ``GroupAdmin`` blocks, ``AsyncGroupAdmin`` is for asyncio."""

from kafka_nextgen.admin.acl_operations import AclOperation
from kafka_nextgen.admin.async_group_admin import AsyncGroupAdmin
from kafka_nextgen.admin.configs import GroupConfigEntry
from kafka_nextgen.admin.group_admin import GroupAdmin
from kafka_nextgen.admin.history import PastRebalance
from kafka_nextgen.admin.members import AddedMember, AnnouncedMember, NewMember, RemovedMember
from kafka_nextgen.admin.offset_plans import CURRENT, OffsetTarget, PlannedOffset, ShiftBy
from kafka_nextgen.admin.patterns import PatternCheck
from kafka_nextgen.admin.values import (
    ExpectedMember,
    GroupCoordinator,
    GroupDescription,
    GroupListing,
    GroupOffset,
    GroupState,
    GroupType,
    LeavingMember,
    ListedGroups,
    MemberDescription,
    Results,
    StreamsTasks,
)

__all__ = [
    "CURRENT",
    "AclOperation",
    "AddedMember",
    "AnnouncedMember",
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
    "LeavingMember",
    "ListedGroups",
    "MemberDescription",
    "NewMember",
    "OffsetTarget",
    "PastRebalance",
    "PatternCheck",
    "PlannedOffset",
    "RemovedMember",
    "Results",
    "ShiftBy",
    "StreamsTasks",
]
