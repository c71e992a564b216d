"""What has not changed since it was checked, and is not checked again: nearly all outcomes commit offsets and no more.

``coordinator.invariants`` look at a group's records but for those of offsets, at what no record tells of a group, at
the topics, and at which timers run. Records of offsets change none of that but for a group that begins or ends with
them, which then has another ``classic``. The rest is compared with what it was.
"""

from __future__ import annotations

from attrs import define

from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.coordinator.group import Group

__all__ = ["Unchanged"]

_OF_OFFSETS = frozenset({r.OffsetCommitted, r.OffsetRemoved})


@define(eq=False)
class Unchanged:
    """The group that was checked last, as far as it is still as it was."""

    _checked: tuple[object, ...] | None = None

    def in_force(self, outcome: Outcome) -> None:
        """An outcome is in force, of whichever coordinator."""
        if any(type(record) not in _OF_OFFSETS for record in outcome.records):
            self._checked = None

    def is_new(self, coordinator: Coordinator, group: Group) -> bool:
        """Whether this has to be checked; it counts as checked from then on."""
        standing = (
            coordinator,
            coordinator.topics,
            group.classic,
            group.checked_topics_version,
            group.computing,
            frozenset(coordinator.timers.running()),
        )
        before, self._checked = self._checked, standing
        return standing != before
