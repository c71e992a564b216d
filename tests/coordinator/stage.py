"""The coordinator that tests and walks are played on: the one scenarios have."""

from __future__ import annotations

from tests.scenario_language.host import CoordinatorHost as Stage
from tests.scenario_language.world import GROUP

__all__ = ["GROUP", "Stage"]
