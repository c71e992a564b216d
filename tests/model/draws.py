"""The draws of runs that the model has everything of: those of a seed, but for what is switched off.

Off are classic members, patterns, topics that come and go, clocks that drift, and callbacks that raise. All else is
drawn, faults with their rates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from random import Random

from attrs import define, field

from tests.simulation.dice import Fault, Place

__all__ = ["OFF", "TameDraws"]

#: What the model does not have.
OFF = frozenset(
    {
        Fault.TOPIC_CREATED,
        Fault.TOPIC_GROWN,
        Fault.TOPIC_DELETED,
        Fault.TOPIC_RECREATED,
        Fault.LATE_METADATA,
        Fault.SUBSCRIPTION_CHANGED,
        Fault.REPLACED,
        Fault.CALLBACK_RAISES,
        Fault.CLOCK_DRIFT,
        Fault.REBALANCE_ENFORCED,
    }
)

#: Where a client draws what it subscribes to first.
_WISH = 1


@define
class TameDraws(Mapping[Place, float]):
    """Draws by their places."""

    seed: int
    _streams: dict[str, tuple[Random, list[float]]] = field(factory=dict)

    def __getitem__(self, place: Place) -> float:
        stream, number = place
        fixed = self._fixed(stream, number)
        return self._drawn(stream, number) if fixed is None else fixed

    def _fixed(self, stream: str, number: int) -> float | None:
        is_wish = _A_LIFE.fullmatch(stream) is not None and number == _WISH
        return 0.0 if is_wish or stream in _SILENT else None

    def _drawn(self, stream: str, number: int) -> float:
        random, drawn = self._streams.setdefault(stream, (Random(f"{self.seed} {stream}"), []))
        while len(drawn) <= number:
            drawn.append(random.random())
        return drawn[number]

    def __iter__(self) -> Iterator[Place]:
        return iter(())  # there is no end of them

    def __len__(self) -> int:
        return 0


_A_LIFE = re.compile(r"c\d+/\d+")
_SILENT = frozenset({"casting", *(f"rate of {fault.value}" for fault in OFF)})
