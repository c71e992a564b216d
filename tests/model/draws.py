"""The draws of runs that the model has everything of: those of a seed, but for what is switched off.

Off are classic members, static ones, patterns, full groups, topics that come and go, clocks that drift, and callbacks
that raise. Each poll hands out one record of a partition. All else is drawn, faults with their rates.
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

#: Where it is drawn how many members a group may have; how many records a poll hands out, which also decides about an
#: instance id; and what a client subscribes to first.
_SEATS, _RECORDS, _WISH = 0, 1, 1


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
        is_off = (
            stream in _SILENT
            or (stream == "beginning" and number == _SEATS)
            or (stream.startswith("habits of ") and number == _RECORDS)
            or (_A_LIFE.fullmatch(stream) is not None and number == _WISH)
        )
        return 0.0 if is_off else None

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
