"""How many members of a group are active, and how many should be (``group.target.size``)."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.testing.coordinator.admission import LEAVE_TEMPORARILY
from kafka_nextgen.testing.coordinator.extensions.state import STANDBYS
from kafka_nextgen.testing.coordinator.group import Group


def missing_active(group: Group, target_size: int) -> int:
    """So many members have yet to become active, below 0 if too many are. A group without a target has no standbys."""
    present = [each for each in group.members if group.current(each).member_epoch != LEAVE_TEMPORARILY]
    active = [each for each in present if each not in STANDBYS.of(group)]
    return min(target_size or len(present), len(present)) - len(active)


def active_violations(group: Group, target_size: int) -> Iterator[str]:
    """As many members of a consumer group are active as there are to be."""
    missing = missing_active(group, target_size) if group.is_consumer_group else 0
    if missing > 0:
        yield f"{missing} standbys have yet to become active to reach the target size of {target_size}"
    if missing < 0:
        yield f"{-missing} members too many are active for the target size of {target_size}"
