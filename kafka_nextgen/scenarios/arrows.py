"""Which arrows of the membership table were walked, and which refusals were met."""

from __future__ import annotations

from attrs import define, field, frozen

from kafka_nextgen.membership.events import Event
from kafka_nextgen.membership.states import Status

__all__ = ["Arrow", "Trail"]


@frozen
class Arrow:
    """In ``status``, ``event`` led to ``to``."""

    status: Status
    event: type[Event]
    to: Status

    def __str__(self) -> str:
        return f"{self.status.name} --{self.event.__name__}--> {self.to.name}"


@define
class Trail:
    """What the members of one world went through. Late completions leave no trace: they mean nothing."""

    arrows: set[Arrow] = field(factory=set)
    refusals: set[tuple[Status, int]] = field(factory=set)
