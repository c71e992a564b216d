"""What members of the consumer group protocol say: beside ``conduct``.

| rule | when it is looked at |
|---|---|
| a member states the epoch it was last told, and its commits do so, too | when it sends a heartbeat |
| what it says to have is all that it was told to have last; at rest as far as it knows the topics | the same |
| what is committed before a revocation is all that was handed out | when it is asked for |
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field

from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.states import Status
from kafka_nextgen.types import TopicIdPartition
from tests.simulation.clients import Client

__all__ = ["Members"]


@define(eq=False)
class Members:
    """What members were told, and say."""

    told: dict[str, int] = field(factory=dict)  # the epoch, by the client's name
    assigned: dict[str, frozenset[TopicIdPartition]] = field(factory=dict)  # what it was told to have last
    published: dict[str, int] = field(factory=dict)

    def heard(self, client: Client, answer: object, in_flight: int | None) -> None:
        """An answer arrived, maybe to a heartbeat that is not waited for any more."""
        if isinstance(answer, ev.HeartbeatAnswered) and answer.number == in_flight and answer.member_epoch > 0:
            self.told[client.name] = answer.member_epoch
            if answer.assignment is not None:
                self.assigned[client.name] = answer.assignment

    def wanted(self, client: Client, effect: object) -> Iterator[str]:
        """A member wants something done."""
        if isinstance(effect, fx.PublishEpoch):
            self.published[client.name] = effect.member_epoch
        if isinstance(effect, fx.SendHeartbeat):
            yield from self._says(client, effect)
        if isinstance(effect, fx.CommitConsumed):
            for partition, at in client.consumed.items():
                if partition in client.applied and at != client.positions.get(partition, at):
                    yield f"{client.name} commits {partition} before it gives it up, and has not processed all"

    def _says(self, client: Client, heartbeat: fx.SendHeartbeat) -> Iterator[str]:
        if heartbeat.member_epoch == 0:
            self.assigned.pop(client.name, None)
        if heartbeat.member_epoch <= 0:
            return
        state, due = client.member.state, self.assigned.get(client.name, frozenset())
        if state.status is Status.STABLE:  # with all that can be had
            due = frozenset(each for each in due if each.topic_id in state.names)
        if heartbeat.owned is not None and not due <= heartbeat.owned:
            yield f"{client.name} was told to have {len(due - heartbeat.owned)} partitions that it leaves out"
        told, published = self.told.get(client.name), self.published.get(client.name)
        if told != heartbeat.member_epoch:
            yield f"{client.name} was told epoch {told}, and states {heartbeat.member_epoch}"
        if published != heartbeat.member_epoch:
            yield f"{client.name} is at {heartbeat.member_epoch}, and commits at {published}"
