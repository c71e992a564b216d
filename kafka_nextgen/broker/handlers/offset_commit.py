"""OffsetCommit: store offsets for a group; by topic id from version 10 on (KIP-848).

Partitions that do not exist are answered here; the coordinator is asked about the others, if there are any.
"""

from __future__ import annotations

from kafka_nextgen.bridge.offset_commit import from_request, to_response
from kafka_nextgen.broker.cluster import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import OffsetCommit
from kafka_nextgen.coordinator.responses import OffsetsCommitted
from kafka_nextgen.wire.messages import OffsetCommitRequest, OffsetCommitResponse

__all__ = ["handle"]


async def handle(request: OffsetCommitRequest, context: Context) -> OffsetCommitResponse:
    """Commit what exists, and say of each partition what became of it."""
    directory = context.cluster.directory()
    commit = from_request(request, directory)
    return to_response(request, directory, _answer(commit, context) if commit.offsets else None)


def _answer(commit: OffsetCommit, context: Context) -> OffsetsCommitted:
    if not context.coordinates(commit.group_id):
        return OffsetsCommitted(dict.fromkeys(commit.offsets, ErrorCode.NOT_COORDINATOR))
    return context.cluster.groups.ask(commit, OffsetsCommitted)
