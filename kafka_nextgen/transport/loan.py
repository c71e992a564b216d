"""A connection's socket in the hands of a relay (``relays``), as long as nothing else happens on the connection.

The one request that is out is a conversation's, and the relay goes on with that. Whatever else is to be sent, or keeps
things from being sent, takes the socket back first, and so does the end of the connection.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.transport.conversation import Relaying
from kafka_nextgen.transport.pipeline import Pending, Pipeline
from kafka_nextgen.transport.relays import Relayed, Relays
from kafka_nextgen.transport.traffic import Traffic

__all__ = ["Loan"]


class Loan:
    """A ``Lender``; ``may_send`` is the connection's word on whether anything may go out now."""

    def __init__(
        self,
        relays: Relays,
        fd: int,
        relaying: Relaying,
        pending: Pending,
        pipeline: Pipeline,
        traffic: Traffic,
        may_send: Callable[[], bool],
        take_back: Callable[[], None],
    ) -> None:
        self.take_back = take_back
        self.told = relaying.told
        self._relays = relays
        self._fd = fd
        self._relay: accelerator.FetchRelay = relaying.relay
        self._relaying = relaying
        self._pending = pending
        self._pipeline = pipeline
        self._traffic = traffic
        self._may_send = may_send
        relays.lend(fd, self._relay, self)

    def may_go_on(self) -> bool:
        """Whether nothing is in the way; what was done until now is noted."""
        self.note()
        is_well = self._pending.is_wanted and not self._relay.is_over and self._may_send()
        return is_well and self._relaying.may_go_on()

    def note(self) -> None:
        """Note what was done."""
        relay, pending = self._relay, self._pending
        counted = Relayed(*relay.counted())
        if counted.answers:
            self._pipeline.went_on(pending, relay.correlation_id, relay.asked_at)
            self._traffic.note_relayed(counted, relay.asked_at)
            self._relaying.note(counted)

    def end(self) -> tuple[bytes, bytes] | None:
        """Take it back.

        Returns what was received of the answer on its way, and what is still to be sent of its request, the only one
        that is out; None if the conversation can't go on from there.
        """
        self._relays.end(self._fd)
        self._relay.end()
        self.note()
        return self._relay.left() if self._relaying.end() else None
