"""What is seen of a coordinator and of a member, in the model's words, and how TLA+ writes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from attrs import frozen

from kafka_nextgen.groups.records import CurrentMemberAssignment, MemberStatus
from kafka_nextgen.membership.state import MemberState
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.testing.coordinator.coordinator import Coordinator
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.types import TopicIdPartition, TopicPartition
from tests.verification.simulation.cluster import GROUP

#: The partitions of all runs.
PARTITIONS = ("p0", "p1")

IN_GROUP = frozenset({"RECONCILING", "ACKNOWLEDGING", "STABLE"})

_STATUSES = {
    MemberStatus.STABLE: "STABLE",
    MemberStatus.UNREVOKED_PARTITIONS: "UNREVOKED",
    MemberStatus.UNRELEASED_PARTITIONS: "UNRELEASED",
}


@frozen
class Stage:
    """Where a member stands, with the step of its reconciliation."""

    status: str
    step: str = "IDLE"


def partitions_of(partitions: Iterable[TopicIdPartition | TopicPartition]) -> frozenset[str]:
    return frozenset(f"p{each.partition}" for each in partitions)


def stage_of(state: MemberState) -> Stage:
    """Where a member stands. One that is out of the group waits for callbacks in statuses of its own."""
    is_out = state.status in (Status.UNSUBSCRIBED, Status.STALE)
    if is_out or (state.status is Status.PREPARE_LEAVING and state.member_epoch < 0):
        return Stage("OUT")
    return Stage(state.status.name, _step_of(state) if state.status is Status.RECONCILING else "IDLE")


def _step_of(state: MemberState) -> str:
    """The last commit belongs to what follows it."""
    if state.phase is Phase.COMMITTING:
        assert state.goal is not None, "it commits on its way to a goal"
        return "REVOKING" if (state.owned | state.held) - state.goal.partitions else "ASSIGNING"
    return state.phase.name if state.phase in (Phase.REVOKING, Phase.ASSIGNING) else "IDLE"


def owned_of(state: MemberState) -> frozenset[str]:
    """What a member owns. One that is out owns nothing, though a callback may not have returned yet."""
    return frozenset() if stage_of(state).status == "OUT" else partitions_of(state.owned)


def group_of(coordinator: Coordinator) -> Mapping[str, Any]:
    group = coordinator.groups.get(GROUP) or Group(GROUP, coordinator.settings.behaviour.first_epoch)
    targets = {
        member_id: frozenset(
            f"p{number}" for numbers in group.targets.get(member_id, {}).values() for number in numbers
        )
        for member_id in group.members
    }
    committed = {f"p{tp.partition}": each.offset.offset for tp, each in group.offsets.items()}
    return {
        "epoch": group.epoch,
        "assignmentEpoch": group.assignment_epoch,
        "target": targets,
        "current": {member_id: _current(group.current(member_id)) for member_id in group.members},
        "committed": {partition: committed.get(partition, 0) for partition in PARTITIONS},
    }


def _current(current: CurrentMemberAssignment) -> Mapping[str, Any]:
    return {
        "epoch": current.member_epoch,
        "previous": current.previous_member_epoch,
        "status": _STATUSES[current.status],
        "assigned": _granted(current.assigned),
        "pending": _granted(current.pending_revocation),
    }


def _granted(granted: Iterable[tuple[TopicIdPartition, int]]) -> Mapping[str, int]:
    epochs = {f"p{partition.partition}": epoch for partition, epoch in granted}
    return {partition: epochs.get(partition, 0) for partition in PARTITIONS}


def tla(value: object) -> str:
    """A value as TLA+ writes it. None is silence; a record without fields is the function of nothing."""
    if value is None:
        return "<<>>"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Set):
        return "{" + ", ".join(map(tla, sorted(value))) + "}"
    if isinstance(value, Mapping):
        return f"[{', '.join(f'{key} |-> {tla(each)}' for key, each in value.items())}]" if value else "<<>>"
    assert isinstance(value, list | tuple), f"{value!r} has no words"
    return f"<<{', '.join(map(tla, value))}>>"
