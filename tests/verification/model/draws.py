"""The draws of runs that the model has everything of: those of a seed, but for what is switched off.

Off are classic members, extensions, offsets that expire, and all faults but those that the model has. All else is
drawn, faults with their rates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from attrs import define, field

from tests.verification.simulation.dice import Fault, Place

#: What the model has: all else is off.
ON = frozenset(
    {
        Fault.REQUEST_LOST,
        Fault.ANSWER_LOST,
        Fault.SILENCE,
        Fault.LATE_REQUEST,
        Fault.SLOW_MESSAGE,
        Fault.NODE_CRASH,
        Fault.FAIL_OVER,
        Fault.OLD_COORDINATOR,
        Fault.FAILED_APPEND,
        Fault.SLOW_REPLICA,
        Fault.COMPACTION,
        Fault.SLOW_LOADING,
        Fault.CLIENT_CRASH,
        Fault.CLIENT_FREEZE,
        Fault.POLL_PAUSE,
        Fault.SLOW_CALLBACK,
        Fault.CALLBACK_UNSUBSCRIBES,
        Fault.UNSUBSCRIBED,
        Fault.CLOSED,
    }
)


@define
class TameDraws(Mapping[Place, float]):
    seed: int
    _streams: dict[str, tuple[Random, list[float]]] = field(factory=dict)

    def __getitem__(self, place: Place) -> float:
        stream, number = place
        return 0.0 if stream in _SILENT else self._drawn(stream, number)

    def _drawn(self, stream: str, number: int) -> float:
        random, drawn = self._streams.setdefault(stream, (Random(f"{self.seed} {stream}"), []))
        while len(drawn) <= number:
            drawn.append(random.random())
        return drawn[number]

    def __iter__(self) -> Iterator[Place]:
        return iter(())  # there is no end of them

    def __len__(self) -> int:
        return 0


_SILENT = frozenset({"casting", "moods", *(f"rate of {fault.value}" for fault in Fault if fault not in ON)})
