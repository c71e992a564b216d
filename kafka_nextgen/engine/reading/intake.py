"""What a relay has brought and nobody has taken in yet.

Answers are decoded and taken in by whoever looks at the fetch state next, on whatever thread, under its lock.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.fetching import LEAST_KEPT_BYTES, Call, DecodedPartition, Fetch, FetchState, Routine
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
        self._asked_at = fetch.asked_at
        self._settled = self._taken = 0  # how many answers
        self._bytes_since = 0  # room was looked for
        self._steps: set[int] = set()  # the answer whose step is being prepared
        #: To be called when something is about to be done to the state that a step under way does not know of.
        self.void_step: Callable[[], None] = self._steps.clear

    def take_in(self, state: FetchState) -> None:
        """Take in what has come; on any thread."""
        relay, places, wanted = self.relay, self._places, state.by_partition
        while (first := relay.first()) is not None:
            number, body, came_at = first
            self._steps.add(number)
            calls: list[Call] = [(self._steps.remove, number), (relay.drop, number)]
            decoded = accelerator.decode_plain(
                body, places, wanted, _MOST_BYTES, False, DecodedPartition, COLUMN_TYPES, "fetch_offset"
            )
            assert decoded is not None, "a relay keeps only what can be decoded"
            calls += state.read_along(self.fetch.node_id, decoded[2], self._routine, came_at)
            calls.append((setattr, self, "_taken", number))
            calls.append((setattr, self, "_asked_at", came_at))
            try:
                accelerator.do_all(calls)
            except LookupError:  # a handler was here meanwhile
                continue
            self._bytes_since += len(body)
        if self._bytes_since >= LEAST_KEPT_BYTES:
            self._look_for_room(state)

    def _look_for_room(self, state: FetchState) -> None:
        self._bytes_since = 0
        if state.room_for_relay(self.fetch, self._routine) < LEAST_KEPT_BYTES:
            self.relay.end()

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
            self.fetch = state.settle(self.fetch, self.relay.places(), answers, self._asked_at)

    def is_in_force(self, state: FetchState) -> bool:
        """Whether the relay may go on."""
        return state.is_in_force(self._routine)
