"""What a relay has brought and nobody has taken in yet.

Answers are decoded and taken in by whoever looks at the fetch state next, on whatever thread, under its lock.
"""

from __future__ import annotations

from contextlib import suppress

from kafka_nextgen.bridge.fetch import FetchPosition
from kafka_nextgen.compiled import accelerator
from kafka_nextgen.fetching import LEAST_KEPT_BYTES, DecodedPartition, Fetch, FetchState, Routine
from kafka_nextgen.wire.plain_decoding import COLUMN_TYPES, Places

__all__ = ["Intake"]

_MOST_BYTES = 1 << 20  # more than the columns of any answer that a relay keeps


class Intake:
    """``fetch`` is what was on its way when this was last settled.

    An answer is taken in by one step: nobody finds it half taken in, and whoever is interrupted in front of that step,
    by a signal handler that raises, has done nothing. A handler may also do something to the state in between:
    ``void_step`` then has the step prepared anew.
    """

    def __init__(self, relay: accelerator.FetchRelay, fetch: Fetch, routine: Routine, places: Places) -> None:
        self.fetch = fetch
        self.relay = relay
        #: Whether something was dropped that the relay has asked on behind, so that nobody can go on from there.
        self.is_void = False
        self._routine = routine
        self._places = places
        self._wanted = dict(fetch.wanted)
        self._last: tuple[tuple[FetchPosition, ...], float] = (), fetch.asked_at  # what was told then, and when
        self._settled = self._taken = 0  # how many answers
        self._bytes_since = 0  # room was looked for
        self._steps: set[int] = set()  # the answer whose step is being prepared

    def take_in(self, state: FetchState) -> None:
        """Take in what has come; on any thread."""
        while (first := self.relay.first()) is not None:
            self._steps.add(first[0])
            self._take_one_in(state, *first)
        if self._bytes_since >= LEAST_KEPT_BYTES:
            self._bytes_since = 0
            if state.room_for_relay(self.fetch, self._routine) < LEAST_KEPT_BYTES:
                self.relay.end()

    def _take_one_in(self, state: FetchState, number: int, body: bytes, came_at: float) -> None:
        wanted = self._wanted
        decoded = accelerator.decode_plain(
            body, self._places, wanted, _MOST_BYTES, False, DecodedPartition, COLUMN_TYPES
        )
        assert decoded is not None, "a relay keeps only what can be decoded"
        calls, told = state.read_along(self.fetch.node_id, decoded[2], self._routine, came_at)
        for position in told:
            calls.append((wanted.__setitem__, position.partition, position))
        calls.append((setattr, self, "_last", (told, came_at)))
        calls.append((setattr, self, "_taken", number))
        self._bytes_since += len(body)
        with suppress(LookupError):  # else this was prepared in vain
            accelerator.do_all([(self._steps.remove, number), (self.relay.drop, number), *calls])

    def void_step(self) -> None:
        """Something is about to be done to the state that a step under way does not know of."""
        self._steps.clear()

    def drop(self) -> None:
        """Keep nothing from here on, and take in nothing of what was kept."""
        self.relay.end()
        self.void_step()
        while (first := self.relay.first()) is not None:
            self.is_void = True
            self.relay.drop(first[0])

    def settle(self, state: FetchState) -> None:
        """Take in what has come, and have ``fetch`` be what is on its way now; on the I/O thread."""
        self.take_in(state)
        answers = self._taken - self._settled
        if answers:
            self._settled = self._taken
            self.fetch = state.settle(self.fetch, self._wanted, self._last[0], answers, self._last[1])

    def is_in_force(self, state: FetchState) -> bool:
        """Whether the relay may go on."""
        return state.is_in_force(self._routine)
