"""The log of a run, a line each: events, requests and answers, records, and what applications got to see.

What is logged is numbers, names and bytes as they go over the wire and into the log, so that nothing of it depends on
the order of sets. Two runs of a seed are the same if their logs are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from attrs import define, field

from tests.verification.simulation.timeline import Timeline

_Answer = Callable[["bytes | None"], None]


class _Sink(Protocol):
    def write(self, text: str, /) -> object:
        """Take text."""


@define(eq=False)
class Recording:
    sink: _Sink
    timeline: Timeline = field(factory=Timeline)  # of the run

    def note(self, who: str, what: str, of: object = "") -> None:
        now = self.timeline
        self.sink.write(f"{now.happened} {now.now!r} {who} {what} {of}\n")

    def served(self, node_id: int, frame: bytes, answer: _Answer) -> _Answer:
        """A node got a request: what to call with its answer."""
        self.note(f"node {node_id}", "asked", frame.hex())

        def answered(response: bytes | None) -> None:
            self.note(f"node {node_id}", "answers", "nothing" if response is None else response.hex())
            answer(response)

        return answered

    def appended(self, node_id: int, rows: Iterable[tuple[int, tuple[bytes, bytes | None]]]) -> None:
        for offset, (key, value) in rows:
            self.note(f"node {node_id}", f"appends {offset}", f"{key.hex()} {'-' if value is None else value.hex()}")
