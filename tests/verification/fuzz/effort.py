"""How much processor time an input may take: so much for each of its bytes, and for each that they may become.

Time is counted in turns of a loop, so that a slow machine has more of it. What seems to take too long is run again, and
the quickest run counts: other processes disturb all of them alike only if the decoder is slow.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from attrs import define, field

from tests.verification.fuzz.decoders.decoder import Decoder

_EACH_INPUT_BYTES = 4096  # an input costs as if it had so many bytes more
_TURNS = 5_000
_RUNS = 5


@define
class Effort:
    """Runs a decoder, and raises ``AssertionError`` if an input takes longer than it may."""

    decoder: Decoder
    _turn_s: float = field(init=False, factory=lambda: min(_turn_s() for _ in range(_RUNS)))

    def run(self, data: bytes) -> None:
        run = partial(self.decoder.run, data)
        bytes_ = len(data) + self.decoder.limit_bytes + _EACH_INPUT_BYTES
        most_turns = bytes_ * self.decoder.turns_per_byte
        if _spent_s(run) <= most_turns * self._turn_s:
            return
        turns = min(_spent_s(run) / _turn_s() for _ in range(_RUNS))
        assert turns <= most_turns, (
            f"{len(data)} bytes take as long as {turns:.0f} turns of a loop, above {most_turns:.0f}"
        )


def _turn_s() -> float:
    """What one turn takes now."""
    return _spent_s(_loop) / _TURNS


def _loop() -> None:
    for _ in range(_TURNS):
        int.from_bytes(b"turn", "big")


def _spent_s(run: Callable[[], None]) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin
