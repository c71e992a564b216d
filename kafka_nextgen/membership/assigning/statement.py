"""The heartbeat fields for coordinators with extensions: the client-side assignors, and the reason to join.

Assignors are sent again only when they change, or when the member can't know what arrived, because a reason in their
metadata triggers a new assignment each time. The join reason is sent until a heartbeat is answered.
"""

from __future__ import annotations

from attrs import evolve, frozen

from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.membership.statement import Statement
from kafka_nextgen.types import JoinReason

__all__ = ["ExtendedStatement"]


@frozen
class ExtendedStatement(Statement):
    """The client-side assignors with their metadata, the preferred one first, and the reason to join."""

    assignors: tuple[ClientAssignor, ...] = ()
    join_reason: JoinReason = JoinReason.UNKNOWN

    def with_assignors(self, assignors: tuple[ClientAssignor, ...]) -> Statement:
        """The statement with these assignors."""
        return evolve(self, assignors=assignors)

    def news(self) -> Statement:
        """The assignors. The join reason is sent only with a join."""
        return self if self.join_reason is JoinReason.UNKNOWN else evolve(self, join_reason=JoinReason.UNKNOWN)

    def added_to(self, heartbeat: SendHeartbeat, told: Statement | None, *, joins: bool) -> SendHeartbeat:
        """The heartbeat with the fields of this statement that must be sent."""
        is_told = told == self.news() if told is not None and not joins else not self.assignors
        reason = self.join_reason if joins else JoinReason.UNKNOWN
        if is_told and reason is JoinReason.UNKNOWN:
            return heartbeat
        return evolve(heartbeat, client_assignors=None if is_told else self.assignors, join_reason=reason)

    def answered(self) -> Statement:
        """The statement without the join reason."""
        return self.news()
