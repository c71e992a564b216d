"""What an application does at the one moment that leads to rare arrows: most of them want two things to meet.

An application that is in a callback, or away, for longer than it may be loses its membership meanwhile (STALE), and
decides something before it is back. Others close, commit or lose their rights while the group rebalances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from attrs import define

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership import effects as fx
from tests.simulation.clients import Client
from tests.simulation.dice import Dice, Fault

__all__ = ["Acting", "Timing"]

#: Within this time of a rebalance that waits for it no coordinator puts a member out.
_MOST_S = 14.0
#: A coordinator that has refused a heartbeat within this time refuses the next one, too.
_RIGHTS_S = 5.0


class Acting(Protocol):
    """The application that acts."""

    client: Client
    habits: Any
    is_closing: bool
    is_over: bool
    is_stuck: bool

    def close(self) -> None:
        """Close the consumer."""

    def unsubscribe(self) -> None:
        """Give the subscription up."""

    def subscribe_to_any(self) -> None:
        """Subscribe to something else."""

    def again(self) -> None:
        """Give the subscription up and take another."""

    def commit(self) -> None:
        """Commit what is read, and do not wait."""


@define(eq=False)
class Timing:
    """When one application acts."""

    application: Acting
    dice: Dice
    _is_away: bool = False  # for longer than it may be

    def outlasts(self, share: float) -> float | None:
        """For how long the application is away if that is longer than it may be."""
        if self.application.is_closing or not self.dice.happens(Fault.OUTLASTED, share):
            return None
        self._is_away = True
        return float(self.application.habits.max_poll_interval_s) + self.dice.between(0.5, 12.0)

    def disturb(self) -> None:
        """A callback that outlasts the poll interval has begun: what would end the membership before is kept off."""
        client, draw = self.application.client, self.dice.chance()
        if draw < 0.3 and isinstance(client.callbacks[0], fx.CallOnRevoked):
            client.lose_rights(ErrorCode.GROUP_AUTHORIZATION_FAILED, _RIGHTS_S)
        elif draw < 0.9:
            offline_s = float(self.application.habits.max_poll_interval_s) + self.dice.between(0.0, 10.0)
            client.later(self.dice.between(0.0, _MOST_S) * self.dice.chance(), lambda: client.go_offline(offline_s))

    def notice(self) -> None:
        """The member has another status."""
        status = self.application.client.member.status.name
        if status == "STALE":
            if self._is_away:
                self._is_away = False
                self._later(self.dice.pick((0.0, 0.01, 1.0)), self._when_stale())
        elif status in _PHASES and self.dice.happens(Fault.IN_A_PHASE, 0.15):
            self._later(self.dice.pick((0.0, 0.0, 0.002, 0.02)), self.dice.pick(self._in_a_phase()))

    def _later(self, seconds: float, act: Callable[[], object]) -> None:
        def act_if_there() -> None:
            if not self.application.is_over and not self.application.is_stuck:
                act()

        self.application.client.later(seconds, act_if_there)

    def _when_stale(self) -> Callable[[], object]:
        it = self.application
        return self.dice.pick(
            (it.again, it.again, it.again, it.unsubscribe, it.unsubscribe, it.close, it.close, it.client.think_again)
        )

    def _in_a_phase(self) -> Sequence[Callable[[], object]]:
        it, client = self.application, self.application.client

        def lose_rights() -> None:
            client.lose_rights(ErrorCode.GROUP_AUTHORIZATION_FAILED, _RIGHTS_S)

        def lose_rights_and_commit() -> None:
            lose_rights()
            it.commit()

        def go_and_commit() -> None:
            client.be_removed(by_instance=False)
            it.commit()

        return (it.close, it.close, lose_rights, lose_rights_and_commit, go_and_commit, go_and_commit)


#: In which a classic member that keeps its partitions has them while the group rebalances.
_PHASES = frozenset({"PREPARING", "COMPLETING"})
