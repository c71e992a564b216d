"""What goes over all connections of one client, counted on its event loop; any thread may read."""

from __future__ import annotations

from attrs import Factory, define

from kafka_nextgen.metrics.timings import Timings
from kafka_nextgen.transport.relays import Relayed

__all__ = ["Traffic"]


@define
class Traffic:
    """Numbers that only grow; ``throttled_ms`` is how long brokers asked to be left alone for a quota."""

    opened: int = 0
    closed: int = 0
    lost: int = 0
    failed: int = 0
    requests: int = 0
    answers: int = 0
    bytes_out: int = 0
    bytes_in: int = 0
    throttled_ms: int = 0
    latency: Timings = Factory(Timings)

    def note_request(self, frame: bytes) -> None:
        """A request goes out."""
        self.requests += 1
        self.bytes_out += len(frame)

    def note_answer(self, sent_at: float, now: float) -> None:
        """The answer to a request sent then is here."""
        self.answers += 1
        self.latency.note(now - sent_at, now)

    def note_relayed(self, counted: Relayed, now: float) -> None:
        """Answers came, and requests went out, that a relay has counted."""
        self.requests += counted.answers
        self.answers += counted.answers
        self.bytes_in += counted.bytes_in
        self.bytes_out += counted.bytes_out
        self.latency.note(counted.took_s, now, counted.answers, counted.longest_s)

    def note_throttling(self, throttle_s: float) -> None:
        """A broker asks to be left alone for so many seconds."""
        self.throttled_ms += round(throttle_s * 1000)
