"""Which of the frames that go by are kept: a few of each API and version from everybody who is run, the small ones.

Of frames that differ in length only by a few bytes the later ones say nothing new.
"""

from __future__ import annotations

import threading

from kafka_nextgen.wire.apis import APIS
from tests.support.capturing_proxy import Captured
from tests.verification.fuzz.corpus import REQUEST, RESPONSE, Recorded

KEPT_OF_EACH = 3
MOST_BYTES = 8 * 1024
NEAR_BYTES = 4


class Listener:
    """Told of frames by the proxy's thread, and by ``doing`` of who is at work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._doing = ""
        self._kept: dict[tuple[str, str], list[bytes]] = {}

    def doing(self, what: str) -> None:
        with self._lock:
            self._doing = what

    def tell(self, captured: Captured) -> None:
        api = APIS.get(captured.api_key)
        if api is None or not api.speaks(captured.version) or len(captured.frame) > MOST_BYTES:
            return
        folder = f"{REQUEST if captured.is_request else RESPONSE}/{api.name}-{captured.version}"
        with self._lock:
            kept = self._kept.setdefault((self._doing, folder), [])
            is_new = all(abs(len(captured.frame) - len(other)) > NEAR_BYTES for other in kept)
            if is_new and len(kept) < KEPT_OF_EACH:
                kept.append(captured.frame)

    def kept(self) -> list[Recorded]:
        """Everything worth keeping, each once."""
        with self._lock:
            return list({Recorded(folder, data) for (_, folder), all_of in self._kept.items() for data in all_of})
