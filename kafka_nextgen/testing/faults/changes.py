"""Faults that change the cluster just before the selected request is handled. Each happens once by default."""

from __future__ import annotations

from typing import ClassVar

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.broker.producers import Producers
from kafka_nextgen.testing.broker.refusal import CloseConnectionError
from kafka_nextgen.testing.broker.storage import MemoryBatches, Storage
from kafka_nextgen.testing.broker.topic import Partition
from kafka_nextgen.testing.faults.kind import Active, Course, Kind, Next, Taken
from kafka_nextgen.testing.faults.question import Question
from kafka_nextgen.testing.faults.selection import Selection
from kafka_nextgen.wire.apis import SASL_AUTHENTICATE, SASL_HANDSHAKE
from kafka_nextgen.wire.schema import Message

__all__ = ["Change", "ExpireLogin", "LoseTail", "MoveLeader", "RecreateTopic"]


class Change(Kind):
    """A change of one topic or partition."""

    usual_times: ClassVar[int | None] = 1
    has_target: ClassVar[bool] = True
    needs_partition: ClassVar[bool] = True

    def complaint(self, selection: Selection) -> str | None:
        """A change needs a topic, and most need a partition."""
        if selection.topic is None:
            return f"{self} needs a topic"
        return f"{self} needs a partition" if self.needs_partition and selection.partition is None else None

    def complaint_at(self, selection: Selection, cluster: Cluster) -> str | None:
        """The topic and the partition must exist, and the topic must not be internal to the broker."""
        assert selection.topic is not None
        topic = cluster.topics.named(selection.topic)
        if topic is None:
            return f"there is no topic {selection.topic}"
        if topic.is_internal:
            return f"topic {selection.topic} is internal to the broker"
        if selection.partition is None:
            return None
        found = topic.partition(selection.partition)
        if found is None:
            return f"there is no partition {selection.topic}[{selection.partition}]"
        return self.complaint_of(found, cluster)

    def complaint_of(self, partition: Partition, cluster: Cluster) -> str | None:
        """The reason why it can't happen to this partition."""
        return None

    def happen(self, selection: Selection, cluster: Cluster) -> None:
        """Change the cluster."""
        raise NotImplementedError

    def take(self, question: Question, active: Active) -> Taken | None:
        """Change the cluster, then handle the request."""
        selection, cluster = active.selection, question.context.cluster
        if self.complaint_at(selection, cluster) is not None:
            return None

        async def serve(handle_rest: Next, _course: Course) -> Message | None:
            if self.complaint_at(selection, cluster) is None:  # an earlier fault may have waited
                self.happen(selection, cluster)
            return await handle_rest()

        return Taken(serve, question)


@frozen
class MoveLeader(Change):
    """The next replica in sync becomes the leader of a partition."""

    def complaint_of(self, partition: Partition, cluster: Cluster) -> str | None:
        """There must be another replica."""
        if len(partition.isr) > 1:
            return None
        name = partition.log.partition
        return f"{name} has no other replica in sync: use several brokers and default.replication.factor"

    def happen(self, selection: Selection, cluster: Cluster) -> None:
        """Move it."""
        _fail_over(_partition(selection, cluster), cluster)

    def __str__(self) -> str:
        return "leader that moves"


@frozen
class RecreateTopic(Change):
    """A topic is deleted with its records, and created again with the same partitions and another id."""

    needs_partition: ClassVar[bool] = False

    def happen(self, selection: Selection, cluster: Cluster) -> None:
        """Delete and create it."""
        assert selection.topic is not None
        topic = cluster.topics.named(selection.topic)
        assert topic is not None, "complaint_at was asked"
        cluster.topics.delete(topic)
        cluster.topics.create(topic.name, topic.replicas, topic.settings)

    def __str__(self) -> str:
        return "topic that is deleted and created again"


@frozen
class LoseTail(Change):
    """A replica that lacks the last records becomes the leader (an unclean fail-over), so they are lost.

    Batches are lost as a whole, so at least ``records`` are.
    """

    records: int

    def complaint_of(self, partition: Partition, cluster: Cluster) -> str | None:
        """The log must be in memory."""
        in_memory = type(cluster.storage) is Storage
        return None if in_memory else "a lost tail needs a cluster without data_dir"

    def happen(self, selection: Selection, cluster: Cluster) -> None:
        """Truncate the log, and let the next replica lead."""
        partition = _partition(selection, cluster)
        log = partition.log
        kept = log.truncate(log.end_offset - self.records, MemoryBatches())
        partition.producers = Producers()
        for batch in kept:
            partition.producers.remember(batch.header, batch.header.base_offset)
        _fail_over(partition, cluster)

    def __str__(self) -> str:
        return f"lost tail of {self.records} records"


def _partition(selection: Selection, cluster: Cluster) -> Partition:
    assert selection.topic is not None
    assert selection.partition is not None
    found = cluster.topics.partition(selection.topic, selection.partition)
    assert found is not None, "complaint_at was asked"
    return found


def _fail_over(partition: Partition, cluster: Cluster) -> None:
    """Let the replica in sync after the leader lead; a lone one leads again, in a new epoch."""
    if partition.leader is not None:
        following = (partition.isr.index(partition.leader) + 1) % len(partition.isr)
        cluster.leadership.move(partition, cluster.node(partition.isr[following]))


@frozen
class ExpireLogin(Kind):
    """The session of a SASL login expires: the connection is closed at its next request (KIP-368)."""

    usual_times: ClassVar[int | None] = 1

    def complaint_at(self, selection: Selection, cluster: Cluster) -> str | None:
        """Clients must log in."""
        if any(listener.protocol.uses_sasl for listener in cluster.settings.parsed_listeners()):
            return None
        return "no listener of the cluster uses SASL, so no login can expire"

    def take(self, question: Question, active: Active) -> Taken | None:
        """Close the connection of a client that has logged in; it may still begin to log in again."""
        sasl = question.context.peer.sasl
        if sasl is None or not sasl.is_done or question.request.api in (SASL_HANDSHAKE, SASL_AUTHENTICATE):
            return None

        async def serve(_handle_rest: Next, _course: Course) -> Message | None:
            raise CloseConnectionError(f"the login of {sasl.user} has expired (a fault of the test)")

        return Taken(serve, question, is_final=True)

    def __str__(self) -> str:
        return "expired login"
