"""Pre-registration in classic groups: an expected instance's JoinGroup is *held* until no instance is missing.

A join phase would make all members join again and wait idle for the missing instances. The group therefore stays in its
generation; when no instance is missing, all held joins are handled together, and the group rebalances once (KIP-345,
"Future Works").

| event | effect |
|---|---|
| the same instance joins again | the held join is answered with FENCED_INSTANCE_ID, and the new one is held |
| the group rebalances for another reason | it does so without the held joins |
| the last member leaves | the held joins are handled: only they can take its partitions |
| an administrator removes the instance | its join is answered with UNKNOWN_MEMBER_ID |
| the group becomes a consumer group | the joins are answered with REBALANCE_IN_PROGRESS, and the instances wait there |
| a consumer group becomes a classic one | its waiting members are admitted |

A client abandons its JoinGroup after its rebalance timeout, so no held join waits longer than that. Held joins are only
in memory: after a fail-over the instances join again, and are held again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.testing.coordinator.classic.admission import has_room, is_consistent
from kafka_nextgen.testing.coordinator.classic.group import ClassicStatus
from kafka_nextgen.testing.coordinator.classic.joining import add_member
from kafka_nextgen.testing.coordinator.classic.rebalance import rebalance_or_complete_join
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.classic.responses import JoinGroupAnswer
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions.registration.slots import give_up_slots, keep_slots
from kafka_nextgen.testing.coordinator.extensions.state import SLOTS
from kafka_nextgen.types import RebalanceReason

__all__ = ["count_members_in", "hold", "join_together", "send_back", "take_up"]


def hold(draft: Draft, request: JoinGroup) -> bool:
    """Hold the join of an expected instance, for no longer than the member's rebalance timeout; return whether it was
    expected.
    """
    slots, instance_id = SLOTS.of(draft.group), request.instance_id
    if instance_id is None or instance_id not in slots or instance_id in draft.classic.instances:
        return False
    send_back(draft, [instance_id], ErrorCode.FENCED_INSTANCE_ID)
    timeout_ms = max(request.rebalance_timeout_ms, slots[instance_id].rebalance_timeout_ms)
    at_most_ms = draft.now_ms + request.rebalance_timeout_ms
    held = {**draft.classic.held, instance_id: evolve(request, rebalance_timeout_ms=timeout_ms)}
    draft.group.classic = evolve(draft.classic, held=held)
    keep_slots(draft, [evolve(slot, until_ms=min(slot.until_ms, at_most_ms)) for slot in slots.values()])
    return True


def take_up(draft: Draft, instance_ids: Collection[str]) -> list[JoinGroup]:
    """Release the held joins of these instances, and return them in the order in which they arrived."""
    classic = draft.group.classic
    if classic is None or not classic.held:
        return []
    taken = [request for instance_id, request in classic.held.items() if instance_id in instance_ids]
    draft.group.classic = evolve(
        classic, held={each: request for each, request in classic.held.items() if each not in instance_ids}
    )
    return taken


def join_together(draft: Draft, requests: Iterable[JoinGroup]) -> None:
    """Add all of them, and rebalance the group once. The group may have been replaced in the meantime."""
    added = [request for request in requests if _is_added(draft, request)]
    if added:
        first = added[0]
        text = ", ".join(["as announced", *(f"{each.new_member_id} joined" for each in added[1:])])
        rebalance_or_complete_join(
            draft, Cause(RebalanceReason.MEMBER_JOINED, first.new_member_id, first.instance_id, text=text)
        )


def _is_added(draft: Draft, request: JoinGroup) -> bool:
    if error := _refusal(draft, request):
        draft.release(request.number, JoinGroupAnswer(error))
        return False
    add_member(draft, request, request.new_member_id)
    return True


def _refusal(draft: Draft, request: JoinGroup) -> ErrorCode:
    """Why the member can't join the current members and those added before it, or NONE."""
    group = draft.classic
    if not group.members:
        return ErrorCode.NONE
    group = evolve(group, status=ClassicStatus.PREPARING_REBALANCE)  # the group's next state
    if not has_room(group, "", draft.settings):
        return ErrorCode.GROUP_MAX_SIZE_REACHED
    return ErrorCode.NONE if is_consistent(group, request) else ErrorCode.INCONSISTENT_GROUP_PROTOCOL


def count_members_in(draft: Draft) -> None:
    """Admit the members that waited while this was a consumer group. They are in the group, so they can't be held."""
    came = [instance_id for instance_id in SLOTS.of(draft.group) if draft.classic.holder_of(instance_id) is not None]
    if came:
        give_up_slots(draft, came)
        member_id = draft.classic.instances[came[0]]
        rebalance_or_complete_join(draft, Cause(RebalanceReason.MEMBER_JOINED, member_id, came[0], text="as announced"))


def send_back(draft: Draft, instance_ids: Collection[str], error: ErrorCode) -> None:
    """Answer the held joins of these instances, if any, with an error."""
    for request in take_up(draft, instance_ids):
        draft.release(request.number, JoinGroupAnswer(error, request.new_member_id))
