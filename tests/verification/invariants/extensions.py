"""What must hold of groups besides: of the places that a group of either protocol keeps, of members that are announced
to leave it, and of client-side assignors.

Each rule yields a sentence for each way it is broken; silence is good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set

from kafka_nextgen.testing.coordinator.classic.group import ClassicStatus
from kafka_nextgen.testing.coordinator.extensions.leaving.leavers import gone, is_counted, is_present
from kafka_nextgen.testing.coordinator.extensions.registration.slots import missing, waiting
from kafka_nextgen.testing.coordinator.extensions.state import (
    COMPUTING,
    LEAVERS,
    LOADING,
    OFFERS,
    PREFERENCES,
    SLOTS,
    STANDBYS,
)
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.timers import TimerKey, TimerKind


def extension_violations(group: Group, timers: Set[TimerKey]) -> Iterator[str]:
    """Every rule that ``group`` breaks; ``timers`` are those that run."""
    yield from _places_in_order(group, timers)
    yield from _standbys_in_order(group)
    yield from _leavers_in_order(group, timers)
    if group.classic is None:
        yield from _assignors_in_step(group)
        yield from _metadata_goes_with_a_target(group)
        yield from _who_computes_can(group)
        yield from _timer_while_computing(group, timers)


def _assignors_in_step(group: Group) -> Iterator[str]:
    having = [member.client_assignors for member in group.members.values() if member.client_assignors]
    if Counter(tuple(each.name for each in assignors) for assignors in having) != dict(PREFERENCES.of(group)):
        yield "the count of who prefers which client-side assignor is out of step"
    offers = Counter(
        (each.name, each.minimum_version, each.maximum_version, each.metadata.version)
        for assignors in having
        for each in assignors
    )
    if offers != dict(OFFERS.of(group)):
        yield "the count of client-side assignors and their versions is out of step"


def _metadata_goes_with_a_target(group: Group) -> Iterator[str]:
    """An assignor has a word only for who has a share in its target."""
    yield from (
        f"there is metadata for {member_id}, who has no target"
        for member_id in sorted(group.target_metadata.keys() - group.targets.keys())
    )
    if group.client_assignor is None and (group.target_metadata or group.assignment_error):
        yield "there is metadata or an error of an assignor, and no client-side assignor made the target"


def _who_computes_can(group: Group) -> Iterator[str]:
    """Only a member that has the assignor computes, and only if there is something to compute."""
    computing = COMPUTING.of(group)
    if computing.assignor is not None and group.members and group.assignment_epoch >= group.epoch:
        yield f"the target of epoch {group.assignment_epoch} is there, but a member is still to compute one"
    if computing.member_id is None:
        return
    member = group.members.get(computing.member_id)
    if member is None or computing.assignor not in {each.name for each in member.client_assignors}:
        yield f"{computing.member_id} is to compute with {computing.assignor!r}, and can't"


def _timer_while_computing(group: Group, timers: Set[TimerKey]) -> Iterator[str]:
    """The member that computes has its time, and nobody else."""
    key, is_due = TimerKey(group.group_id, TimerKind.COMPUTE), COMPUTING.of(group).member_id is not None
    if (key in timers) is not is_due:
        yield f"{key} does not run" if is_due else f"{key} runs for nothing"


def _places_in_order(group: Group, timers: Set[TimerKey]) -> Iterator[str]:
    yield from (f"{member_id} waits, and has a target" for member_id in waiting(group) if group.target(member_id))
    yield from (f"{member_id} waits, and owns something" for member_id in waiting(group) if _owns(group, member_id))
    if (TimerKey(group.group_id, TimerKind.EXPECTED) in timers) is not bool(missing(group)):
        yield "the timer of places runs if somebody is missing, and only then"
    if group.classic is not None and group.classic.held.keys() - SLOTS.of(group).keys():
        yield "a join is held for which there is no place"
    if group.classic is not None and group.classic.held.keys() & group.classic.instances.keys():
        yield "a join is held whose instance is a member"


def _leavers_in_order(group: Group, timers: Set[TimerKey]) -> Iterator[str]:
    """Nobody takes over from members that have left only while others are waited for, and for no longer than a time."""
    leavers = LEAVERS.of(group).values()
    if (TimerKey(group.group_id, TimerKind.LEAVING) in timers) is not bool(leavers):
        yield "the timer of announced members runs if there are some, and only then"
    if leavers and not group.members and not (group.classic and group.classic.members):
        yield "the group is empty, and members are announced to leave it"
    if group.classic is not None and not group.classic.is_in(ClassicStatus.STABLE):
        return  # it is about to be assigned without them
    if gone(group) and not any(is_present(group, each) and is_counted(group, each) for each in leavers):
        yield f"nobody takes over from {gone(group)[0].name}, and no other member is to leave"


def _standbys_in_order(group: Group) -> Iterator[str]:
    """A standby is a member without a target in the latest assignment, and owns nothing once it has reached that."""
    standbys = STANDBYS.of(group)
    if len(set(standbys)) < len(standbys) or not set(standbys) <= group.members.keys():
        yield f"not each of {standbys} is a member once"
    if not LOADING.of(group) <= set(standbys):
        yield f"{sorted(LOADING.of(group))} are loading, and not all of them stand by"
    for member_id in standbys:
        current = group.current(member_id)
        if group.target(member_id) and group.assignment_epoch >= group.epoch:
            yield f"{member_id} stands by, and has a target"
        if current.member_epoch == group.assignment_epoch >= group.epoch and _owns(group, member_id):
            yield f"{member_id} stands by at the target's epoch, and owns something"


def _owns(group: Group, member_id: str) -> bool:
    current = group.current(member_id)
    return bool(current.assigned or current.pending_revocation)
