"""Which topics metadata is asked for, and which of them a broker may create.

- Needed are those that somebody subscribed to or was assigned. They are asked for whenever the metadata is old.
- Who asked for another topic once may ask again soon: it is kept for ``metadata.max.age.ms`` and drops out then.
- A broker may create what was subscribed to or assigned by name (``allow.auto.create.topics``). Once it was there it
  is not created again: who deletes a topic does not want it back because somebody still reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicId

__all__ = ["Interest"]


class Interest:
    """Topics by name, and since when nobody asked for them. ``now`` is on any steady clock, in seconds."""

    def __init__(self, max_age_s: float, may_create: bool) -> None:
        self.needed: Callable[[], Collection[str]] = frozenset
        self._max_age_s = max_age_s
        self._may_create = may_create
        self._asked_at: dict[str, float] = {}
        self._to_create: set[str] = set()

    def let_create(self, names: Iterable[str]) -> None:
        """Let a broker create these, should they not be there."""
        if self._may_create:
            self._to_create.update(names)

    def names(self, now: float) -> frozenset[str]:
        """All that are to be asked for when the metadata is old."""
        self._asked_at = {name: at for name, at in self._asked_at.items() if now - at < self._max_age_s}
        return frozenset(self.needed()) | self._asked_at.keys()

    def creates(self, names: Collection[str]) -> bool:
        """Whether a question for these may create topics."""
        return not self._to_create.isdisjoint(names)

    def note_answer(
        self, answer: ClusterImage, names: Collection[str], topic_ids: Collection[TopicId], now: float
    ) -> None:
        """Somebody asked for these, and this was the answer."""
        for topic in answer.topics_by_name.values():
            if topic.name in names or topic.topic_id in topic_ids:
                self._asked_at[topic.name] = now
            if topic.error == ErrorCode.NONE:
                self._to_create.discard(topic.name)
