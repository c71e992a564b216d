"""What a member says to coordinators with extensions: a word of each of its own assignors, and why it joins.

A word is repeated only if it is another, or if the member can't know what arrived: a word with a reason asks for
another assignment each time. Why the member joins is said until a heartbeat is answered.
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
    """The member's assignors with what they have to say, the preferred one first, and why it joins."""

    assignors: tuple[ClientAssignor, ...] = ()
    join_reason: JoinReason = JoinReason.UNKNOWN

    def with_assignors(self, assignors: tuple[ClientAssignor, ...]) -> Statement:
        """The statement with these."""
        return evolve(self, assignors=assignors)

    def news(self) -> Statement:
        """The assignors. Why the member joins goes out with its join."""
        return self if self.join_reason is JoinReason.UNKNOWN else evolve(self, join_reason=JoinReason.UNKNOWN)

    def added_to(self, heartbeat: SendHeartbeat, told: Statement | None, *, joins: bool) -> SendHeartbeat:
        """The heartbeat with what is to be said."""
        is_told = told == self.news() if told is not None and not joins else not self.assignors
        reason = self.join_reason if joins else JoinReason.UNKNOWN
        if is_told and reason is JoinReason.UNKNOWN:
            return heartbeat
        return evolve(heartbeat, client_assignors=None if is_told else self.assignors, join_reason=reason)

    def answered(self) -> Statement:
        """The statement without why the member joins."""
        return self.news()
