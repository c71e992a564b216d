"""What an application loads while its member stands by, and what the member says of that.

``engine/member/standby.py`` does the same. Half of the applications have something to load, which takes a moment or up
to a minute; some never get done.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from attrs import define, field

from kafka_nextgen.membership.events import StandbyStateChanged
from kafka_nextgen.requests.extensions.consumer_group_heartbeat import to_may_get
from kafka_nextgen.types import StandbyState, TopicIdPartition
from tests.verification.simulation.dice import Dice

_LOADS, _NEVER = 0.5, 0.1


@define(eq=False)
class StandingBy:
    """One client's application; ``say`` feeds an event to its member, ``later`` calls it after so many seconds."""

    dice: Dice
    say: Callable[[StandbyStateChanged], None]
    later: Callable[[float, Callable[[], None]], Any]
    _loads: bool = field(init=False)
    _may_get: Set[TopicIdPartition] | None = None
    _load: int = 0

    def __attrs_post_init__(self) -> None:
        self._loads = self.dice.chance() < _LOADS
        if self._loads:
            self.say(StandbyStateChanged(StandbyState.LOADING))

    def heard(self, message: Any, *, has_any: bool) -> None:
        """The member is in the group, and was answered this; what it has it gives up before it loads anything."""
        if not self._loads:
            return
        if not message.standby_place:
            self.end()
            return
        may_get = to_may_get(message)
        if may_get is None or has_any or may_get == self._may_get:
            return
        self._may_get = may_get
        self._load += 1
        self.say(StandbyStateChanged(StandbyState.LOADING))
        if self.dice.chance() > _NEVER:
            seconds = self.dice.pick((self.dice.between(0.01, 1.0), self.dice.between(5.0, 60.0)))
            self.later(seconds, lambda number=self._load: self._loaded(number))  # type: ignore[misc]

    def end(self) -> None:
        """The member is active, or out of the group."""
        self._may_get = None
        self._load += 1

    def _loaded(self, number: int) -> None:
        if number == self._load:
            self.say(StandbyStateChanged(StandbyState.READY))
