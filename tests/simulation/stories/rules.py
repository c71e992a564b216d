"""Two findings are the same if they differ in names and numbers only."""

from __future__ import annotations

import re

__all__ = ["rule_of"]


def rule_of(finding: str) -> str:
    """A finding without names and numbers."""
    return re.sub(r"[\[\d,\s-]+\]|\bc\d+/\d+(?:-\d+)*|\bt\d+|\d+", "", finding)
