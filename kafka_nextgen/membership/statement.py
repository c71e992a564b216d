"""The heartbeat fields of extensions to Kafka's protocol: none here.

``assigning.statement`` adds some. The core knows neither what they are nor where in a heartbeat they go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from kafka_nextgen.assignors.spec import ClientAssignor

if TYPE_CHECKING:
    from kafka_nextgen.membership.effects import SendHeartbeat

__all__ = ["NO_STATEMENT", "Statement"]


@frozen
class Statement:
    """Nothing to say."""

    def with_assignors(self, assignors: tuple[ClientAssignor, ...]) -> Statement:
        """The statement once the member's own assignors have this to say."""
        return self

    def news(self) -> Statement:
        """The part that the coordinator is to hear of at once if it is another than before."""
        return self

    def added_to(self, heartbeat: SendHeartbeat, told: Statement | None, *, joins: bool) -> SendHeartbeat:
        """The heartbeat, with what is to be said. ``told`` are the last news sent, None if they may be lost."""
        return heartbeat

    def answered(self) -> Statement:
        """The statement once a heartbeat was answered without an error."""
        return self


NO_STATEMENT = Statement()
