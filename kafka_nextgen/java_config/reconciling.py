"""Adapts combinations of values that Java's consumer allows, but this library does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafka_nextgen.properties.value_types import FRAME_OVERHEAD_BYTES, INT32_MAX, MIB

__all__ = ["reconciled"]

_DEFAULT_FRAME_BYTES: Final = 100 * MIB
_DEFAULT_LONGEST_PAUSE_MS: Final = 1_000
_RECONNECT: Final = "reconnect.backoff.ms"
_PAUSES: Final = (("retry.backoff.ms", "retry.backoff.max.ms"), (_RECONNECT, "reconnect.backoff.max.ms"))
_FRAME: Final = "receive.message.max.bytes"


def reconciled(settings: Mapping[str, object]) -> dict[str, object]:
    """Return the settings to add or replace."""
    return {**_fetch_sizes(settings), **_pauses(settings)}


def _fetch_sizes(settings: Mapping[str, object]) -> dict[str, object]:
    """Make a fetch response fit into a frame, whose size is a 32-bit number."""
    size, frame = _number(settings.get("fetch.max.bytes")), _number(settings.get(_FRAME, _DEFAULT_FRAME_BYTES))
    if size is None or frame is None or size + FRAME_OVERHEAD_BYTES <= frame or size > INT32_MAX:
        return {}
    size = min(size, INT32_MAX - FRAME_OVERHEAD_BYTES)
    return {"fetch.max.bytes": size, _FRAME: size + FRAME_OVERHEAD_BYTES}


def _pauses(settings: Mapping[str, object]) -> dict[str, object]:
    """Java uses a constant pause if the maximum is below the first pause (KIP-580).

    The pause before reconnecting is also constant if no maximum is given
    (``CommonClientConfigs.postProcessReconnectBackoffConfigs``).
    """
    found: dict[str, object] = {}
    for first, longest in _PAUSES:
        begin, end = _number(settings.get(first)), _number(settings.get(longest, _DEFAULT_LONGEST_PAUSE_MS))
        if begin is not None and first == _RECONNECT and longest not in settings:
            found[longest] = begin
        elif begin is not None and end is not None and begin > end:
            found[first] = end
    return found


def _number(said: object) -> int | None:
    if isinstance(said, str) and said.strip().isascii() and said.strip().isdecimal():
        return int(said)
    return said if isinstance(said, int) and not isinstance(said, bool) else None
