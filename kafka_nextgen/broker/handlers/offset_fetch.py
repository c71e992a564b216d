"""OffsetFetch: read the committed offsets of groups; several groups from version 8 on, by topic id from 10 on.

With ``require_stable`` an offset that an open transaction may change is an error, UNSTABLE_OFFSET_COMMIT (KIP-447).
"""

from __future__ import annotations

from kafka_nextgen.bridge.offset_fetch import from_request
from kafka_nextgen.bridge.offset_fetch_answers import to_response
from kafka_nextgen.broker.cluster import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import OffsetFetch
from kafka_nextgen.coordinator.responses import OffsetsFetched
from kafka_nextgen.wire.messages import OffsetFetchRequest, OffsetFetchResponse

__all__ = ["handle"]


async def handle(request: OffsetFetchRequest, context: Context) -> OffsetFetchResponse:
    """Read each group's offsets."""
    directory = context.cluster.directory()
    answers = [_answer(fetch, context) for fetch in from_request(request, directory)]
    return to_response(request, directory, answers)


def _answer(fetch: OffsetFetch, context: Context) -> OffsetsFetched:
    if not context.coordinates(fetch.group_id):
        return OffsetsFetched(error=ErrorCode.NOT_COORDINATOR)
    return context.cluster.groups.ask(fetch, OffsetsFetched)
