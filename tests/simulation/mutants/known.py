"""The seeds that are known to show planted bugs, each with the events it takes."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["KNOWN"]

KNOWN: Mapping[str, tuple[int, int]] = {
    "reports-too-little": (2, 800),
    "acknowledges-at-once": (2, 800),
    "not-full-after-error": (1, 2_000),
    "acknowledges-nothing": (1, 800),
}
