"""When each topic was created, changed or deleted: the causes of rebalances that a classic group's leader reports.

The first version of the topics that arrives contains changes from before this coordinator was loaded, so nothing is
known about their times.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from kafka_nextgen.testing.coordinator.topics import Topics

__all__ = ["changes_of", "note_changes"]

#: How many changes of a topic are kept. Usually a leader notices each one before the next.
_CHANGES_KEPT = 10

_NAME = "changes"


def changes_of(topics: Topics) -> Mapping[str, tuple[int, ...]]:
    """The times of each topic's latest changes, in milliseconds, oldest first."""
    return cast(Mapping[str, tuple[int, ...]], topics.remembered.get(_NAME, {}))


def note_changes(before: Topics, after: Topics) -> Mapping[str, object]:
    """What is remembered after a change of the topics."""
    if not before.version or after.changed_at_ms is None:
        return {}
    known, names = changes_of(before), before.by_name.keys() | after.by_name.keys()
    changed = (name for name in names if before.by_name.get(name) != after.by_name.get(name))
    latest = {name: (*known.get(name, ()), after.changed_at_ms)[-_CHANGES_KEPT:] for name in changed}
    return {_NAME: {**known, **latest}}
