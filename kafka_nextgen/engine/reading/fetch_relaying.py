"""A relay that goes on fetching from one node, as the conversation it goes on with knows it."""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.engine.reading.fetch_talk import FetchTalk
from kafka_nextgen.engine.reading.intake import Intake
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.engine.seeing.counters import FetchCounters
from kafka_nextgen.transport.relays import Relayed

__all__ = ["FetchRelaying"]


class FetchRelaying:
    """A ``Relaying``; ``told`` rings the application."""

    def __init__(
        self,
        talk: FetchTalk,
        intake: Intake,
        fetches: LockedFetches,
        counters: FetchCounters,
        told: Callable[[], None],
    ) -> None:
        self.relay: accelerator.FetchRelay = intake.relay
        self.told = told
        self._talk = talk
        self._intake = intake
        self._fetches = fetches
        self._counters = counters

    def may_go_on(self) -> bool:
        """Whether nothing has changed what is to be asked."""
        return self._fetches.may_relay(self._intake)

    def note(self, counted: Relayed) -> None:
        """Count what was fetched."""
        self._counters.note_relayed(counted)

    def end(self) -> bool:
        """Have the talk go on behind what the relay has asked, if that is possible."""
        self._talk.relayed(self._fetches.close_intake(self._intake), self.relay.asked_at)
        return not self._intake.is_void
