"""What no run has to meet, and why: the closed list. All else in ``coverage.NAMES`` has to come in many seeds."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["UNMET"]

UNMET: Mapping[str, str] = {}
