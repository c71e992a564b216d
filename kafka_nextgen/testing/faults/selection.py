"""The requests that a fault applies to, and how often it applies."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.faults.apis import Api
from kafka_nextgen.testing.faults.place_kinds import Names
from kafka_nextgen.testing.faults.places import places_of
from kafka_nextgen.testing.faults.question import Question, names_groups
from kafka_nextgen.types import TopicPartition

__all__ = ["Selection"]


@frozen
class Selection:
    """The requests that a fault applies to; None selects all. If ``times`` is None, it has no limit.

    If the topic or partition ``is_target``, the fault changes it, and requests that can't name it are selected, too.
    """

    api: Api | None = None
    client_id: str | None = None
    group_id: str | None = None
    node: int | None = None
    topic: str | None = None
    partition: int | None = None
    times: int | None = None
    after: int = 0
    is_target: bool = False

    @property
    def where(self) -> tuple[object, ...]:
        """Everything except the counts."""
        return self.api, self.client_id, self.group_id, self.node, self.topic, self.partition

    def selects(self, question: Question) -> bool:
        """Whether a request is selected."""
        if not self.is_near(question) or self.topic is None:
            return self.is_near(question)
        if self.is_target and self.api is not None and Names.TOPIC not in places_of(self.api.value).levels:
            return True
        return any(self.covers(name, self._whole(index)) for name, index in question.named())

    def _whole(self, index: int | None) -> int | None:
        """Whether a request for the whole topic names the partition to change."""
        return self.partition if index is None and self.is_target else index

    def is_near(self, question: Question) -> bool:
        """Like ``names_target``, for any topics and partitions that the request names."""
        return (
            (self.api is None or self.api.value is question.request.api)
            and self.client_id in (None, question.context.client_id)
            and self.node in (None, question.context.node.node_id)
            and (self.group_id is None or self.group_id in question.groups())
        )

    def covers(self, topic: str, partition: int | None) -> bool:
        """Whether a topic, or a partition of it, is selected."""
        return self.topic in (None, topic) and self.partition in (None, partition)

    def complaint(self) -> str | None:
        """The reason why no request can be selected; None if one can."""
        if self.partition is not None and self.topic is None:
            return f"partition={self.partition} needs a topic"
        if self.partition is not None and self.partition < 0:
            return f"partition must be at least 0, not {self.partition}"
        if self.times is not None and self.times < 1:
            return f"times must be at least 1, not {self.times}"
        if self.after < 0:
            return f"after must be at least 0, not {self.after}"
        return self._unnamed()

    def _unnamed(self) -> str | None:
        if self.api is None:
            return None
        if self.group_id is not None and not names_groups(self.api.value):
            return f"{self.api} requests name no groups: leave out group_id={self.group_id!r}"
        if self.topic is None or self.is_target:
            return None
        levels = places_of(self.api.value).levels
        if Names.TOPIC not in levels:
            return f"{self.api} requests name no topics: leave out topic={self.topic!r}"
        if self.partition is not None and Names.PARTITION not in levels:
            return f"{self.api} requests name no partitions: leave out partition={self.partition}"
        return None

    def __str__(self) -> str:
        return " ".join(self._words())

    def _words(self) -> Iterator[str]:
        yield "for any request" if self.api is None else f"for {self.api}"
        if self.topic is not None:
            part = self.topic if self.partition is None else str(TopicPartition(self.topic, self.partition))
            yield f"of {part}"
        if self.group_id is not None:
            yield f"about group {self.group_id!r}"
        if self.client_id is not None:
            yield f"from client {self.client_id!r}"
        if self.node is not None:
            yield f"at node {self.node}"
        if self.after:
            yield f"after {self.after} of them"
        if self.times is not None:
            yield f"(times={self.times})"
