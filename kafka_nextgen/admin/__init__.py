"""Describe and change groups from outside: ``GroupAdmin`` blocks, ``AsyncGroupAdmin`` is for asyncio."""

from typing import TYPE_CHECKING

from kafka_nextgen.lazy_imports import lazy_dir, lazy_getattr

if TYPE_CHECKING:
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

_LATER = {
    "AclOperation": "kafka_nextgen.admin.acl_operations",
    "AsyncGroupAdmin": "kafka_nextgen.admin.async_group_admin",
    "GroupConfigEntry": "kafka_nextgen.admin.configs",
    "GroupAdmin": "kafka_nextgen.admin.group_admin",
    "PastRebalance": "kafka_nextgen.admin.history",
    "AddedMember": "kafka_nextgen.admin.members",
    "AnnouncedMember": "kafka_nextgen.admin.members",
    "NewMember": "kafka_nextgen.admin.members",
    "RemovedMember": "kafka_nextgen.admin.members",
    "CURRENT": "kafka_nextgen.admin.offset_plans",
    "OffsetTarget": "kafka_nextgen.admin.offset_plans",
    "PlannedOffset": "kafka_nextgen.admin.offset_plans",
    "ShiftBy": "kafka_nextgen.admin.offset_plans",
    "PatternCheck": "kafka_nextgen.admin.patterns",
    "ExpectedMember": "kafka_nextgen.admin.values",
    "GroupCoordinator": "kafka_nextgen.admin.values",
    "GroupDescription": "kafka_nextgen.admin.values",
    "GroupListing": "kafka_nextgen.admin.values",
    "GroupOffset": "kafka_nextgen.admin.values",
    "GroupState": "kafka_nextgen.admin.values",
    "GroupType": "kafka_nextgen.admin.values",
    "LeavingMember": "kafka_nextgen.admin.values",
    "ListedGroups": "kafka_nextgen.admin.values",
    "MemberDescription": "kafka_nextgen.admin.values",
    "Results": "kafka_nextgen.admin.values",
    "StreamsTasks": "kafka_nextgen.admin.values",
}

__getattr__ = lazy_getattr(__name__, _LATER)
__dir__ = lazy_dir(__name__)
