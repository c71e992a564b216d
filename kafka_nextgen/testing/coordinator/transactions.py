"""Offsets that are committed as part of a transaction (KIP-98; KIP-447): pending until its marker is written.

Fencing is less strict than for plain commits (``offsets``), because a fenced member's offsets are undone with its
transaction. Read from the top:

| the committer | answer |
|---|---|
| generation below 0, and the group is empty or does not exist | accepted |
| the group is unknown | GROUP_ID_NOT_FOUND; before version 6 ILLEGAL_GENERATION |
| no member id, generation or instance id: a producer without group metadata (before KIP-447) | accepted |
| not a member | UNKNOWN_MEMBER_ID; in a classic group also FENCED_INSTANCE_ID |
| a member, at an epoch that may commit | accepted, even between two generations of a classic group |
| otherwise | STALE_MEMBER_EPOCH (KIP-1319); for a classic member, and before version 6, ILLEGAL_GENERATION |

A commit marker commits the offsets, unless the partition has a later commit; an abort marker drops them. Until then a
fetch of stable offsets gets UNSTABLE_OFFSET_COMMIT and is retried.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.groups.records import PendingOffsetCommitted, TransactionEnded
from kafka_nextgen.testing.coordinator.classic.admission import identity_error
from kafka_nextgen.testing.coordinator.classic.group import ClassicStatus
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.offsets import may_commit, stale, storable, store_offsets
from kafka_nextgen.testing.coordinator.requests import TxnOffsetCommit
from kafka_nextgen.testing.coordinator.responses import Noted, OffsetsCommitted

__all__ = ["commit_in_transaction", "end_transaction"]

_WITH_MEMBER_EPOCHS = 6


def commit_in_transaction(draft: Draft, request: TxnOffsetCommit) -> Outcome:
    """Store the accepted offsets as pending until the transaction ends."""
    if error := _refuse(draft, request):
        return Outcome(OffsetsCommitted(dict.fromkeys(request.offsets, error)))
    group_id, producer_id, epoch = request.group_id, request.producer_id, request.producer_epoch
    keeps_id = draft.settings.behaviour.transactions_keep_topic_ids
    return store_offsets(
        draft,
        request,
        lambda partition, offset, topic_id: PendingOffsetCommitted(
            group_id, partition, offset, draft.now_ms, topic_id if keeps_id else None, producer_id, epoch
        ),
    )


def end_transaction(groups: Iterable[Group], request: EndTransaction) -> Outcome:
    """Commit or drop a producer's pending offsets in every group that has some."""
    concerned = sorted(group.group_id for group in groups if any(by == request.producer_id for by, _ in group.pending))
    ended = (TransactionEnded(group_id, request.producer_id, request.is_commit) for group_id in concerned)
    return Outcome(Noted(), tuple(ended))


def _refuse(draft: Draft, request: TxnOffsetCommit) -> ErrorCode:
    group = draft.group
    if group.classic is not None:
        return _refuse_in_classic_group(draft, request)
    if request.member_epoch < 0 and not group.members:
        return ErrorCode.NONE
    if not group.exists:
        return ErrorCode.GROUP_ID_NOT_FOUND if request.version >= _WITH_MEMBER_EPOCHS else ErrorCode.ILLEGAL_GENERATION
    if _names_no_member(request):
        return ErrorCode.NONE
    if request.member_id not in group.members:
        return ErrorCode.UNKNOWN_MEMBER_ID
    may = may_commit(draft, request.member_id, request.member_epoch, storable(draft, request.offsets))
    if may:
        return ErrorCode.NONE
    return stale(group, request.member_id) if request.version >= _WITH_MEMBER_EPOCHS else ErrorCode.ILLEGAL_GENERATION


def _refuse_in_classic_group(draft: Draft, request: TxnOffsetCommit) -> ErrorCode:
    group = draft.classic
    if _names_no_member(request) or (request.member_epoch < 0 and group.is_in(ClassicStatus.EMPTY)):
        return ErrorCode.NONE
    if error := identity_error(group, request.member_id, request.instance_id):
        return error
    return ErrorCode.NONE if request.member_epoch == group.generation else ErrorCode.ILLEGAL_GENERATION


def _names_no_member(request: TxnOffsetCommit) -> bool:
    return request.member_epoch < 0 and not request.member_id and request.instance_id is None
