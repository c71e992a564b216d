"""What the parts of ``FetchState`` share."""

from __future__ import annotations

from kafka_nextgen.fetching.assigned import Assigned
from kafka_nextgen.fetching.fetch_budget import FetchBudget
from kafka_nextgen.fetching.needs import NeedMetadata
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.steady_state import SteadyState
from kafka_nextgen.fetching.underway import Underway
from kafka_nextgen.requests.cluster_image import ClusterImage

__all__ = ["FetchContext", "MetadataRefresh"]


class FetchContext:
    """The assigned partitions, what waits to be handed over, and what is on its way."""

    def __init__(self, settings: FetchSettings) -> None:
        self.settings = settings
        self.assigned = Assigned(settings.partition_max_bytes)
        self.buffers = self.assigned.buffers
        self.underway = Underway()
        self.budget = FetchBudget(settings.buffer_bytes)
        self.metadata = MetadataRefresh(settings)
        #: The cluster image in which the topics of this assignment were last looked for.
        self.searched: ClusterImage | None = None
        #: None also while nothing has looked whether the state is steady.
        self.steady_state: SteadyState | None = None

    def end_steady_state(self) -> None:
        """Called before each change of what is to be asked next (``steady_state``)."""
        self.note_silence()
        self.steady_state = None

    def note_silence(self) -> None:
        """Bring the partitions' last answer times up to date."""
        if self.steady_state is not None:
            self.steady_state.note_silence(self.assigned)


class MetadataRefresh:
    """One question for metadata at a time, with growing pauses while something is missing.

    ``retry_at`` is when it may be asked again, on the driver's clock, in seconds.
    """

    def __init__(self, settings: FetchSettings) -> None:
        self.retry_at = 0.0
        self._settings = settings
        self._is_asked = False
        self._rounds = 0  # how often in a row something was missing

    def may_ask(self, now: float) -> bool:
        """Whether it is time to look what is missing."""
        return not self._is_asked and self.retry_at <= now

    def ask(self, missing: list[NeedMetadata]) -> list[NeedMetadata]:
        """Take it to be on its way if anything is missing."""
        self._is_asked = bool(missing)
        self._rounds = self._rounds + 1 if missing else 0
        return missing

    def answered(self, now: float) -> None:
        """The answer is here, or none will come."""
        self._is_asked = False
        self.retry_at = now + self._settings.backoff_s(max(0, self._rounds - 1))
