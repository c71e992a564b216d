"""The coordinator that tests and walks are played on: the one scenarios have."""

from __future__ import annotations

from kafka_nextgen.scenarios.host import CoordinatorHost as Stage
from kafka_nextgen.scenarios.world import GROUP

__all__ = ["GROUP", "Stage"]
