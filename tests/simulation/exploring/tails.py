"""What a fail-over may lose: what the last outcome wrote, while no answer that waits for it has left."""

from __future__ import annotations

from tests.simulation.exploring.pairs import Kind

__all__ = ["NO_TAIL", "Tails"]

#: All that was written is stored safely.
NO_TAIL = 0


class Tails:
    """By number: the coordinator before it wrote last, and for each client how many of its answers wait."""

    def __init__(self, members: int) -> None:
        self._none = (0,) * members
        self._tails: list[tuple[int, tuple[int, ...]]] = [(0, self._none)]
        self._numbers: dict[tuple[int, tuple[int, ...]], int] = {}

    def of(self, number: int) -> tuple[int, tuple[int, ...]]:
        """The coordinator it leads back to, and the answers that wait, for each client."""
        return self._tails[number]

    def after(self, number: int, kind: Kind, before: int, who: int, answers: int) -> int:
        """The tail after a step of a client that had so many answers under way, from a coordinator ``before``."""
        if kind is Kind.WROTE or kind is Kind.WROTE_UNASKED:
            return self._number(before, self._changed(self._none, who, int(kind is Kind.WROTE)))
        if number == NO_TAIL or kind is Kind.ALONE:
            return number
        back_to, waiting = self._tails[number]
        if kind is Kind.HEARD:
            return NO_TAIL if waiting[who] >= answers else number
        return self._number(back_to, self._changed(waiting, who, 0 if kind is Kind.CRASHED else waiting[who] + 1))

    def _changed(self, waiting: tuple[int, ...], who: int, count: int) -> tuple[int, ...]:
        return (*waiting[:who], count, *waiting[who + 1 :])

    def _number(self, back_to: int, waiting: tuple[int, ...]) -> int:
        tail = (back_to, waiting)
        number = self._numbers.get(tail)
        if number is None:
            number = self._numbers[tail] = len(self._tails)
            self._tails.append(tail)
        return number
