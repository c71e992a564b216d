"""What has not changed since it was checked, and is not checked again: nearly all outcomes commit offsets and no more.

``tests.verification.invariants`` look at a group's records but for those of offsets, at what no record tells of a
group, at the topics, and at which timers run. Records of offsets change none of that but for a group that begins or
ends with them, which then has another ``classic``. The rest is compared with what it was.

A request that changed nothing is worked out of the same state when it is repeated at once, and so it changes nothing
again. Only timers may have moved, which no request is worked out of.
"""

from __future__ import annotations

from attrs import define

from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.testing.coordinator.group import Group

_OF_OFFSETS = frozenset({r.OffsetCommitted, r.OffsetRemoved})


@define(eq=False)
class Unchanged:
    """The group that was checked last, as far as it is still as it was."""

    _checked: tuple[object, ...] | None = None

    def in_force(self, outcome: Outcome) -> None:
        if any(type(record) not in _OF_OFFSETS for record in outcome.records):
            self._checked = None

    def is_new(self, coordinator: Coordinator, group: Group) -> bool:
        """Whether this has to be checked; it counts as checked from then on."""
        standing = (
            coordinator,
            coordinator.topics,
            group.classic,
            group.checked_topics_version,
            group.remembered,
            frozenset(coordinator.timers.running()),
        )
        before, self._checked = self._checked, standing
        return standing != before


def changes_nothing(coordinator: Coordinator, group_id: str, outcome: Outcome) -> bool:
    """Whether all but timers stays as it is with an outcome that is not in force yet."""
    group = coordinator.groups.get(group_id)
    if group is None or outcome.records or outcome.topics is not None or outcome.configs is not None:
        return False
    return (
        all(each is group.classic for each in outcome.classic)
        and all(version == group.checked_topics_version for _, version in outcome.checked_topics)
        and all(remembered == group.remembered for _, remembered in outcome.remembered)
    )
