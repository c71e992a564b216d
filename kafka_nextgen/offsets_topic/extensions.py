"""The offsets topic with the additions of extensions, which Kafka's coordinators skip.

| type | record | tags | value's version |
|---|---|---|---|
| 5 | a member | its client-side assignors | 0 |
| 6 | the target assignment's epoch | the client-side assignor that computed it, and its error | 0 |
| 7 | a member's share of the target | that assignor's metadata for the member | 0 |
| 10000 | a rebalance in a group's history | | 0 |
| 10001 | the slots that a group reserves for expected members | | 0 |
| 10002 | the standbys of a group, in order | those that are loading | 0 |
| 10003 | the members of a group that are announced to leave | | 0 |
"""

from __future__ import annotations

from functools import partial

from kafka_nextgen import offsets_topic as plain
from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.groups.extensions.records import (
    ExpectedMembers,
    ExpectedMembersRemoved,
    Leaver,
    LeavingMembers,
    LeavingMembersRemoved,
    RebalanceRecorded,
    RebalanceRecordedRemoved,
    Slot,
    StandbyMembers,
    StandbyMembersRemoved,
)
from kafka_nextgen.offsets_topic import Codec, KeyAndValue, LoggedBatch, Skipped
from kafka_nextgen.offsets_topic.kinds import member_kind, record_kind, target_kind, target_share_kind
from kafka_nextgen.wire.extensions.fields import ASSIGNOR, METADATA
from kafka_nextgen.wire.extensions.rebalances import REBALANCE
from kafka_nextgen.wire.field_map import FieldMap, converted
from kafka_nextgen.wire.schemas import offsets_topic as m

__all__ = [
    "CODEC",
    "MEMBER",
    "STANDBY_MEMBERS",
    "TARGET",
    "TARGET_SHARE",
    "KeyAndValue",
    "LoggedBatch",
    "Skipped",
    "decode",
    "encode",
    "replay",
]

_Assignors = m.ConsumerGroupMemberMetadataValue.ClientAssignors


def _assignors_to(assignors: tuple[ClientAssignor, ...]) -> _Assignors | None:
    return _Assignors(assignors=[ASSIGNOR.to_structure(each) for each in assignors]) if assignors else None


def _assignors_from(structure: _Assignors | None) -> tuple[ClientAssignor, ...]:
    return () if structure is None else tuple(map(ASSIGNOR.from_structure, structure.assignors))


_SLOT = FieldMap(Slot, m.ExpectedMembersValue.Slot, until_ms="kept_until")
_LEAVER = FieldMap(Leaver, m.LeavingMembersValue.Leaver, until_ms="expected_until")

MEMBER = member_kind(client_assignors=converted("client_assignors", _assignors_to, _assignors_from))
TARGET = target_kind(assignor="assignor_name", error="error")
TARGET_SHARE = target_share_kind(metadata=METADATA)

_REBALANCE_KIND = record_kind(
    10_000,
    RebalanceRecorded,
    RebalanceRecordedRemoved,
    m.GroupRebalanceKey,
    m.GroupRebalanceValue,
    rebalance=REBALANCE.inline,
)
_SLOTS_KIND = record_kind(
    10_001,
    ExpectedMembers,
    ExpectedMembersRemoved,
    m.GroupKey,
    m.ExpectedMembersValue,
    slots=_SLOT.array("slots"),
)

STANDBY_MEMBERS = record_kind(
    10_002,
    StandbyMembers,
    StandbyMembersRemoved,
    m.GroupKey,
    m.StandbyMembersValue,
    member_ids=converted("member_ids", tuple, tuple),
    loading=converted("loading", tuple, tuple),
)

_LEAVERS_KIND = record_kind(
    10_003,
    LeavingMembers,
    LeavingMembersRemoved,
    m.GroupKey,
    m.LeavingMembersValue,
    leavers=_LEAVER.array("leavers"),
)

_OWN_KINDS = (_REBALANCE_KIND, _SLOTS_KIND, STANDBY_MEMBERS, _LEAVERS_KIND)

CODEC = Codec((*plain.KINDS, MEMBER, TARGET, TARGET_SHARE, *_OWN_KINDS))
encode = CODEC.encode
decode = CODEC.decode
replay = partial(plain.replay, codec=CODEC)
