"""When to ask for metadata: one question at a time, with growing pauses as long as something is missing after it."""

from __future__ import annotations

from kafka_nextgen.fetching.outcomes import NeedMetadata
from kafka_nextgen.fetching.settings import FetchSettings

__all__ = ["MetadataQuestion"]


class MetadataQuestion:
    """Whether it is on its way, and when it may be asked again (``retry_at``, on the driver's clock)."""

    def __init__(self, settings: FetchSettings) -> None:
        self.retry_at = 0.0
        self._settings = settings
        self._is_asked = False
        self._rounds = 0  # how often in a row it was asked, for something was missing still

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
