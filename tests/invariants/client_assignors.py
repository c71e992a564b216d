"""What must hold of a group with client-side assignors, besides what holds of every consumer group.

Each rule yields a sentence for each way it is broken; silence is good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kafka_nextgen.coordinator.group import Group

__all__ = ["extension_violations"]


def extension_violations(group: Group) -> Iterator[str]:
    """Every rule that ``group`` breaks."""
    yield from _assignors_in_step(group)
    yield from _metadata_goes_with_a_target(group)
    yield from _who_computes_can(group)


def _assignors_in_step(group: Group) -> Iterator[str]:
    """Counts are what counting gives."""
    having = [member.client_assignors for member in group.members.values() if member.client_assignors]
    if Counter(tuple(each.name for each in assignors) for assignors in having) != dict(group.client_preferences):
        yield "the count of who prefers which client-side assignor is out of step"
    offers = Counter(
        (each.name, each.minimum_version, each.maximum_version, each.metadata.version)
        for assignors in having
        for each in assignors
    )
    if offers != dict(group.client_offers):
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
    computing = group.computing
    if computing.assignor is not None and group.members and group.assignment_epoch >= group.epoch:
        yield f"the target of epoch {group.assignment_epoch} is there, and somebody is to compute one"
    if computing.member_id is None:
        return
    member = group.members.get(computing.member_id)
    if member is None or computing.assignor not in {each.name for each in member.client_assignors}:
        yield f"{computing.member_id} is to compute with {computing.assignor!r}, and can't"
