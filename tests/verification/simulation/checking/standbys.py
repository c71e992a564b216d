"""Who takes over, and what the coordinator knows of that: whether standbys are ready.

| rule | when it is looked at |
|---|---|
| a standby that says that it is loading, or ready, counts as that from then on | before the outcome is in force |
| that of the others stays as it was | the same |
| one that is loading becomes active only if no standby that is ready and present is left over | the same |
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.extensions.records import StandbyMembers, StandbyMembersRemoved
from kafka_nextgen.testing.coordinator.admission import LEAVE_TEMPORARILY
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.extensions.state import LOADING, STANDBYS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, Request
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.types import StandbyState


def asked(group: Group, request: Request | None, outcome: Outcome) -> Iterator[str]:
    """What is wrong with who stands by after an outcome, which is not in force yet; without a request, of timers."""
    before, loading = STANDBYS.of(group), set(LOADING.of(group))
    after, loading_after = before, set(loading)
    for record in outcome.records:
        if isinstance(record, StandbyMembers):
            after, loading_after = record.member_ids, set(record.loading)
        elif isinstance(record, StandbyMembersRemoved):
            after, loading_after = (), set()
    stated = _stated(request, outcome)
    for member_id, state in stated.items():
        loading = loading | {member_id} if state is StandbyState.LOADING else loading - {member_id}
    yield from (
        f"{member_id} stands by, and counts as {'loading' if member_id in loading_after else 'ready'}, which it is not"
        for member_id in sorted(loading_after ^ (loading & set(after)))
    )
    if after:
        yield from _chosen(group, request, outcome, (set(before) | stated.keys()) - set(after), after, loading)


def _stated(request: Request | None, outcome: Outcome) -> dict[str, StandbyState]:
    """What the request says of its member's readiness, if it is let in."""
    answer = outcome.response
    if not isinstance(request, ConsumerGroupHeartbeat) or not isinstance(answer, ConsumerGroupHeartbeatAnswer):
        return {}
    is_in = answer.error is ErrorCode.NONE and answer.member_epoch > 0
    return {answer.member_id: request.standby_state} if is_in and request.standby_state else {}


def _chosen(
    group: Group,
    request: Request | None,
    outcome: Outcome,
    out_of_the_queue: set[str],
    after: tuple[str, ...],
    loading: set[str],
) -> Iterator[str]:
    """None of those that became active was loading while a standby was ready."""
    removed = {each.member_id for each in outcome.records if isinstance(each, r.MemberMetadataRemoved)}
    were_active = set(group.members) - set(STANDBYS.of(group))
    if isinstance(request, ConsumerGroupHeartbeat) and group.instances.get(request.instance_id or "") in were_active:
        were_active.add(request.member_id)  # its instance is back, and has what it had
    chosen = sorted((out_of_the_queue - removed - were_active) & loading)
    ready = [
        member_id
        for member_id in STANDBYS.of(group)
        if member_id in after and member_id not in loading and _is_present(group, member_id, request)
    ]
    if chosen and ready:
        yield f"{chosen[0]} is loading and becomes active, and {ready[0]} is ready and stands by"


def _is_present(group: Group, member_id: str, request: Request | None) -> bool:
    """Whether it is once the request is served: a static member may go, or be back, by it."""
    if isinstance(request, ConsumerGroupHeartbeat) and request.member_id == member_id:
        return request.member_epoch != LEAVE_TEMPORARILY
    return group.current(member_id).member_epoch != LEAVE_TEMPORARILY
